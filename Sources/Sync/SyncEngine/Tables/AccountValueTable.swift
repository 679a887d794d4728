internal import KSDigests
package import GRDB
internal import KSRecords
internal import KSSealing

/// The rows of `account_value`: the sealed values that a device keeps of its account.
package struct AccountValueTable: Sendable {
    /// The name of a value.
    package enum Name: String, Sendable, CaseIterable {
        case keyRing = "key ring"
        case deviceIdentity = "device identity"
        case accountKey = "account key"
        /// Origin, pins and certificate authority.
        case server
        /// The account's and the device's names.
        case names
        /// Sign-ups that the server may have accepted, until one becomes the device's account.
        case signUpDrafts = "sign-up drafts"
        /// When the server began to refuse this device; missing while it accepts it.
        case refusedSince = "refused since"
        /// The circle's version up to which the user has looked at its devices; missing until then.
        case seenCircle = "seen circle"
        /// What the server keeps beside the circle's newest entry, should it lose it.
        case circleCopy = "circle copy"
        /// How large a request may be, after a proxy refused larger ones.
        case sizeLimit = "size limit"

        /// When the value has to be readable.
        var protection: ProtectionClass {
            switch self {
            case .keyRing, .accountKey, .signUpDrafts: .whenUnlocked
            case .deviceIdentity, .server, .names, .refusedSince, .seenCircle, .sizeLimit,
                .circleCopy:
                .afterFirstUnlock
            }
        }

        fileprivate var rowID: RecordID {
            RecordID(validated: SHA256.hash(Array(rawValue.utf8)))
        }
    }

    private let rows: SealedRows

    package init(rows: SealedRows) {
        self.rows = rows
    }

    package func load(_ name: Name, from database: Database) throws -> [UInt8]? {
        try database.rows(
            "SELECT protection, value, revision FROM account_value WHERE name = ?",
            [name.rawValue]
        ).first.map { row in
            try rows.open(
                .init(box: row.bytes("value"), revision: row.bytes("revision")),
                table: .accountValue,
                record: name.rowID,
                // The row's own class, which its seal is bound to, as in every table.
                protection: try ProtectionClass(column: row["protection"])
            )
        }
    }

    package func delete(_ name: Name, in database: Database) throws {
        try database.run("DELETE FROM account_value WHERE name = ?", [name.rawValue])
    }

    package func save(_ value: [UInt8], as name: Name, in database: Database) throws {
        let sealed = try rows.seal(
            value,
            table: .accountValue,
            record: name.rowID,
            protection: name.protection
        )
        try database.run(
            """
            INSERT OR REPLACE INTO account_value (name, protection, value, revision)
            VALUES (?, ?, ?, ?)
            """,
            [name.rawValue, name.protection.column, sealed.box.column, sealed.revision.column]
        )
    }
}
