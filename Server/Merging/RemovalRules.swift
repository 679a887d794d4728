/// For how long deleted records are kept, and which devices they are kept for.
///
/// All times are in seconds of the store's own time, which passes only while the store is served.
package struct RemovalRules: Hashable, Sendable {
    private static let daySeconds: UInt64 = 86_400
    /// The longest step of the store's own time: a longer one counts as this.
    package static let hourSeconds: UInt64 = 3600

    /// How long a deleted record is kept at least.
    package let keptSeconds: UInt64
    /// How long a device has to be silent until it holds no removal back.
    package let dormantSeconds: UInt64
    /// How far the noted time of a write or contact may be behind: the store's time passes in
    /// steps, and not every contact is noted.
    package let stepSeconds: UInt64

    package init(keptSeconds: UInt64, dormantSeconds: UInt64, stepSeconds: UInt64) {
        self.keptSeconds = keptSeconds
        self.dormantSeconds = dormantSeconds
        self.stepSeconds = stepSeconds
    }

    /// Keeps deleted records for 30 days.
    package init(dormantDays: UInt64 = 90) {
        self.init(
            keptSeconds: 30 * Self.daySeconds,
            dormantSeconds: dormantDays * Self.daySeconds,
            stepSeconds: Self.hourSeconds
        )
    }

    /// The time up to which writes are old enough; nil before anything can be.
    package func oldSeconds(nowSeconds: UInt64) -> UInt64? {
        Self.difference(nowSeconds, keptSeconds + stepSeconds)
    }

    /// The time of the last contact of devices that are dormant now; nil before one can be.
    package func dormantSince(nowSeconds: UInt64) -> UInt64? {
        // A contact is noted once in an hour, and an hour may have passed before it was counted.
        Self.difference(nowSeconds, dormantSeconds + 2 * stepSeconds)
    }

    private static func difference(_ left: UInt64, _ right: UInt64) -> UInt64? {
        left >= right ? left - right : nil
    }

    /// Whether a device holds no removal back.
    package func isDormant(_ contact: MemberContact, nowSeconds: UInt64) -> Bool {
        dormantSince(nowSeconds: nowSeconds).map { contact.seconds <= $0 } ?? false
    }
}

extension AccountStanding {
    /// Decides up to which seq deleted records are removed.
    ///
    /// - Parameters:
    ///   - oldSeq: everything up to this seq was written long enough ago.
    ///   - devices: the last contacts of the circle's devices.
    ///   - rules: who is dormant.
    ///   - nowSeconds: the store's own time.
    /// - Returns: the seq, never below ``removalHorizon``.
    package func nextRemovalHorizon(
        oldSeq: UInt64,
        devices: [MemberContact],
        rules: RemovalRules,
        nowSeconds: UInt64
    ) -> UInt64 {
        let active = devices.filter { !rules.isDormant($0, nowSeconds: nowSeconds) }
        let applied = active.map(\.appliedSeq).min() ?? seq
        return max(removalHorizon, min(oldSeq, applied, seq))
    }
}

/// What a store did in one step of `Store.removeDeleted(from:by:)`.
package struct RemovalStep: Hashable, Sendable {
    package let removedRecords: Int
    /// Whether nothing is left to remove now.
    package let isLast: Bool

    package init(removedRecords: Int, isLast: Bool) {
        self.removedRecords = removedRecords
        self.isLast = isLast
    }
}
