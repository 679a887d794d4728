/// How far a device is in comparing its records with those of a server that went back: one that was
/// restored from a backup, replaced, or that lost something.
///
/// It is kept on the disk. Each step is done again after a kill.
package struct Reconciliation: Equatable, Sendable {
    package enum Step: String, Sendable {
        /// The circle is asked for, and a batch on its way is sent once more.
        case batch
        /// Everything is downloaded, and compared record by record.
        case download
        /// What the server lost goes up. At last its vector is raised to the device's own.
        case upload
    }

    /// How this device learned that the server went back.
    package enum Reason: String, Sendable {
        /// The server's store has another epoch.
        case serverRestored
        /// The server's vector, its seq or one of its records went back.
        case serverWentBack
        /// The server has removed deleted records whose deletion this device has not seen.
        case resyncRequired
    }

    /// Nil once it has ended.
    package var step: Step?
    package let reason: Reason
    /// Not before this time, milliseconds since 1970 by this device's clock, like the others.
    package var dueMilliseconds: UInt64
    /// How often it began, each time within an hour of the time before.
    package let starts: UInt64
    package let startMilliseconds: UInt64
    package var endedMilliseconds: UInt64?
    package var found = Found()

    /// What was found, in records.
    package struct Found: Equatable, Sendable {
        /// The server had lost writes of them, which go up again.
        package var putUp: UInt64 = 0
        /// The server had them again although they were deleted.
        package var deletedAgain: UInt64 = 0
        /// The server lacks them, and no device is known to have deleted them: they stay here.
        package var missing: UInt64 = 0

        package init() {}
    }

    /// How often it may begin before it waits.
    static let startsMax: UInt64 = 3
    private static let hourMilliseconds: UInt64 = 3_600_000
    /// The longest time that a device waits before it sends what the server lost.
    static let spreadMilliseconds: UInt64 = 4000

    /// Begins it; `earlier`: the one before, ended or not.
    ///
    /// A server that says again and again that it was restored is heard ever less often: after
    /// three times the next waits are 1, 2, 4 and up to 60 minutes.
    ///
    /// `counts`: false for one that this device begins by itself.
    init(
        _ reason: Reason,
        after earlier: Reconciliation?,
        counts: Bool = true,
        nowMilliseconds now: UInt64
    ) {
        let isRecent =
            earlier.map { earlier in
                let end = max(earlier.startMilliseconds, earlier.dueMilliseconds)
                return now >= earlier.startMilliseconds && now < end + Self.hourMilliseconds
            } ?? false
        step = .batch
        self.reason = reason
        starts = isRecent ? max(1, (earlier?.starts ?? 0) + (counts ? 1 : 0)) : 1
        startMilliseconds = now
        dueMilliseconds = now
        if counts, starts > Self.startsMax {
            let minutes: UInt64 = min(60, 1 << min(starts - Self.startsMax - 1, 6))
            dueMilliseconds += minutes * 60_000
        }
        // What an unfinished one has found is not found again.
        if let earlier, earlier.step != nil { found = earlier.found }
    }

    init(
        step: Step?,
        reason: Reason,
        dueMilliseconds: UInt64,
        starts: UInt64,
        startMilliseconds: UInt64,
        endedMilliseconds: UInt64?,
        found: Found
    ) {
        self.step = step
        self.reason = reason
        self.dueMilliseconds = dueMilliseconds
        self.starts = starts
        self.startMilliseconds = startMilliseconds
        self.endedMilliseconds = endedMilliseconds
        self.found = found
    }

    /// Whether the device waits because it has begun too often, until `dueMilliseconds`, unless a
    /// person asks it to sync.
    package var hasBegunTooOften: Bool {
        step == .batch && starts > Self.startsMax && dueMilliseconds > startMilliseconds
    }

    /// The time before which nothing may be done.
    ///
    /// A time beyond the longest wait means that the clock was set back.
    func waitEnd(nowMilliseconds now: UInt64) -> UInt64? {
        guard dueMilliseconds > now, dueMilliseconds - now <= Self.hourMilliseconds else {
            return nil
        }
        return dueMilliseconds
    }
}
