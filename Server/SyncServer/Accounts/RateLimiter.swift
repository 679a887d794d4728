internal import Synchronization

/// Limits how often each address, or each account, may do something, with a token bucket for each.
package final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var updatedMilliseconds: UInt64
    }

    /// Above this number the fullest buckets are dropped, since they restrict least.
    private static let bucketsMax = 16_384

    private let burst: Double
    private let perSecond: Double
    private let clock: WallClock
    private let buckets = Mutex<[String: Bucket]>([:])

    package init(burst: Int, perSecond: Double, clock: WallClock) {
        self.burst = Double(burst)
        self.perSecond = perSecond
        self.clock = clock
    }

    convenience init(perMinute count: Int, clock: WallClock) {
        self.init(burst: count, perSecond: Double(count) / 60, clock: clock)
    }

    /// How many seconds the address has to wait; nil if it may act now.
    ///
    /// `cost`: in tokens; what costs more than a full bucket costs a full one.
    package func secondsToWait(address: String, cost: Double = 1) -> Int? {
        let cost = min(cost, burst)
        let now = clock.milliseconds()
        return buckets.withLock { buckets in
            if buckets[address] == nil, buckets.count >= Self.bucketsMax {
                forgetFullest(&buckets, now: now)
            }
            let bucket = buckets[address] ?? Bucket(tokens: burst, updatedMilliseconds: now)
            let tokens = tokens(in: bucket, now: now)
            let isAdmitted = tokens >= cost
            let left = isAdmitted ? tokens - cost : tokens
            buckets[address] = Bucket(tokens: left, updatedMilliseconds: now)
            return isAdmitted ? nil : max(1, Int(((cost - tokens) / perSecond).rounded(.up)))
        }
    }

    private func tokens(in bucket: Bucket, now: UInt64) -> Double {
        // A clock that was set back adds no tokens.
        let elapsed = now > bucket.updatedMilliseconds ? now - bucket.updatedMilliseconds : 0
        return min(burst, bucket.tokens + Double(elapsed) / 1000 * perSecond)
    }

    private func forgetFullest(_ buckets: inout [String: Bucket], now: UInt64) {
        // Drops half of them by number. Dropping all above a level could drop every bucket, and
        // give exhausted addresses new tokens.
        let emptiest = buckets.map { (tokens: tokens(in: $0.value, now: now), address: $0.key) }
            .sorted { ($0.tokens, $0.address) < ($1.tokens, $1.address) }
            .prefix(buckets.count / 2)
        let kept = Set(emptiest.map(\.address))
        buckets = buckets.filter { kept.contains($0.key) }
    }
}
