internal import KSRecords
internal import KSSealing

extension ProtectionClass {
    /// How a column of the database names a class.
    ///
    /// A class that this program does not know can only come from a newer one.
    init(column: Int64) throws(SyncEngineError) {
        self = try ProtectionClass(rawValue: UInt64(bitPattern: column)).orCorrupt()
    }

    var column: Int64 { Int64(rawValue) }
}

extension RecordKind {
    /// A kind that this program does not know can only come from a newer one.
    init(column: Int64) throws(SyncEngineError) {
        self = try RecordKind(rawValue: UInt64(bitPattern: column)).orCorrupt()
    }

    var column: Int64 { Int64(rawValue) }
}
