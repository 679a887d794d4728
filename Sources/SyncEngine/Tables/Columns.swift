internal import KSRecords
internal import KSSealing

extension ProtectionClass {
    /// Reads the class in a column.
    ///
    /// Only a newer program can have written a class that is unknown here.
    init(column: Int64) throws(SyncEngineError) {
        self = try ProtectionClass(rawValue: UInt64(bitPattern: column)).orCorrupt()
    }

    var column: Int64 { Int64(rawValue) }
}

extension RecordKind {
    /// Reads the kind in a column; only a newer program can have written one that is unknown here.
    init(column: Int64) throws(SyncEngineError) {
        self = try RecordKind(rawValue: UInt64(bitPattern: column)).orCorrupt()
    }

    var column: Int64 { Int64(rawValue) }
}
