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
        let bytes = bytes("actor")
        guard bytes.count == 8 else { throw .corruptDatabase }
        return ActorID(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// A number that is never negative.
    func unsigned(_ column: String) throws(SyncEngineError) -> UInt64 {
        try UInt64(exactly: self[column] as Int64).orCorrupt()
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
