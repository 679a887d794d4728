package import GRDB
package import KSCausality

/// What each step of sync asks the tables, read once and kept until a row changes.
///
/// Only this device's writing connection changes rows, and SQLite counts its changes.
package final class KnownTables {
    /// The count of changes at which the facts were read.
    private var changes: Int?
    /// The connection over which they were read, whose changes are counted.
    private weak var connection: Database?
    private var facts = Facts()

    package init() {}

    package struct Facts {
        /// Nil before it is read; the inner nil is a device without an account.
        package var state: SyncState??
        package var vector: VersionVector?
        package var hasBatch: Bool?
        package var hasNoEdits: Bool?
        package var isNothingWaiting: Bool?
        /// Nil before it is read; the inner nil says that no record is to be written back.
        package var rewriteTimes: ClosedRange<UInt64>??
    }

    /// Facts of an open transaction: valid once `isCommitted` says so.
    private var assumed: (changes: Int, facts: Facts, isCommitted: (Database) throws -> Bool)?

    /// Keeps the facts over the open transaction, except for those that it changes.
    ///
    /// - Parameters:
    ///   - database: in the transaction, whose last change was made.
    ///   - isCommitted: whether the transaction was not undone; asked after its end.
    ///   - change: changes the facts as the transaction changes the tables.
    package func assume(
        in database: Database,
        isCommitted: @escaping (Database) throws -> Bool,
        change: (inout Facts) -> Void
    ) {
        var facts = facts
        change(&facts)
        assumed = (database.totalChangesCount, facts, isCommitted)
    }

    /// - Returns: the fact, by `load` unless it is known.
    package func callAsFunction<Value>(
        _ fact: WritableKeyPath<Facts, Value?>,
        in database: Database,
        _ load: (Database) throws -> Value
    ) throws -> Value {
        let count = database.totalChangesCount
        if count != changes || connection !== database {
            // A transaction may be undone, and SQLite counts its changes all the same.
            guard !database.isInsideTransaction else { return try load(database) }
            if let assumed, assumed.changes == count, connection === database,
                try assumed.isCommitted(database)
            {
                facts = assumed.facts
            } else {
                facts = Facts()
            }
            assumed = nil
            changes = count
            connection = database
        }
        if let known = facts[keyPath: fact] { return known }
        let value = try load(database)
        facts[keyPath: fact] = value
        return value
    }
}
