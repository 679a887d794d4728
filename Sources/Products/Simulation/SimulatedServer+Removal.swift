internal import Foundation
internal import GRDB
internal import KSMerging
internal import KSRecords
internal import KSStore

extension SimulatedServer {
    /// All times are short: a world lasts some minutes.
    private var rules: RemovalRules {
        // Where the server can go back, no device is away for too long.
        let dormantSeconds: UInt64 = settings.losesWrites ? 1_000_000 : 120
        return RemovalRules(keptSeconds: 20, dormantSeconds: dormantSeconds, stepSeconds: 1)
    }

    /// Counts the time since the last request.
    func passTime() throws {
        let seconds = (clock.milliseconds - removal.countedMilliseconds) / 1000
        try store.passTime(seconds: seconds)
        removal.countedMilliseconds += seconds * 1000
    }

    /// Removes what may be removed, and checks that it may.
    ///
    /// - Parameters:
    ///   - bug: a deliberate bug, if any.
    ///   - isClockSet: whether the clock jumps ten years ahead, and the store believes it.
    /// - Throws: ``WorldFailure/removedEarly``, and what the store throws.
    /// - Returns: how many records were removed.
    func removeDeleted(_ bug: RemovalBug?, isClockSet: Bool) throws -> Int {
        try passTime()
        if isClockSet { try store.passTime(seconds: 315_576_000) }
        if bug == .removesEarly {
            try run("UPDATE member SET last_contact_seconds = 0")
        }
        let before = try horizon()
        var count = 0
        var isLast = false
        while !isLast {
            let step = try store.removeDeleted(from: account, by: rules)
            count += step.removedRecords
            isLast = step.isLast
        }
        let after = try horizon()
        let isAllowed = removal.allows(
            removalUpTo: after,
            keptMilliseconds: rules.keptSeconds * 1000,
            dormantMilliseconds: rules.dormantSeconds * 1000,
            nowMilliseconds: clock.milliseconds
        )
        guard after == before || isAllowed else { throw WorldFailure.removedEarly }
        switch bug {
        case .forgetsHorizon: try run("UPDATE account SET removal_horizon = 0")
        case .forgetsAnswers: try run("DELETE FROM accepted_batch")
        default: break
        }
        return count
    }

    private func horizon() throws -> UInt64 {
        let seq = try database.unsafeRead { database in
            try Int64.fetchOne(database, sql: "SELECT max(removal_horizon) FROM account")
        }
        return UInt64(seq ?? 0)
    }

    private func run(_ sql: String) throws {
        try database.write { try $0.execute(sql: sql) }
    }
}
