internal import GRDB
internal import GRDBSQLite

/// A value that a ``FastSelect`` binds.
enum BoundValue: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    static func boolean(_ value: Bool) -> Self { .integer(value ? 1 : 0) }
}

/// A SELECT statement that is run by SQLite's own calls.
///
/// A search by key takes some ten microseconds. A database library's cursors, values and argument
/// lists would take most of them, so this one path avoids them. The connection compiles the
/// statement and keeps it.
@safe
struct FastSelect {
    private let statement: OpaquePointer
    private let database: Database

    /// - Throws: GRDB's `DatabaseError`.
    init(_ sql: String, in database: Database) throws {
        unsafe statement = try database.cachedStatement(sql: sql).sqliteStatement
        self.database = database
    }

    /// Calls the visitor with each row, until it returns false.
    ///
    /// A row's columns are valid only while the visitor runs.
    ///
    /// - Throws: GRDB's `DatabaseError`, or what the visitor throws.
    func visit(_ values: [BoundValue], _ visitor: (FastRow) throws -> Bool) throws {
        defer {
            unsafe sqlite3_reset(statement)
            // The values searched for must not stay in the connection.
            unsafe sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            try check(bind(value, at: Int32(index + 1)))
        }
        let row = unsafe FastRow(statement: statement)
        while true {
            let status = unsafe sqlite3_step(statement)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { throw error(status) }
            guard try visitor(row) else { return }
        }
    }

    private func bind(_ value: BoundValue, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, which is a cast in C: SQLite makes a copy of its own.
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .integer(let number):
            return unsafe sqlite3_bind_int64(statement, index, number)
        case .text(let text):
            let count = Int32(text.utf8.count)
            return unsafe sqlite3_bind_text(statement, index, text, count, copied)
        case .bytes(let bytes):
            // An empty array has no address, and SQLite would bind a null.
            guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(statement, index, 0) }
            return unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), copied)
        }
    }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else { throw error(status) }
    }

    private func error(_ status: Int32) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: status), message: database.lastErrorMessage)
    }
}

/// The current row of a ``FastSelect``.
@safe
struct FastRow {
    private let statement: OpaquePointer

    fileprivate init(statement: OpaquePointer) {
        unsafe self.statement = statement
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    /// The column's bytes; empty for a null.
    func bytes(_ column: Int32) -> [UInt8] {
        // In this order, because asking for the bytes may convert the column.
        let start = unsafe sqlite3_column_blob(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}
