internal import KSRecords

/// The name of an entry: the store's identifier, and the key in the store.
package struct EntryName: Hashable, Sendable {
    package let store: StoreIdentifier
    package let key: String

    package init(store: StoreIdentifier, key: String) {
        self.store = store
        self.key = key
    }

    // Swift equates differently composed strings; keys are equal only if their bytes are.
    package static func == (left: EntryName, right: EntryName) -> Bool {
        left.key.hasSameBytes(as: right.key) && left.store == right.store
    }

    /// The bytes from which the id of the entry's record is derived; the same on every device.
    package var canonicalBytes: [UInt8] {
        var encoder = CanonicalEncoder(label: "kv entry")
        encoder.string(store.text)
        encoder.string(key)
        return encoder.encoded
    }
}

extension EntryName: Comparable {
    /// By the bytes of the store's identifier, then by those of the key.
    package static func < (left: EntryName, right: EntryName) -> Bool {
        let order = left.store.text.compareBytes(with: right.store.text)
        return order == 0 ? left.key.compareBytes(with: right.key) < 0 : order < 0
    }
}

/// The name of a store: programs that use one identifier share its entries.
///
/// It is 1 to 255 bytes of UTF-8 without control characters. A program that names none gets
/// `exe:` and the path of its executable, which no other identifier may begin with: so two programs
/// share a store only on purpose.
package struct StoreIdentifier: Hashable, Sendable {
    package static let bytesMax = 255
    /// Begins the identifiers of programs that name none.
    package static let executablePrefix = "exe:"

    package let text: String

    /// - Returns: nil for a text that is not an identifier.
    package init?(_ text: String) {
        // These are all control characters of Unicode; looking up their category takes much longer.
        let hasControls = text.unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }
        guard !text.isEmpty, text.utf8.count <= Self.bytesMax, !hasControls else { return nil }
        self.text = text
    }

    /// The identifier that a program names itself.
    ///
    /// - Returns: nil for no identifier, or one that only the daemon gives.
    package init?(named text: String) {
        guard !text.hasPrefix(Self.executablePrefix) else { return nil }
        self.init(text)
    }

    package static func == (left: StoreIdentifier, right: StoreIdentifier) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }
}
