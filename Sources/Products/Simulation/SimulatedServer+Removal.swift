internal import Foundation
internal import GRDB
internal import KSMerging
internal import KSRecords
internal import KSStore

extension SimulatedServer {
    /// How many seconds of the store's time pass in a second of a random world, which lasts some
    /// minutes.
    ///
    /// A store renews a member's unchanged contact once an hour. That is less than a second there,
    /// and little beside the times of the rules, as on a real server.
    private var storeSeconds: UInt64 { settings.isStory ? 1 : 10_000 }

    /// In seconds of the store's time.
    private var rules: RemovalRules {
        if settings.isStory { return RemovalRules() }
        // Where the server can go back, no device is away for too long.
        let dormantSeconds = settings.losesWrites ? Self.longSeconds : 120
        return RemovalRules(
            keptSeconds: 20 * storeSeconds,
            dormantSeconds: dormantSeconds * storeSeconds,
            stepSeconds: storeSeconds
        )
    }

    /// Longer than any world, in its seconds.
    private static var longSeconds: UInt64 { 1_000_000 }

    /// Lets much time pass before there is anything in the store, where no device becomes dormant.
    ///
    /// Members that were last heard of before that are dormant.
    func passLongTime() throws {
        // Members that nobody uses would hold removal back for that long.
        if settings.isStory { return try store.passTime(seconds: 2 * rules.dormantSeconds) }
        guard settings.losesWrites, settings.removalProbability > 0 else { return }
        try store.passTime(seconds: 2 * Self.longSeconds * storeSeconds)
    }

    /// Makes the members dormant that nobody uses, where no device becomes dormant: otherwise the
    /// server would wait for them, and remove nothing.
    ///
    /// A store forgets in a new epoch who is dormant.
    func noteUnusedMembers() throws {
        guard settings.isStory || settings.losesWrites && settings.removalProbability > 0 else {
            return
        }
        try database.write { database in
            for member in try Data.fetchAll(database, sql: "SELECT id FROM member")
            where !used.contains(where: { Data($0.bytes) == member }) {
                try database.execute(
                    sql: "UPDATE member SET last_contact_seconds = 0 WHERE id = ?",
                    arguments: [member]
                )
            }
        }
    }

    /// Counts the time since the last request.
    func passTime() throws {
        // On a full disk, that is made up for once there is room.
        guard !disk.isFull else { return }
        let seconds = (clock.milliseconds - removal.countedMilliseconds) / 1000
        try store.passTime(seconds: seconds * storeSeconds)
        removal.countedMilliseconds += seconds * 1000
    }

    /// Removes what may be removed, and checks that it may.
    ///
    /// - Parameters:
    ///   - bug: a deliberate bug, if any.
    ///   - isClockSet: whether the clock jumps ten years ahead, and the store believes it.
    /// - Throws: ``WorldFailure/removedEarly``, and what the store throws.
    /// - Returns: how many records were removed.
    func removeDeleted(_ bug: PlantedBug?, isClockSet: Bool) throws -> Int {
        try disk.withPower { try removeDeletedWithPower(bug, isClockSet: isClockSet) }
    }

    private func removeDeletedWithPower(_ bug: PlantedBug?, isClockSet: Bool) throws -> Int {
        try passTime()
        if isClockSet { try store.passTime(seconds: 315_576_000 * storeSeconds) }
        if bug == .removesEarly {
            try run("UPDATE member SET last_contact_seconds = 0")
        }
        let before = try removalHorizon()
        var count = 0
        var isLast = false
        while !isLast {
            let step = try store.removeDeleted(from: account, by: rules)
            count += step.removedRecords
            isLast = step.isLast
        }
        let after = try removalHorizon()
        let isAllowed = removal.allows(
            removalUpTo: after,
            keptMilliseconds: rules.keptSeconds / storeSeconds * 1000,
            dormantMilliseconds: rules.dormantSeconds / storeSeconds * 1000,
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

    /// Up to which seq it has removed deleted records.
    func removalHorizon() throws -> UInt64 {
        let seq = try database.unsafeRead { database in
            try Int64.fetchOne(database, sql: "SELECT max(removal_horizon) FROM account")
        }
        return UInt64(seq ?? 0)
    }

    private func run(_ sql: String) throws {
        try database.write { try $0.execute(sql: sql) }
    }
}
