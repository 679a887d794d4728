internal import FuzzInput
internal import KSAgent

/// The messages of the daemon's socket.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // Most input is refused, which is right.
    guard let message = try? AgentMessage(decoding: bytes) else { return 0 }
    if let frame = message.frame { expectSame(Array(frame.dropFirst(4)), bytes) }
    return 0
}
