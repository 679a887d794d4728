package import KSCausality
package import KSDigests
package import KSRecords

/// The limits that a circle sets for which records are still accepted.
package struct RecordFloors: Hashable, Sendable {
    package var oldestGeneration: UInt64 = 1
    package var oldestFormat: UInt64 = 1
    /// Each generation that has ended, and the account vector at which it did.
    package var closingVectors: [UInt64: VersionVector] = [:]

    /// The floors of a new account.
    package init() {}

    package init(_ chain: CircleChain) {
        oldestGeneration = chain.newest.oldestGeneration
        oldestFormat = chain.newest.oldestFormat
        closingVectors = chain.closingVectors
    }
}

/// Seals items for the server, and opens records that come from it.
package struct RecordCipher: Sendable {
    package let keyRing: KeyRing
    package let account: AccountID
    package var floors: RecordFloors
    private let random: any RandomSource

    package init(
        keyRing: KeyRing,
        account: AccountID,
        floors: RecordFloors = RecordFloors(),
        random: any RandomSource
    ) {
        self.keyRing = keyRing
        self.account = account
        self.floors = floors
        self.random = random
    }

    /// Seals one write under the newest generation.
    ///
    /// - Throws: ``SealingError/tooLarge``, ``SealingError/classLocked(_:)``.
    package func seal(
        text: [UInt8],
        recordID: RecordID,
        dot: Dot,
        replaced: [Dot],
        isTombstone: Bool,
        kind: RecordKind
    ) throws(SealingError) -> Envelope {
        guard text.count <= kind.textBytesMax else { throw .tooLarge }
        let generation = keyRing.newestGeneration
        let key = try keyRing.recordKey(kind, generation: generation)
        var envelope = Envelope(
            recordID: recordID,
            dot: dot,
            replaced: replaced,
            generation: generation,
            isTombstone: isTombstone,
            kind: kind,
            box: []
        )
        envelope.box = key.seal(
            text,
            purpose: .record,
            context: envelope.context(account: account),
            random: random
        )
        return envelope
    }

    /// Opens one write.
    ///
    /// The caller quarantines and acknowledges a write that throws, but does not report it to the
    /// server. A write that throws ``SealingError/classLocked(_:)`` waits for the unlock. The
    /// caller then computes the record id from the contents, and compares it.
    package func open(_ envelope: Envelope) throws(SealingError) -> [UInt8] {
        guard envelope.format <= Envelope.currentFormat else {
            throw .updateThisClient(format: envelope.format)
        }
        guard envelope.format >= max(floors.oldestFormat, 1) else {
            throw .formatTooOld(format: envelope.format)
        }
        let generation = envelope.generation
        let key = try keyRing.recordKey(envelope.kind, generation: generation)
        guard generation >= floors.oldestGeneration else {
            throw .generationRetired(generation: generation)
        }
        if generation < keyRing.newestGeneration {
            // Without a closing vector, no write of an older generation is accepted.
            guard floors.closingVectors[generation]?.contains(envelope.dot) == true else {
                throw .beyondClosingVector
            }
        }
        return try key.open(
            envelope.box,
            purpose: .record,
            context: envelope.context(account: account)
        )
    }
}
