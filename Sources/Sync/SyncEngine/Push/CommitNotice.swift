internal import GRDB
internal import Synchronization

/// Calls a function once after the commit of each transaction that armed it.
///
/// It observes one connection for good: adding an observer makes GRDB prepare all deleting
/// statements again.
final class CommitNotice: TransactionObserver, Sendable {
    private let isObserving = Atomic(false)
    private let isArmed = Atomic(false)
    private let whenCommitted: @Sendable () -> Void

    init(_ whenCommitted: @escaping @Sendable () -> Void) {
        self.whenCommitted = whenCommitted
    }

    /// Arms the call for the current transaction; a second call in it does nothing.
    ///
    /// `database`: always the same connection.
    func arm(in database: Database) {
        if !isObserving.exchange(true, ordering: .acquiringAndReleasing) {
            database.add(transactionObserver: self, extent: .observerLifetime)
        }
        isArmed.store(true, ordering: .releasing)
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ database: Database) {
        if isArmed.exchange(false, ordering: .acquiringAndReleasing) { whenCommitted() }
    }

    func databaseDidRollback(_ database: Database) {
        isArmed.store(false, ordering: .releasing)
    }
}
