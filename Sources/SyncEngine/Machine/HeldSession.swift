internal import KSRecords

/// A session and when to open another one, by a clock that nobody can set.
struct HeldSession: Sendable {
    /// Another one is opened so long before the end, for a request takes its time.
    private static let spareSeconds: UInt64 = 30

    let session: Session
    let endMilliseconds: UInt64

    init(_ session: Session, fromMilliseconds start: UInt64) {
        self.session = session
        let lifetime = min(session.lifetimeSeconds, Limits.sessionSeconds)
        endMilliseconds = start + (lifetime - min(Self.spareSeconds, lifetime / 2)) * 1000
    }
}
