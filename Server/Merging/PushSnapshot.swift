package import KSCausality
package import KSRecords

/// The part of a store's data that decides about one batch, without the batch's records.
package struct PushSnapshot: Sendable {
    /// The actor that wrote the batch.
    package struct Actor: Equatable, Sendable {
        package let member: MemberID
        /// The highest accepted counter.
        package let accepted: UInt64
        /// The chain after its last accepted batch.
        package let chain: Hash
        /// Whether it has ended, by itself or with the store's epoch: it never writes again.
        package let isClosed: Bool

        package init(member: MemberID, accepted: UInt64, chain: Hash, isClosed: Bool) {
            self.member = member
            self.accepted = accepted
            self.chain = chain
            self.isClosed = isClosed
        }
    }

    package let account: AccountStanding
    /// Whether the sender is a member of the circle's newest entry.
    package let isMember: Bool
    /// Nil if the actor has not written before.
    package let actor: Actor?
    /// Of a new actor: how many others of its member may still write.
    package let openActorCount: Int
    /// The actor's batch that begins at the same counter, if it is one of its last.
    package let accepted: (chain: Hash, answer: PushAnswer)?
    /// The tag of the seq up to which the sender has applied; nil if the account has not reached
    /// it.
    package let appliedTag: CommitTag?
    /// The account vector, of ``IncomingBatch/seenActors`` at least.
    package let vector: VersionVector

    package init(
        account: AccountStanding,
        isMember: Bool,
        actor: Actor?,
        openActorCount: Int = 0,
        accepted: (chain: Hash, answer: PushAnswer)?,
        appliedTag: CommitTag?,
        vector: VersionVector
    ) {
        self.account = account
        self.isMember = isMember
        self.actor = actor
        self.openActorCount = openActorCount
        self.accepted = accepted
        self.appliedTag = appliedTag
        self.vector = vector
    }
}
