internal import Foundation
internal import GRDB

/// Reports how the transactions ended in which ``begin()`` was called.
///
/// SQLite undoes a transaction by itself when the disk is full. GRDB does not report that to
/// observers; ``isOver`` detects it, and so does the next commit.
///
/// It observes one connection for good: adding an observer makes GRDB prepare all deleting
/// statements again.
final class TransactionWatch: TransactionObserver {
    private unowned let database: Database
    private let whenEnded: (_ isCommitted: Bool) -> Void
    /// The date of the transaction that is watched; no two of a connection have the same.
    private var begun: Date?
    private var isCommitted = false

    /// - Parameters:
    ///   - database: the connection.
    ///   - whenEnded: called at the end of a watched transaction, or at the end of the next one.
    init(_ database: Database, whenEnded: @escaping (_ isCommitted: Bool) -> Void) {
        self.database = database
        self.whenEnded = whenEnded
        database.add(transactionObserver: self, extent: .observerLifetime)
    }

    /// Watches the present transaction.
    ///
    /// - Throws: what GRDB throws if there is no date.
    func begin() throws {
        if begun == nil { begun = try database.transactionDate }
    }

    /// Whether a watched transaction has ended without a call of `whenEnded`.
    var isOver: Bool {
        get throws {
            // Outside a transaction this is the present time.
            try begun.map { try database.transactionDate != $0 } ?? false
        }
    }

    /// Watches no transaction any more.
    func end() { begun = nil }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        isCommitted = try !isOver
    }

    func databaseDidCommit(_ database: Database) { report(isCommitted) }

    func databaseDidRollback(_ database: Database) { report(false) }

    private func report(_ isCommitted: Bool) {
        guard begun != nil else { return }
        end()
        whenEnded(isCommitted)
    }
}
