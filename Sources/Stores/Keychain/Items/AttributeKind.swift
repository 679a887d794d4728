internal import KSSealing

/// The kind of an attribute: which values it takes, and how it converts them.
package enum AttributeKind: Sendable {
    /// Text or data, in the caller's type, or a number.
    case blob
    /// Data; text becomes its UTF-8 bytes.
    case data
    /// Text; data becomes text where it is UTF-8.
    case string
    /// The protection class, by its two to four letters.
    case access
    /// A number; text that is exactly a number becomes one, any other text stays.
    case number
    /// 0 or 1.
    case flag
    case date
    /// Data of 16 bytes, or empty.
    case uuid
    /// Data of 20 bytes.
    case digest
}

extension AttributeKind {
    /// The value as this kind of attribute keeps it.
    ///
    /// - Throws: ``KeychainError/parameter`` for a type the kind does not take.
    package func converted(_ value: AttributeValue) throws(ItemStoreError) -> AttributeValue {
        switch (self, value) {
        case (.blob, .string), (.blob, .data), (.blob, .integer), (.data, .data),
            (.string, .string), (.number, .integer):
            return value
        case (.data, .string):
            return .data(value.content)
        case (.data, .integer(let number)):
            // Apple's keychain truncates such a number to 32 bits.
            return .data(littleEndian(Int64(Int32(truncatingIfNeeded: number))))
        case (.string, .data(let bytes)), (.access, .data(let bytes)):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .parameter }
            return self == .access ? try converted(.string(text)) : .string(text)
        case (.access, .string(let text)):
            guard ProtectionClass(letters: text) != nil else { throw .parameter }
            return value
        case (.number, .string(let text)):
            // Apple's keychain converts only numbers of 32 bits.
            guard let number = Int32(text), String(number) == text else { return value }
            return .integer(Int64(number))
        case (.flag, .integer(0)), (.flag, .integer(1)), (.flag, .string("0")),
            (.flag, .string("1")):
            return try AttributeKind.number.converted(value)
        case (.date, .date(let seconds)):
            guard seconds.isFinite else { throw .parameter }
            return value
        case (.uuid, .data(let bytes)):
            guard bytes.isEmpty || bytes.count == 16 else { throw .parameter }
            return value
        case (.digest, .data(let bytes)):
            guard bytes.count == 20 else { throw .parameter }
            return value
        case (.blob, .date), (.data, .date), (.string, .integer), (.string, .date),
            (.access, .integer), (.access, .date), (.number, .data), (.number, .date),
            (.flag, _), (.date, _), (.uuid, _), (.digest, _):
            throw .parameter
        }
    }
}
