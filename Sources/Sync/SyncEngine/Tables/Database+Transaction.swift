package import GRDB

extension Database {
    /// What GRDB's `inTransaction` does, with statements that are prepared only once.
    ///
    /// A change takes a few small transactions, and reading BEGIN and COMMIT a tenth of each.
    ///
    /// `body` must not go on after an error of the database: SQLite undoes a transaction by itself
    /// when the disk is full, and later statements would be transactions of their own.
    package func inPreparedTransaction(_ body: () throws -> TransactionCompletion) throws {
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            guard try body() == .commit else { return try rollback() }
            guard isInsideTransaction else {
                throw DatabaseError(resultCode: .SQLITE_ABORT, message: "it was undone")
            }
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
            // The first error says what happened. What cannot be undone was not written either.
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}

extension DatabaseWriter {
    /// What GRDB's `write` does, in ``Database/inPreparedTransaction(_:)``.
    func change<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writeWithoutTransaction { database in
            var result: Result?
            try database.inPreparedTransaction {
                result = try body(database)
                return .commit
            }
            guard let result else { preconditionFailure("a transaction ends with its result") }
            return result
        }
    }
}
