internal import FuzzInput
internal import KSRecords

/// What a device signs of a batch.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // Most input is refused, which is what it deserves.
    guard let value = try? BatchHeader(decoding: bytes) else { return 0 }
    expectSame(value.encoded, bytes)
    return 0
}
