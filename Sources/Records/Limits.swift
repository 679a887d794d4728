/// Every bound of the protocol, in one place: what is larger is refused with a code, never cut.
package enum Limits {
    /// The box of one envelope.
    package static let boxBytesMax = 1 << 20
    /// What a record may hold: padded it is 512 KiB, the next larger box would pass
    /// ``boxBytesMax``.
    package static let recordTextBytesMax = (512 << 10) - 8
    package static let batchRecordsMax = 500
    package static let batchBytesMax = 4 << 20
    package static let pageRecordsMax = 500
    package static let pageBytesMax = 4 << 20
    /// Concurrent writes of one record; one more is refused until they are joined.
    package static let siblingsMax = 32
    /// The dots one write replaces: those of its author's mirror, and of what it keeps of a deleted
    /// record.
    package static let replacedMax = 2 * siblingsMax
    /// How many of an actor's last batches get the same answer again.
    package static let retriableBatchesMax = 64
    /// Entries of a circle: devices, credentials and recovery keys together.
    package static let membersMax = 100
    /// The author's signature of an entry, and where one is needed a second member's.
    package static let entrySignaturesMax = 2
    package static let keyEnvelopeBytesMax = 64 << 10
    /// Entries of an account's circle.
    ///
    /// Beyond it, and beyond ``circleBytesMax``, an entry may still revoke: that goes on only as
    /// long as there are members to remove.
    package static let circleEntriesMax = 10_000
    package static let circleBytesMax = 16 << 20
    /// A whole sign-up: several times what a genesis takes, its device's name the longest there is.
    package static let signUpBytesMax = 16 << 10
    /// A whole request that holds a proof and nothing else.
    package static let proofBytesMax = 8 << 10
    /// A member's sealed name: 256 or 512 bytes of text and what a box adds.
    package static let nameBoxBytesMax = 1 << 10
    /// A member's name: padded it is 512 bytes.
    package static let memberNameBytesMax = 512 - 8
    package static let accountNameBytesMax = 128
    /// Actors of an account that a client takes note of, each with its counter, and so also heads.
    package static let actorsMax = 1 << 18
    /// Event streams and waiting requests of one device, and of all of an account.
    package static let listenersPerMemberMax = 8
    package static let listenersMax = 2 * membersMax
    /// How long a request for changes may wait for something new.
    package static let waitSecondsMax = 60
    /// The time a session's token lasts.
    package static let sessionSeconds: UInt64 = 3600
    /// How long a challenge may be answered.
    package static let challengeSeconds: UInt64 = 120
}
