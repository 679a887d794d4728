package import KSDigests
package import KSRecords
package import KSDeviceKeys
package import KSSealing

/// Seals what sync keeps in the database, each row under the protection class of its entry.
///
/// Every write of a row gets a new random revision; its box opens only with the same revision.
package struct SealedRows: Sendable {
    package enum Table: String, Sendable {
        case mirror
        case outbox
        case batchRecord = "batch_record"
        case accountValue = "account_value"
        case unsentItem = "unsent_item"
        case recentDeletion = "recent_deletion"
        case deletedHistory = "deleted_history"
    }

    /// A sealed row, and the revision it is bound to.
    package struct Sealed: Equatable, Sendable {
        package let box: [UInt8]
        package let revision: [UInt8]

        package init(box: [UInt8], revision: [UInt8]) {
            self.box = box
            self.revision = revision
        }
    }

    private let cipher: RowCipher
    private let random: any RandomSource

    package init(cipher: RowCipher, random: any RandomSource) {
        self.cipher = cipher
        self.random = random
    }

    package func seal(
        _ bytes: [UInt8],
        table: Table,
        record: RecordID,
        kind: RecordKind? = nil,
        protection: ProtectionClass
    ) throws -> Sealed {
        let revision = random.bytes(16)
        let context = context(table, record, kind, protection, revision)
        return Sealed(box: try cipher.seal(bytes, context), revision: revision)
    }

    package func open(
        _ sealed: Sealed,
        table: Table,
        record: RecordID,
        kind: RecordKind? = nil,
        protection: ProtectionClass
    ) throws -> [UInt8] {
        try cipher.open(sealed.box, context(table, record, kind, protection, sealed.revision))
    }

    private func context(
        _ table: Table,
        _ record: RecordID,
        _ kind: RecordKind?,
        _ protection: ProtectionClass,
        _ revision: [UInt8]
    ) -> RowContext {
        RowContext(
            rowID: Array(record.bytes.prefix(16)),
            part: .attributes,
            // A row whose kind was changed does not open.
            table: kind.map { "\(table.rawValue) \($0.rawValue)" } ?? table.rawValue,
            protectionClass: protection,
            accessGroup: "",
            revision: revision
        )
    }
}
