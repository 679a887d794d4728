/// The small part of ASN.1's encoding (X.690 §8, §10) that this program reads and writes itself.
package enum DER {
    /// The contents of the first value, and the bytes after it.
    package static func contents(
        of bytes: ArraySlice<UInt8>
    ) -> (tag: UInt8, contents: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        var rest = bytes
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            // No input is so long that its length needs more than four bytes.
            guard (0x81...0x84).contains(first) else { return nil }
            count = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = rest.popFirst() else { return nil }
                count = count << 8 | Int(byte)
            }
        }
        guard count <= rest.count else { return nil }
        return (tag, rest.prefix(count), rest.dropFirst(count))
    }

    package static func encode(tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + contents }
        let length = stride(from: 24, through: 0, by: -8)
            .map { UInt8(truncatingIfNeeded: count >> $0) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + contents
    }

    /// An object identifier, from its numbers and dots.
    package static func objectIdentifier(_ text: String) -> [UInt8] {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        precondition(numbers.count >= 2)
        var contents: [UInt8] = []
        for number in [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2) {
            var groups = [UInt8(number & 0x7F)]
            var left = number >> 7
            while left > 0 {
                groups.insert(UInt8(left & 0x7F) | 0x80, at: 0)
                left >>= 7
            }
            contents += groups
        }
        return encode(tag: 0x06, contents)
    }

    /// Passes the bytes to one of OpenSSL's d2i functions.
    ///
    /// - Returns: the value, which the caller frees, and whether it takes up all bytes.
    /// - Throws: ``OpenSSLError/malformed`` if the bytes are something else.
    package static func decode<Value>(
        _ bytes: [UInt8],
        _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Value?
    ) throws(OpenSSLError) -> (value: Value, isWhole: Bool) {
        let decoded = unsafe bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            let value = unsafe read(&position, buffer.count)
            let end = unsafe buffer.baseAddress?.advanced(by: buffer.count)
            return unsafe (value: value, isWhole: position == end)
        }
        guard let value = decoded.value else { throw .forgetting(.malformed) }
        return (value, decoded.isWhole)
    }

    /// Collects what one of OpenSSL's i2d functions writes.
    package static func encode(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(OpenSSLError) -> [UInt8] {
        let count = write(nil)
        guard count > 0 else { throw .newest() }
        var encoded = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe encoded.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            return unsafe write(&end)
        }
        guard written == count else { throw .newest() }
        return encoded
    }
}
