internal import GRDB
internal import KSKeychain

/// Reports how the transactions ended in which ``begin()`` was called.
///
/// SQLite undoes a transaction by itself when the disk is full. GRDB does not report that to
/// observers; ``isOver`` detects it, and so does the next commit.
///
/// It observes one connection for good: adding an observer makes GRDB prepare all deleting
/// statements again.
final class TransactionWatch: TransactionObserver {
    private unowned let database: Database
    private let counter: TransactionCounter
    private let whenEnded: (_ isCommitted: Bool) -> Void
    /// The number of the transaction that is watched.
    private var begun: Int?

    /// - Parameters:
    ///   - database: the connection.
    ///   - whenEnded: called at the end of a watched transaction, or at the end of the next one.
    init(_ database: Database, whenEnded: @escaping (_ isCommitted: Bool) -> Void) {
        self.database = database
        counter = database.transactionCounter
        self.whenEnded = whenEnded
        database.add(transactionObserver: self, extent: .observerLifetime)
    }

    /// Watches the open transaction.
    func begin() {
        if begun == nil { begun = counter.current }
    }

    /// Whether a watched transaction has ended without a call of `whenEnded`.
    var isOver: Bool {
        begun != nil && (!database.isInsideTransaction || isFollowed)
    }

    /// Watches no transaction any more.
    func end() { begun = nil }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ database: Database) { report(!isFollowed) }

    func databaseDidRollback(_ database: Database) { report(false) }

    /// Whether another transaction has begun since the watched one.
    private var isFollowed: Bool { begun != counter.current }

    private func report(_ isCommitted: Bool) {
        guard begun != nil else { return }
        end()
        whenEnded(isCommitted)
    }
}
