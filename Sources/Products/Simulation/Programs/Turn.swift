internal import Foundation

/// Lets one thread at a time use a world: a program of a story may have tasks of its own.
final class Turn: Sendable {
    private let lock = NSRecursiveLock()

    /// Runs `body` while no other thread uses the world; calls may nest.
    func take<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Lets other threads use the world during `body`, in the middle of one turn.
    func pause(_ body: () -> Void) {
        lock.unlock()
        defer { lock.lock() }
        body()
    }
}
