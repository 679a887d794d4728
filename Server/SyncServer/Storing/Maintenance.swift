internal import KSMerging
internal import KSRecords
internal import KSStore
internal import Logging
internal import ServiceLifecycle

/// Removes what no device needs any more, at the start and then each hour.
struct Maintenance: Service {
    private static let interval = Duration.seconds(RemovalRules.hourSeconds - 60)

    let service: SyncService
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // It stands still while the machine sleeps, when no device can be served. A clock that
            // is set does not move it.
            let clock = SuspendingClock()
            var counted = clock.now
            repeat {
                let seconds = UInt64(clamping: counted.duration(to: clock.now).components.seconds)
                guard await maintain(afterSeconds: seconds) else { continue }
                counted = counted.advanced(by: .seconds(Int64(clamping: seconds)))
                // Only a cancellation ends the sleep early.
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// - Returns: whether the time was counted.
    private func maintain(afterSeconds seconds: UInt64) async -> Bool {
        do {
            try await service.passTime(seconds: seconds)
        } catch {
            logger.error("the store cannot be maintained: \(error)")
            return false
        }
        do {
            let count = try await service.removeDeleted()
            guard count > 0 else { return true }
            logger.info("deleted records were removed", metadata: ["records": "\(count)"])
        } catch {
            logger.error("deleted records cannot be removed: \(error)")
        }
        return true
    }
}

extension SyncService {
    /// How many accounts are looked up at once.
    private static let accountsMax = 100

    /// Counts time in which the store was served, at most an hour: what was written since has an
    /// hour more until it is old.
    package func passTime(seconds: UInt64) async throws {
        let seconds = min(seconds, RemovalRules.hourSeconds)
        try await store.write { try $0.passTime(seconds: seconds) }
    }

    /// Removes what no device needs any more, in short steps: pushes go on between two of them.
    ///
    /// - Returns: how many deleted records were removed.
    @discardableResult
    package func removeDeleted() async throws -> Int {
        var count = 0
        var last: AccountID?
        while true {
            let accounts = try await store.read { [last] in
                try $0.accounts(after: last, countMax: Self.accountsMax)
            }
            for account in accounts { count += try await removeDeleted(from: account) }
            guard let next = accounts.last else { break }
            last = next
        }
        while !Task.isCancelled, try await store.write({ try $0.giveSpaceBack() }) {}
        return count
    }

    private func removeDeleted(from account: AccountID) async throws -> Int {
        var count = 0
        do {
            while !Task.isCancelled {
                let step = try await store.write { [rules = options.removal] in
                    try $0.removeDeleted(from: account, by: rules)
                }
                count += step.removedRecords
                if step.isLast { break }
            }
        } catch StoreError.notFound {
            // Its owner has deleted it meanwhile.
        }
        return count
    }
}
