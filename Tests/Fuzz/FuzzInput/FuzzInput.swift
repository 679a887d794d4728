/// What the fuzzer made up, as the decoders take it.
package func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
}

/// Anything that decodes has to encode to the same bytes again: else one thing could be signed and
/// another one stored.
package func expectSame(_ encoded: [UInt8], _ bytes: [UInt8]) {
    precondition(encoded == bytes, "decoded, but encodes to other bytes")
}
