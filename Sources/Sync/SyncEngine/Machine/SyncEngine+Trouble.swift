internal import GRDB
internal import Logging
package import KSQueues

// A step of sync that could not use the device's database, disk or key files. The transaction was
// undone; what the replica knows in memory may be of it all the same, so another replica continues
// from what the disk has.

/// Why a step of sync failed on this device.
package struct StepTrouble: Error, Sendable, Equatable {
    package let error: any Error

    package init(_ error: any Error) { self.error = error }

    /// Compares what people read about it.
    package static func == (left: StepTrouble, right: StepTrouble) -> Bool {
        left.kind == right.kind
    }

    /// The kind of the error, without anything of its contents.
    package var kind: String {
        if let error = error as? DatabaseError {
            return "SQLite \(error.extendedResultCode.rawValue)"
        }
        return "\(type(of: error))"
    }
}

extension SyncEngine {
    /// Makes a replica of what the database has now, over a connection that works.
    package typealias Renewal = @Sendable () async throws -> Confined<Replica>

    private static let retryMilliseconds: UInt64 = 10_000

    /// Continues with a new replica: at once after the first failure, later after a wait.
    func overcome(_ error: any Error) async {
        let found = StepTrouble(error)
        logger.error("sync could not use its database", metadata: ["kind": "\(found.kind)"])
        replica.giveUpRequest()
        let isFirst = trouble == nil
        trouble = found
        if isFirst, await renew() { return }
        resumeWaiters(with: .databaseFailed(found))
        await signal.wait(milliseconds: Self.retryMilliseconds)
        _ = await renew()
    }

    /// - Returns: whether a new replica continues; if not, the old one stays and fails again.
    private func renew() async -> Bool {
        do {
            continueWith(try await renewal())
            return true
        } catch {
            logger.error(
                "sync could not start again",
                metadata: ["kind": "\(StepTrouble(error).kind)"]
            )
            return false
        }
    }
}
