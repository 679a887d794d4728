package import KSCausality
package import KSRecords

/// Why a batch is not taken, whatever its writes are; see ``RefusedWrite`` for single ones.
package enum Refusal: Error, Equatable {
    /// The batch was sealed in another life of the store.
    case storeRestored
    /// The batch is sealed under a key generation that has ended.
    case generationClosed
    /// The batch does not follow what its actor wrote before, or the actor is somebody else's.
    case actorForked
    /// Somebody has seen a write that this store does not have: the store itself went back.
    case historyWentBack
}

/// Decides whether a batch follows what the account holds.
///
/// Whatever is missing or does not fit is refused; nothing is waved through. Retries of accepted
/// batches have been answered before this is asked.
package struct Admission: Sendable {
    /// What is known of the actor that wrote the batch.
    package struct Actor: Equatable, Sendable {
        package let member: MemberID
        /// The chain after its last accepted batch.
        package let chain: Hash
        /// It gave up, or the store began a new life: it never writes again.
        package let isClosed: Bool

        package init(member: MemberID, chain: Hash, isClosed: Bool) {
            self.member = member
            self.chain = chain
            self.isClosed = isClosed
        }
    }

    /// The account's epoch.
    package let epoch: StoreEpoch
    /// That of the circle's newest entry.
    package let generation: UInt64
    /// The account vector.
    package let vector: VersionVector
    /// Nil when the actor has not written before.
    package let actor: Actor?

    package init(epoch: StoreEpoch, generation: UInt64, vector: VersionVector, actor: Actor?) {
        self.epoch = epoch
        self.generation = generation
        self.vector = vector
        self.actor = actor
    }

    /// - Parameters:
    ///   - header: as checked against the batch's envelopes.
    ///   - batch: what the header speaks of.
    ///   - member: who sends it.
    /// - Throws: the first reason not to take the batch.
    package func check(
        _ header: BatchHeader,
        of batch: Batch,
        from member: MemberID
    ) throws(Refusal) {
        guard header.epoch == epoch else { throw .storeRestored }
        guard header.generation == generation else { throw .generationClosed }
        let accepted = vector[header.actor]
        guard accepted < .max, header.firstCounter == accepted + 1,
            header.previousChain == actor?.chain ?? .zero,
            actor == nil || actor?.member == member,
            actor?.isClosed != true
        else { throw .actorForked }
        // What cannot be taken for what it is says nothing of the store.
        for envelope in batch.envelopes where envelope.refusal == nil {
            for dot in envelope.replaced where dot.actor != header.actor {
                guard vector.contains(dot) else { throw .historyWentBack }
            }
        }
    }
}
