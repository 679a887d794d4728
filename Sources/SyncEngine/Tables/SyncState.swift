package import KSCausality
package import KSRecords

/// Who this device is to its account, and up to where it has come.
package struct SyncState: Equatable, Sendable {
    package let account: AccountID
    package let member: MemberID
    /// The current actor, and its last sealed write.
    package var actor: ActorID
    package var counter: UInt64
    package var chain: Hash
    /// The highest time this device has ever put into a stamp.
    package var ownTime: HybridTime
    package var epoch: StoreEpoch
    /// Nil before the first page.
    package var cursor: Cursor?
    package var circleVersion: UInt64
    package var circleHash: Hash
    package var hold: Hold?
    /// Milliseconds since 1970 by this device's clock.
    package var lastSuccessMilliseconds: UInt64?
    /// The server's date when it was last heard, milliseconds since 1970.
    ///
    /// After a start it caps the clock until the server is heard again: a date in the past only
    /// makes the cap lower.
    package var serverDateMilliseconds: UInt64?

    /// Why nothing is sent or taken until the user has looked.
    package enum Hold: String, Sendable {
        /// The server speaks of another life of its store.
        case serverRestored
        /// The server's version vector went back.
        case serverWentBack
        /// The server's circle does not extend the one this device knows.
        case circleForked
        /// This device is older than what the server removed since.
        case resyncRequired
    }

    /// The state of a device that has just joined.
    package init(
        account: AccountID,
        member: MemberID,
        actor: ActorID,
        epoch: StoreEpoch,
        circleVersion: UInt64,
        circleHash: Hash
    ) {
        self.account = account
        self.member = member
        self.actor = actor
        counter = 0
        chain = .zero
        ownTime = .zero
        self.epoch = epoch
        cursor = nil
        self.circleVersion = circleVersion
        self.circleHash = circleHash
        hold = nil
        lastSuccessMilliseconds = nil
        serverDateMilliseconds = nil
    }

    /// Begins to write as another actor: the one before is never used again.
    package mutating func take(_ actor: ActorID) {
        self.actor = actor
        counter = 0
        chain = .zero
    }
}
