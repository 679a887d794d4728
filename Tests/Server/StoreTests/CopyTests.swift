import Foundation
import GRDB
import KSMerging
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// A whole store in another place.
struct CopyTests {
    private func fullStore(_ kind: CopyPlace.Kind) throws -> (CopyPlace, FullStore) {
        let place = try CopyPlace(kind)
        return (place, try place.withStore { try FullStore(in: $0) })
    }

    @Test(arguments: CopyPlace.Kind.pairs)
    func `devices and operators see no difference in a copy`(
        from: CopyPlace.Kind,
        to: CopyPlace.Kind
    ) throws {
        let (source, full) = try fullStore(from)
        let target = try CopyPlace(to)
        let before = try source.withStore { try full.seen(in: $0) }
        let rows = try source.allRows()
        let result = try source.copy(to: target)
        #expect(result.isEqual && result.accounts == 3 && result.differing.isEmpty)
        #expect(result.records == before.figures.records)
        // The source is as it was.
        #expect(try source.allRows() == rows && target.allRows() == rows)
        #expect(try source.withStore { try full.seen(in: $0) } == before)
        try target.withStore { store in
            #expect(try full.seen(in: store) == before)
            #expect(try !store.useNonce(FullStore.nonce, expirySeconds: 2_000_000))
            #expect(try store.isSuspended(full.large.id))
            // Its actors go on, and a new account begins in the same epoch.
            var actor = try #require(full.actor)
            try actor.push(.number(99), to: store)
            let late = FakeAccount(9)
            let fresh = try #require(try store.account(full.fresh.id)).epoch
            #expect(try store.createAccount(late.signUp) == fresh)
            #expect(throws: StoreError.refused(.nameTaken)) {
                try store.createAccount(FakeAccount(10, name: full.busy.name).signUp)
            }
            try store.deleteAccount(full.busy.id)
            #expect(try store.createAccount(FakeAccount(10, name: full.busy.name).signUp) == fresh)
        }
    }

    @Test(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    func `a store that went to PostgreSQL and came back is the same`() throws {
        let (first, full) = try fullStore(.file)
        let (second, third) = (try CopyPlace(.postgresql), try CopyPlace(.file))
        #expect(try first.copy(to: second).isEqual)
        #expect(try second.copy(to: third).isEqual)
        #expect(try first.allRows() == third.allRows())
        let shared = try [first, third].map { try $0.source().sharedRows() }
        #expect(shared[0] == shared[1] && shared[0].usedNonces.count == 1)
        #expect(try third.withStore { try full.seen(in: $0).figures.accounts } == 3)
    }

    /// Columns by which one kind of store refers to the account, or which follow from others.
    private static let own: Set = [
        "account.number", "account.id", "account.account", "record.position", "member.epoch",
    ]

    @Test(arguments: CopyPlace.Kind.allCases)
    func `every column of an account is copied`(kind: CopyPlace.Kind) throws {
        let place = try CopyPlace(kind)
        try place.withStore { _ in }
        let copied = Set(
            StoredTable.allCases.flatMap { table in
                table.columns.map { table.rawValue + "." + $0.name }
            }
        )
        let columns: [String]
        if let schema = place.schema {
            columns = try schema.texts(
                """
                SELECT table_name || '.' || column_name FROM information_schema.columns
                WHERE table_schema = '\(schema.name)'
                """
            )
        } else {
            columns = try DatabaseQueue(path: place.path).read { database in
                try String.fetchAll(
                    database,
                    sql: """
                        SELECT t.name || '.' || c.name FROM sqlite_schema AS t
                        JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'
                        """
                )
            }
        }
        /// These have functions of their own, or belong to one program alone.
        let shared: Set = [
            "store", "server", "server_secret", "node", "used_nonce", "invitation", "account_name",
            "migration", "grdb_migrations", "sqlite_sequence",
        ]
        let present = columns.filter { name in
            !shared.contains(String(name.prefix { $0 != "." })) && !name.hasSuffix(".account")
        }
        // SQLite has a record's seq in its position.
        let expected = kind == .file ? copied.subtracting(["record.seq"]) : copied
        #expect(Set(present).subtracting(Self.own) == expected)
    }

    @Test(arguments: CopyPlace.Kind.pairs)
    func `a copy that was cut off is no store, and starts again`(
        from: CopyPlace.Kind,
        to: CopyPlace.Kind
    ) throws {
        let (source, full) = try fullStore(from)
        let target = try CopyPlace(to)
        for callsMax in [0, 4, 20] {
            let failure = #expect(throws: StoreCopy.Failure.self) {
                let rows = try source.source()
                let cut = BentTarget(try target.target(from: rows), callsMax: callsMax)
                _ = try StoreCopy(from: rows, to: cut) { _, _, _ in }.run()
            }
            #expect(failure?.isOfSource == false && failure?.error == BentTarget.failure)
            #expect(throws: StoreError.copyUnfinished) { try target.withStore { _ in } }
        }
        if to == .postgresql {
            #expect(throws: StoreError.copyUnfinished) { try target.source() }
        }
        #expect(try source.copy(to: target).isEqual)
        let seen = try source.withStore { try full.seen(in: $0) }
        #expect(try target.withStore { try full.seen(in: $0) } == seen)
    }

    @Test(arguments: CopyPlace.Kind.allCases, [StoredTable.member, .record, nil])
    func `a row that differs is found, and the copy is no store`(
        kind: CopyPlace.Kind,
        table: StoredTable?
    ) throws {
        let (source, full) = try fullStore(.file)
        let target = try CopyPlace(kind)
        let rows = try source.source()
        let bent = BentTarget(try target.target(from: rows), bends: table, of: full.busy.id)
        let result = try StoreCopy(from: rows, to: bent) { _, _, _ in }.run()
        #expect(!result.isEqual && result.isRestDiffering == (table == nil))
        #expect(result.differing == (table == nil ? [] : [full.busy.id]))
        bent.release()
        #expect(throws: StoreError.copyUnfinished) { try target.withStore { _ in } }
    }

    @Test(arguments: CopyPlace.Kind.allCases)
    func `a place that has a store gets no copy, and neither does the source`(
        kind: CopyPlace.Kind
    ) throws {
        let (source, _) = try fullStore(kind)
        let other = try CopyPlace(kind)
        try other.withStore { _ = try $0.createAccount(FakeAccount(7).signUp) }
        for place in [source, other] {
            let before = try place.allRows()
            #expect(throws: StoreError.notEmpty) { try source.copy(to: place) }
            #expect(try place.allRows() == before)
            try place.withStore { _ in }
        }
    }
}

/// A target that fails, or changes what it gets.
private final class BentTarget: CopyTarget {
    static let failure = StoreError.storageFailed(code: 13)
    private var target: (any CopyTarget)?
    private var callsLeft: Int
    private let bends: StoredTable?
    private let account: AccountID?

    /// `bends`: the table whose first row is changed; nil for what belongs to no account.
    init(
        _ target: any CopyTarget,
        callsMax: Int = .max,
        bends: StoredTable? = nil,
        of account: AccountID? = nil
    ) {
        (self.target, callsLeft) = (target, callsMax)
        (self.bends, self.account) = (bends, account)
    }

    /// As the end of its process does.
    func release() { target = nil }

    private var open: any CopyTarget {
        get throws(StoreError) {
            guard let target else { throw .inUse }
            return target
        }
    }

    func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures {
        try open.figures(quotaBytes: quotaBytes)
    }

    func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID] {
        try open.accounts(after: id, countMax: countMax)
    }

    func rows(
        of table: StoredTable,
        in account: AccountID,
        after last: StoredRow?
    ) throws(StoreError) -> [StoredRow] {
        try open.rows(of: table, in: account, after: last)
    }

    func sharedRows() throws(StoreError) -> SharedRows { try open.sharedRows() }

    func add(
        _ rows: [StoredRow],
        to table: StoredTable,
        of account: AccountID
    ) throws(StoreError) {
        callsLeft -= 1
        guard callsLeft >= 0 else { throw Self.failure }
        var rows = rows
        if account == self.account, table == bends {
            // The last column is a boolean, or bytes.
            let last = rows[0].count - 1
            if case .integer(let integer) = rows[0][last] {
                rows[0][last] = .integer(1 - integer)
            } else {
                rows[0][last] = .bytes([0])
            }
        }
        try open.add(rows, to: table, of: account)
    }

    func setSharedRows(_ rows: SharedRows) throws(StoreError) {
        let isBent = account != nil && bends == nil
        try open.setSharedRows(
            SharedRows(
                epoch: rows.epoch,
                servedSeconds: rows.servedSeconds + (isBent ? 1 : 0),
                usedNonces: rows.usedNonces,
                secret: rows.secret,
                invitations: rows.invitations
            )
        )
    }

    func finish() throws(StoreError) { try open.finish() }
}
