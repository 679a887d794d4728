internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords

extension Database {
    /// Runs a statement, which is prepared only once.
    func run(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws {
        try cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }

    /// The rows that a query finds; its statement is prepared only once.
    func rows(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(values))
    }

    /// Reads the first row that a query finds, without copying it; nil if it finds none.
    ///
    /// Its statement is prepared only once.
    func firstRow<Result>(_ sql: String, _ body: (Row) throws -> Result) throws -> Result? {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql))
        // The row is the statement's, which the end of the cursor resets.
        return try withExtendedLifetime(rows) { try rows.next().map(body) }
    }

    /// Whether a query finds a row; its statement is prepared only once.
    func hasRow(_ sql: String) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT EXISTS (\(sql))")) ?? false
    }
}

extension Row {
    func bytes(_ column: String) -> [UInt8] {
        Array(self[column] as Data)
    }

    func fixed<Value: FixedBytes>(_ column: String) throws(SyncEngineError) -> Value {
        try Value(bytes(column)).orCorrupt()
    }

    func actor() throws(SyncEngineError) -> ActorID {
        try Self.actor(bytes("actor"))
    }

    private static func actor(_ bytes: [UInt8]) throws(SyncEngineError) -> ActorID {
        guard bytes.count == 8 else { throw .corruptDatabase }
        return ActorID(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// A number that is never negative.
    func unsigned(_ column: String) throws(SyncEngineError) -> UInt64 {
        try UInt64(exactly: self[column] as Int64).orCorrupt()
    }

    // MARK: By position

    private func bytes(at index: Int) -> [UInt8] {
        Array(self[index] as Data)
    }

    func fixed<Value: FixedBytes>(at index: Int) throws(SyncEngineError) -> Value {
        try Value(bytes(at: index)).orCorrupt()
    }

    func actor(at index: Int) throws(SyncEngineError) -> ActorID {
        try Self.actor(bytes(at: index))
    }

    func unsigned(at index: Int) throws(SyncEngineError) -> UInt64 {
        try UInt64(exactly: self[index] as Int64).orCorrupt()
    }
}

extension Optional {
    /// The value; only a damaged database lacks it.
    package func orCorrupt() throws(SyncEngineError) -> Wrapped {
        guard let self else { throw .corruptDatabase }
        return self
    }
}

extension FixedBytes {
    var column: Data { Data(bytes) }
}

extension ActorID {
    var column: Data {
        var encoder = CanonicalEncoder()
        encoder.integer(rawValue)
        return Data(encoder.encoded)
    }
}

extension RawRepresentable<UInt64> {
    /// Reads a column; only a newer program can have written a value that is unknown here.
    init(column: Int64) throws(SyncEngineError) {
        self = try Self(rawValue: UInt64(bitPattern: column)).orCorrupt()
    }

    var column: Int64 { Int64(rawValue) }
}

extension UInt64 {
    var column: Int64 { Int64(self) }
}

extension [UInt8] {
    var column: Data { Data(self) }
}
