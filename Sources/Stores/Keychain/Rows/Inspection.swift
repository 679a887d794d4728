internal import GRDB

/// The result of an inspection of every row, without names and secrets.
package struct KeychainInspection: Equatable, Sendable {
    /// A row in the quarantine.
    package struct Quarantined: Equatable, Sendable {
        package let table: String
        /// Seconds since 2001-01-01 00:00 UTC.
        package let seconds: Double
    }

    /// The faults that SQLite finds in the file; empty if it is sound.
    package var damages: [String] = []
    /// Items, without tombstones.
    package var readable = 0
    /// Items whose class is locked, which cannot be checked.
    package var locked = 0
    package var unreadable: [UnreadableRow] = []
    package var quarantined: [Quarantined] = []

    /// The maximal number of listed faults: more say nothing new about a damaged file.
    static let damagesMax = 20
    /// Items between two reports of progress.
    static let reportedItems = 100
}

extension KeychainReader {
    /// Whether SQLite finds the structure of the file damaged: it looks at all pages.
    package func isDamaged() throws(ItemStoreError) -> Bool {
        do throws(ItemStoreError) {
            return try withKeychainErrors {
                try database.unsafeRead { database in
                    try String.fetchAll(database, sql: "PRAGMA quick_check(1)") != ["ok"]
                }
            }
        } catch .fileDamaged {
            return true
        }
    }
}

extension ItemStore {
    /// Checks the file and opens both halves of every row.
    ///
    /// `report` is called now and then with how many of how many items are done.
    package func inspect(
        report: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(ItemStoreError) -> KeychainInspection {
        let total = try itemCount(alsoSynchronizable: true)
        return try withKeychainErrors {
            try database.unsafeRead { database in
                var inspection = KeychainInspection()
                let verdict = try String.fetchAll(
                    database,
                    sql: "PRAGMA integrity_check(\(KeychainInspection.damagesMax))"
                )
                if verdict != ["ok"] { inspection.damages = verdict }
                for itemClass in ItemClass.allCases {
                    try inspect(itemClass, in: database, &inspection) { report($0, total) }
                }
                inspection.quarantined = try Row.fetchAll(
                    database,
                    sql: "SELECT origin, quarantinedSeconds FROM quarantine ORDER BY id"
                ).map { .init(table: $0[0], seconds: $0[1]) }
                return inspection
            }
        }
    }

    /// How many items there are, also of a locked class; without tombstones.
    ///
    /// `alsoSynchronizable`: whether those count too that an account would get.
    package func itemCount(alsoSynchronizable: Bool) throws(ItemStoreError) -> Int {
        try withKeychainErrors {
            try database.unsafeRead { database in
                try ItemClass.allCases.reduce(0) { count, itemClass in
                    let condition = alsoSynchronizable ? "" : " AND sync = 0"
                    let sql =
                        "SELECT count(*) FROM \(itemClass.rawValue) WHERE tomb = 0" + condition
                    return try count + (Int.fetchOne(database, sql: sql) ?? 0)
                }
            }
        }
    }

    private func inspect(
        _ itemClass: ItemClass,
        in database: Database,
        _ inspection: inout KeychainInspection,
        report: (_ done: Int) -> Void
    ) throws {
        let select = try FastSelect(itemClass.sql.selectAll, in: database)
        try select.visit([]) { row in
            let stored = try StoredRow(row, of: itemClass)
            switch rows.opened(stored) {
            // It is sound, but no item.
            case .item where stored.isTombstone, .locked where stored.isTombstone: break
            case .item: inspection.readable += 1
            case .locked: inspection.locked += 1
            case .damaged: inspection.unreadable.append(stored.unreadable)
            }
            let done = inspection.readable + inspection.locked + inspection.unreadable.count
            if done.isMultiple(of: KeychainInspection.reportedItems) { report(done) }
            return true
        }
    }
}
