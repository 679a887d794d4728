internal import KSKeyValues

/// A key, by its bytes: `String` equates different spellings of a letter.
package struct StoreKey: Hashable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: StoreKey, right: StoreKey) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
