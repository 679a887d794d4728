/// How much an account may hold, with its circle.
package struct AccountQuota: Hashable, Sendable {
    /// An account counts as new for a week for which the server ran.
    package static let newSeconds: UInt64 = 7 * 86_400

    /// A quota of an account's own that stands for no limit.
    package static let unlimited = UInt64(Int64.max)

    /// For every account that has no quota of its own; nil for no limit.
    package var bytesMax: UInt64?
    /// For one that anybody could make, in its first week; nil for the same as later.
    package var newBytesMax: UInt64?

    package init(bytesMax: UInt64? = nil, newBytesMax: UInt64? = nil) {
        (self.bytesMax, self.newBytesMax) = (bytesMax, newBytesMax)
    }

    /// What counts for an account.
    ///
    /// - Parameters:
    ///   - own: the quota that an operator gave it; nil for none.
    ///   - ageSeconds: how long it has existed, by the store's own time.
    /// - Returns: how many bytes it may hold; nil for no limit.
    package func bytesMax(own: UInt64?, ageSeconds: UInt64) -> UInt64? {
        if let own { return own < Self.unlimited ? own : nil }
        guard let newBytesMax, ageSeconds < Self.newSeconds else { return bytesMax }
        return min(newBytesMax, bytesMax ?? .max)
    }
}
