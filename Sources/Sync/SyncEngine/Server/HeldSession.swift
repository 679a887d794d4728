internal import KSRecords

/// A session and when to renew it, by a monotonic clock.
package struct HeldSession: Sendable {
    /// How long before its end a session is renewed, since a request takes time.
    private static let spareSeconds: UInt64 = 30

    let session: ServerSession
    package let endMilliseconds: UInt64

    package init(_ session: ServerSession, fromMilliseconds start: UInt64) {
        self.session = session
        let lifetime = min(session.lifetimeSeconds, Limits.sessionSeconds)
        endMilliseconds = start + (lifetime - min(Self.spareSeconds, lifetime / 2)) * 1000
    }
}
