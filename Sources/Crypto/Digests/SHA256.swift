/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            var state = SHA256State()
            state.update(unsafe bytes.span.bytes)
            let target = unsafe UnsafeMutableRawBufferPointer(
                start: buffer.baseAddress,
                count: byteCount
            )
            var span = unsafe target.mutableBytes
            state.finish(into: &span)
            count = byteCount
        }
    }
}
