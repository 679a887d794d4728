/// The plain text of a sealed half: attributes in the order of their names.
///
/// Each attribute is its 4 name bytes, the type's tag, the content's length as 4 bytes big-endian,
/// and the content. Only this device reads it; synced items have an encoding of their own.
enum HalfCoding {
    static func encode(_ attributes: [AttributeName: AttributeValue]) -> [UInt8] {
        var text: [UInt8] = []
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            let content = value.content
            text.append(contentsOf: name.bytes)
            text.append(value.tag)
            text.append(contentsOf: bigEndian(UInt32(content.count)))
            text.append(contentsOf: content)
        }
        return text
    }

    /// - Throws: ``KeychainError/decode`` for anything but what ``encode(_:)`` writes.
    static func decode(_ text: [UInt8]) throws(ItemStoreError) -> [AttributeName: AttributeValue] {
        var attributes: [AttributeName: AttributeValue] = [:]
        // Most attributes are short, so the dictionary rarely grows after this.
        attributes.reserveCapacity(text.count / 20)
        var position = 0
        var last: AttributeName?
        while position < text.count {
            guard text.count - position >= 9 else { throw .decode }
            let name = AttributeName(code: integer(text.span, at: position))
            if let last, last >= name { throw .decode }
            let count = Int(integer(text.span, at: position + 5))
            let start = position + 9
            guard count <= text.count - start else { throw .decode }
            attributes[name] = try AttributeValue(
                tag: text[position + 4],
                content: text[start..<start + count]
            )
            position = start + count
            last = name
        }
        return attributes
    }

    private static func integer(_ bytes: Span<UInt8>, at position: Int) -> UInt32 {
        (position..<position + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }
}
