package import KSRecords
package import KSSealing
internal import Synchronization

/// The circles that a world's account has had, and its newest key ring.
///
/// A device keeps the version of its circle in its database, and finds the circle here: reading one
/// again checks all of its signatures, which would cost more than the rest of a world.
package final class AccountCircles: Sendable {
    private let contents: Mutex<(chains: [UInt64: CircleChain], newest: UInt64, ring: KeyRing)>

    package init(of fixture: AccountFixture) {
        let version = fixture.circle.newest.version
        contents = Mutex(([version: fixture.circle], version, fixture.keyRing))
    }

    package var newest: CircleChain { chain(version: contents.withLock { $0.newest }) }

    package var newestRing: KeyRing { contents.withLock { $0.ring } }

    package func chain(version: UInt64) -> CircleChain {
        guard let chain = contents.withLock({ $0.chains[version] }) else {
            preconditionFailure("a device has a circle that the server never had")
        }
        return chain
    }

    /// Adds an entry that the server has accepted.
    ///
    /// `author`: its author, or any other member that can open the new ring.
    func append(_ change: CircleChange, openedBy author: DeviceIdentity) throws {
        var chain = newest
        try chain.append(change.entry)
        let envelope = change.envelopes.first { $0.member == author.memberID }
        guard let envelope else { throw SealingError.notMember }
        let ring = try AccountOpening.openKeyRing(
            envelope: envelope,
            of: chain.newest,
            identity: author,
            current: newestRing
        )
        let added = chain
        contents.withLock { contents in
            contents.chains[added.newest.version] = added
            contents.newest = added.newest.version
            contents.ring = ring
        }
    }
}
