/// Every limit of the protocol; larger input is refused with a code, never cut.
package enum Limits {
    package static let batchRecordsMax = 500
    /// The boxes of a batch; a batch of one record may be as large as that record.
    package static let batchBytesMax = 4 << 20
    package static let pageRecordsMax = 500
    /// The records of a page; a page of one record may be as large as that record.
    package static let pageBytesMax = 4 << 20
    /// The records that an event carries, and the whole event; larger ones are pulled.
    package static let eventPageBytesMax = 32 << 10
    package static let eventBytesMax = 60 << 10
    /// Concurrent writes of one record; further ones are refused until these are joined.
    package static let siblingsMax = 32
    /// The boxes of these writes together.
    package static let recordBytesMax = 32 << 20
    /// What a deleted record counts against the account's quota, however large it is.
    package static let deletedRecordBytes = 100
    /// The dots that one write replaces: those of its author's mirror and of its stub.
    package static let replacedMax = 2 * siblingsMax
    /// For how many of an actor's last batches a retry gets the same answer.
    package static let retriableBatchesMax = 64
    /// Entries of a circle: devices, credentials and recovery keys together.
    package static let membersMax = 100
    /// The author's signature of an entry, and a second member's if required.
    package static let entrySignaturesMax = 2
    package static let keyEnvelopeBytesMax = 64 << 10
    /// Entries of an account's circle.
    ///
    /// Beyond this and ``circleBytesMax`` an entry may still revoke members, since their number is
    /// limited.
    package static let circleEntriesMax = 10_000
    package static let circleBytesMax = 16 << 20
    /// A whole sign-up: several times a genesis entry with the longest device name.
    package static let signUpBytesMax = 16 << 10
    /// A whole request with only a proof.
    package static let proofBytesMax = 8 << 10
    /// A member's sealed name: 256 or 512 bytes of text and the overhead of a box.
    package static let nameBoxBytesMax = 1 << 10
    /// A member's name: padded it is 512 bytes.
    package static let memberNameBytesMax = 512 - 8
    package static let accountNameBytesMax = 128
    /// Actors of an account that a client stores, each with its counter; also heads.
    package static let actorsMax = 1 << 18
    /// The actors of one member that may still write; they end with the key generation.
    package static let openActorsPerMemberMax = 256
    /// Event streams and waiting requests of one device, and of all of an account.
    package static let listenersPerMemberMax = 8
    package static let listenersMax = 2 * membersMax
    /// How long a request for changes may wait for something new.
    package static let waitSecondsMax = 60
    /// How long a session token is valid.
    package static let sessionSeconds: UInt64 = 3600
    /// How long a challenge is valid.
    package static let challengeSeconds: UInt64 = 120
}
