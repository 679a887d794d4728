internal import GRDB
internal import Synchronization

/// Calls a function once after the commit of each transaction that armed it.
final class CommitNotice: Sendable {
    private let isArmed = Mutex(false)
    private let whenCommitted: @Sendable () -> Void

    init(_ whenCommitted: @escaping @Sendable () -> Void) {
        self.whenCommitted = whenCommitted
    }

    /// Arms the call for the current transaction; a second call in it does nothing.
    func arm(in database: Database) {
        let wasArmed = isArmed.withLock { isArmed in
            defer { isArmed = true }
            return isArmed
        }
        guard !wasArmed else { return }
        database.afterNextTransaction { _ in
            self.isArmed.withLock { $0 = false }
            self.whenCommitted()
        } onRollback: { _ in
            self.isArmed.withLock { $0 = false }
        }
    }
}
