import GRDB
import KSSyncEngine
import Testing

/// What sync remembers of its tables between two steps.
struct KnownTablesTests {
    private let database: DatabaseQueue
    private let known = KnownTables()

    init() throws {
        database = try DatabaseQueue()
        try database.write { try $0.execute(sql: "CREATE TABLE edit (id INTEGER)") }
    }

    @Test
    func `a fact is read again only after a row changed`() throws {
        #expect(try hasNoEdits())
        #expect(try hasNoEdits(reading: false))
        try addEdit()
        #expect(try !hasNoEdits())
        #expect(try !hasNoEdits(reading: true))
    }

    @Test
    func `what was read in a transaction is not kept, as it may be undone`() throws {
        #expect(throws: Undone.self) {
            try database.write { database in
                try database.execute(sql: "INSERT INTO edit VALUES (1)")
                #expect(try !known(\.hasNoEdits, in: database, Self.isEmpty))
                throw Undone()
            }
        }
        #expect(try hasNoEdits())
    }

    @Test(arguments: [true, false])
    func `a transaction's facts are kept only if it was committed`(isCommitted: Bool) throws {
        #expect(try hasNoEdits())
        do {
            try database.write { database in
                try database.execute(sql: "INSERT INTO edit VALUES (1)")
                known.assume(in: database) {
                    try !Self.isEmpty($0)
                } change: {
                    $0.hasNoEdits = false
                }
                if !isCommitted { throw Undone() }
            }
        } catch is Undone {}
        // A fact that is known is not read.
        #expect(try hasNoEdits(reading: true) == !isCommitted)
        try addEdit()
        #expect(try !hasNoEdits())
    }

    @Test
    func `facts of a transaction are dropped if it went on after them`() throws {
        try database.write { database in
            known.assume(in: database) { _ in
                true
            } change: {
                $0.hasNoEdits = true
            }
            try database.execute(sql: "INSERT INTO edit VALUES (1)")
        }
        #expect(try !hasNoEdits())
    }

    /// `reading`: what a look into the table says; nil looks.
    private func hasNoEdits(reading: Bool? = nil) throws -> Bool {
        try database.unsafeRead { database in
            try known(\.hasNoEdits, in: database) { try reading ?? Self.isEmpty($0) }
        }
    }

    private func addEdit() throws {
        try database.write { try $0.execute(sql: "INSERT INTO edit VALUES (2)") }
    }

    private static func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM edit") == 0
    }
}

private struct Undone: Error {}
