internal import FuzzInput
internal import KSRecords
internal import KSResolution

/// The contents of an envelope.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // Most input is refused, which is right.
    guard let value = try? RecordState(decoding: bytes) else { return 0 }
    expectSame(value.encoded, bytes)
    return 0
}
