/// How often each field may occur in a message with nested messages.
///
/// Unlisted fields are bytes or numbers: the last one counts, so repetitions take no memory.
package struct MessageParts: Sendable, ExpressibleByArrayLiteral {
    package struct Field: Sendable {
        fileprivate let number: UInt64
        fileprivate let countMax: Int
        fileprivate let parts: MessageParts

        /// A field that occurs at most once.
        static func one(_ number: UInt64, of parts: MessageParts = []) -> Field {
            Field(number: number, countMax: 1, parts: parts)
        }

        static func list(_ number: UInt64, max: Int, of parts: MessageParts = []) -> Field {
            Field(number: number, countMax: max, parts: parts)
        }
    }

    private let fields: [Field]

    package init(arrayLiteral fields: Field...) {
        self.fields = fields
    }

    /// Counts the nested messages without allocating any.
    ///
    /// - Throws: ``WireError/tooLarge`` if a field occurs too often, and ``WireError/malformed``
    ///   for malformed bytes and for groups, which our messages do not have.
    package func check(_ bytes: [UInt8]) throws(WireError) {
        try check(bytes[...])
    }

    private func check(_ bytes: ArraySlice<UInt8>) throws(WireError) {
        // A message without nested messages needs no counting.
        guard !fields.isEmpty else { return }
        var counts = [Int](repeating: 0, count: fields.count)
        var rest = bytes
        while !rest.isEmpty {
            let key = try rest.takeVarint()
            switch key & 7 {
            case 0: _ = try rest.takeVarint()
            case 1: _ = try rest.take(8)
            case 2:
                let content = try rest.take(try rest.takeVarint())
                guard let index = fields.firstIndex(where: { $0.number == key >> 3 }) else {
                    continue
                }
                counts[index] += 1
                guard counts[index] <= fields[index].countMax else { throw .tooLarge }
                try fields[index].parts.check(content)
            case 5: _ = try rest.take(4)
            default: throw .malformed
            }
        }
    }

    /// The same for JSON, in which all messages are counted together.
    package func check(json bytes: [UInt8]) throws(WireError) {
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") {
                count += 1
            }
        }
        guard count <= messagesMax else { throw .tooLarge }
    }

    /// The largest number of messages, this one and all nested ones.
    private var messagesMax: Int { fields.reduce(1) { $0 + $1.countMax * $1.parts.messagesMax } }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeVarint() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = popFirst() else { throw .malformed }
            // The tenth byte has room for one bit.
            guard shift < 63 || byte <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed
    }

    fileprivate mutating func take(_ count: UInt64) throws(WireError) -> ArraySlice<UInt8> {
        guard count <= UInt64(self.count) else { throw .malformed }
        defer { removeFirst(Int(count)) }
        return prefix(Int(count))
    }
}
