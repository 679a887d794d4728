internal import GRDB
internal import Synchronization

/// Calls a function once after the commit of each transaction that armed it.
final class CommitNotice: Sendable {
    private let isArmed = Atomic(false)
    private let whenCommitted: @Sendable () -> Void

    init(_ whenCommitted: @escaping @Sendable () -> Void) {
        self.whenCommitted = whenCommitted
    }

    /// Arms the call for the current transaction; a second call in it does nothing.
    func arm(in database: Database) {
        guard !isArmed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        database.afterNextTransaction { _ in
            self.isArmed.store(false, ordering: .releasing)
            self.whenCommitted()
        } onRollback: { _ in
            self.isArmed.store(false, ordering: .releasing)
        }
    }
}
