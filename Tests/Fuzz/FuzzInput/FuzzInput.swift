/// The fuzzer's input, in the form that the decoders take.
package func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
}

/// Input that decodes has to encode to the same bytes again: else one thing could be signed and
/// another one stored.
package func expectSame(_ encoded: [UInt8], _ bytes: [UInt8]) {
    precondition(encoded == bytes, "decoded, but encodes to other bytes")
}
