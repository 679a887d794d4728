internal import Foundation
internal import GRDB

/// Reports how one transaction ended.
///
/// SQLite undoes a transaction by itself when the disk is full. GRDB does not report that to
/// observers; ``isOver`` detects it, and so does the next commit.
final class TransactionWatch: TransactionObserver {
    /// No two transactions of a connection have the same date.
    private let begun: Date
    private unowned let database: Database
    private let whenEnded: (TransactionWatch, _ isCommitted: Bool) -> Void
    private var isCommitted = false

    /// - Parameters:
    ///   - database: the connection, which is in the transaction.
    ///   - whenEnded: called at the end, or at the end of the next transaction.
    /// - Throws: what GRDB throws if there is no date.
    init(
        _ database: Database,
        whenEnded: @escaping (TransactionWatch, _ isCommitted: Bool) -> Void
    ) throws {
        self.database = database
        self.whenEnded = whenEnded
        begun = try database.transactionDate
        database.add(transactionObserver: self, extent: .nextTransaction)
    }

    /// Whether the transaction has ended, also if `whenEnded` was not called.
    var isOver: Bool {
        get throws {
            // Outside a transaction this is the present time.
            try database.transactionDate != begun
        }
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        isCommitted = try !isOver
    }

    func databaseDidCommit(_ database: Database) { whenEnded(self, isCommitted) }

    func databaseDidRollback(_ database: Database) { whenEnded(self, false) }
}
