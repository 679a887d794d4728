internal import FuzzInput
internal import KSRecords
internal import KSResolution

/// The edits in the outbox.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // Most input is refused, which is right.
    guard let value = try? PendingEdit(decoding: bytes) else { return 0 }
    expectSame(value.encoded, bytes)
    return 0
}
