package import KSCausality
package import KSDigests
package import KSRecords
package import KSDeviceKeys

/// Who this device is in its account, and how far it has synced.
package struct SyncState: Equatable, Sendable {
    package let account: AccountID
    package let member: MemberID
    /// The current actor, and the counter of its last sealed write.
    package var actor: ActorID
    package var counter: UInt64 = 0
    package var chain = Hash.zero
    /// The highest time this device has ever put into a stamp.
    package var ownTime = HybridTime.zero
    package var epoch: StoreEpoch
    /// Nil before the first page, and while everything has to be pulled again.
    package var cursor: Cursor?
    /// While everything is pulled again, the seq up to which this device has missed no removal of a
    /// deleted record; nil otherwise, when the cursor says it.
    package var completeSeq: UInt64?
    package var circleVersion: UInt64
    package var circleHash: Hash
    package var hold: Hold?
    /// Milliseconds since 1970 by this device's clock.
    package var lastSuccessMilliseconds: UInt64?
    /// The last date that the server gave, milliseconds since 1970.
    ///
    /// After a start it caps the device's clock, if anything too low, until a newer date arrives.
    package var serverDateMilliseconds: UInt64?

    /// Why sync is paused until the user acts.
    package enum Hold: String, Sendable {
        /// The server's circle does not extend the one this device knows.
        case circleForked
    }

    /// The state of a device that has just joined.
    package init(
        account: AccountID,
        member: MemberID,
        epoch: StoreEpoch,
        circle: CircleChain,
        random: any RandomSource
    ) {
        self.account = account
        self.member = member
        actor = ActorID(rawValue: random.integer())
        self.epoch = epoch
        circleVersion = circle.newest.version
        circleHash = circle.newestHash
    }

    /// The part that is kept beside the device secret too.
    package var pins: DevicePins {
        DevicePins(actor: actor, circleVersion: circleVersion, circleHash: circleHash)
    }

    /// Makes the next pull start from the beginning, for what cannot be read here.
    package mutating func askForAll() {
        completeSeq = completeSeq ?? cursor?.seq
        cursor = nil
    }

    /// Switches to a new actor; the one before is never used again.
    package mutating func take(_ actor: ActorID) {
        self.actor = actor
        counter = 0
        chain = .zero
    }
}
