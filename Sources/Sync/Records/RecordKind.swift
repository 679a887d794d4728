/// What a record holds.
///
/// A newer program may send kinds that this one does not know. A device keeps their records sealed;
/// a server refuses them, because it does not know their limits.
package struct RecordKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package static let keychain = RecordKind(number: 1)
    package static let keyValue = RecordKind(number: 2)

    /// - Returns: nil for a number that no column of a database holds.
    package init?(rawValue: UInt64) {
        guard rawValue > 0, rawValue <= Int64.max else { return nil }
        self.rawValue = rawValue
    }

    package init(number: UInt64) {
        precondition(number > 0 && number <= Int64.max, "a column of a database holds the number")
        rawValue = number
    }

    // MARK: What differs from kind to kind

    /// All kinds that this program knows; a number is never used again for another kind.
    private static let table: [RecordKind: Facts] = [
        // An attachment may have 1 MiB, and concurrent values stay beside it. The box is the
        // padded contents and the 81 bytes that a box adds.
        .keychain: Facts(
            textBytesMax: (4 << 20) - 8,
            boxBytesMax: (4 << 20) + 81,
            keyLabel: "record keychain",
            isReadableWhileLocked: false,
            keepsDeletedContents: true
        ),
        // The same holds for a value.
        .keyValue: Facts(
            textBytesMax: (4 << 20) - 8,
            boxBytesMax: (4 << 20) + 81,
            keyLabel: "record kv",
            isReadableWhileLocked: true,
            keepsDeletedContents: false
        ),
    ]

    private struct Facts {
        let textBytesMax: Int
        let boxBytesMax: Int
        let keyLabel: String
        let isReadableWhileLocked: Bool
        let keepsDeletedContents: Bool
    }

    /// The limits of the largest kind, which are also those of an unknown one.
    package static let largestTextBytes = table.values.map(\.textBytesMax).max() ?? 0
    package static let largestBoxBytes = table.values.map(\.boxBytesMax).max() ?? 0

    package static let known: [RecordKind] = table.keys.sorted { $0.rawValue < $1.rawValue }

    package var isKnown: Bool { Self.table[self] != nil }

    /// The contents of a record, which are padded to the next power of two.
    package var textBytesMax: Int { Self.table[self]?.textBytesMax ?? Self.largestTextBytes }

    /// The unsent edit of a record: the other half of the contents is what the account has.
    package var editBytesMax: Int { textBytesMax / 2 }

    /// The box of one envelope.
    ///
    /// The server applies it too: it sees the kind, which is authenticated with the box.
    package var boxBytesMax: Int { Self.table[self]?.boxBytesMax ?? Self.largestBoxBytes }

    /// What the key of its records is derived for: each kind has its own.
    package var keyLabel: String { Self.table[self]?.keyLabel ?? "record \(rawValue)" }

    /// Whether a device keeps that key while it is locked.
    package var isReadableWhileLocked: Bool { Self.table[self]?.isReadableWhileLocked ?? false }

    /// Whether a tombstone holds the contents of what was deleted.
    ///
    /// An item needs them: a user who changes one attribute while it is deleted elsewhere gets all
    /// of it back. A change of a key's value never shows what a deletion had seen, and values may
    /// be large: with them, a deletion would make no room in an account.
    package var keepsDeletedContents: Bool { Self.table[self]?.keepsDeletedContents ?? true }
}
