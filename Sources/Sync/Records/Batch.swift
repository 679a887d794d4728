package import KSCausality
internal import KSDigests

/// The part of a batch that its device signs: actor, store epoch and place in the actor's chain.
package struct BatchHeader: Hashable, Sendable {
    package let account: AccountID
    package let epoch: StoreEpoch
    package let circleVersion: UInt64
    package let generation: UInt64
    package let actor: ActorID
    /// The counter of the first record's dot.
    package let firstCounter: UInt64
    package let count: UInt64
    /// The actor's chain before this batch; zeros before its first.
    package let previousChain: Hash
    /// The chain after the batch's last record.
    package let chain: Hash

    package init(
        account: AccountID,
        epoch: StoreEpoch,
        circleVersion: UInt64,
        generation: UInt64,
        actor: ActorID,
        firstCounter: UInt64,
        count: UInt64,
        previousChain: Hash,
        chain: Hash
    ) {
        self.account = account
        self.epoch = epoch
        self.circleVersion = circleVersion
        self.generation = generation
        self.actor = actor
        self.firstCounter = firstCounter
        self.count = count
        self.previousChain = previousChain
        self.chain = chain
    }

    package var lastCounter: UInt64 { firstCounter + count - 1 }

    /// The bytes that are signed.
    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: "batch")
        encoder.fixed(account)
        encoder.fixed(epoch)
        encoder.integer(circleVersion)
        encoder.integer(generation)
        encoder.integer(actor.rawValue)
        encoder.integer(firstCounter)
        encoder.integer(count)
        encoder.fixed(previousChain)
        encoder.fixed(chain)
        return encoder.encoded
    }

    /// Decodes signed bytes; check the signature before using any field.
    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = try CanonicalDecoder(encoded, label: "batch")
        account = try decoder.fixed()
        epoch = try decoder.fixed()
        circleVersion = try decoder.integer()
        generation = try decoder.integer()
        actor = ActorID(rawValue: try decoder.integer())
        firstCounter = try decoder.integer()
        count = try decoder.integer()
        previousChain = try decoder.fixed()
        chain = try decoder.fixed()
        try decoder.end()
        guard count > 0, firstCounter > 0, !firstCounter.addingReportingOverflow(count).overflow
        else { throw .malformed }
    }
}

/// The unit of upload: consecutive dots of one actor, sealed once, sent unchanged on every retry.
package struct Batch: Hashable, Sendable {
    /// ``BatchHeader/encoded``, as it was signed.
    package let signedHeader: [UInt8]
    /// The device's Ed25519 signature of ``signedHeader``.
    package let signature: [UInt8]
    package let envelopes: [Envelope]

    package init(signedHeader: [UInt8], signature: [UInt8], envelopes: [Envelope]) {
        self.signedHeader = signedHeader
        self.signature = signature
        self.envelopes = envelopes
    }

    /// The header, if the envelopes match it; does not check the signature.
    package func checkedHeader() throws(RecordsError) -> BatchHeader {
        let header = try BatchHeader(decoding: signedHeader)
        guard header.count == UInt64(envelopes.count) else { throw .malformed }
        for (offset, envelope) in envelopes.enumerated() {
            let counter = header.firstCounter + UInt64(offset)
            guard envelope.dot == Dot(actor: header.actor, counter: counter),
                envelope.generation == header.generation
            else { throw .malformed }
        }
        guard BatchChain.extend(header.previousChain, with: envelopes) == header.chain else {
            throw .malformed
        }
        return header
    }
}

/// The hash chain of an actor's writes, by which a server distinguishes a retry from a fork.
package enum BatchChain {
    package static func extend(_ previous: Hash, with envelopes: some Sequence<Envelope>) -> Hash {
        envelopes.reduce(previous) { chain, envelope in
            var encoder = CanonicalEncoder()
            encoder.fixed(chain)
            encoder.fixed(envelope.recordID)
            encoder.dot(envelope.dot)
            encoder.dots(envelope.replaced)
            encoder.boolean(envelope.isTombstone)
            encoder.integer(envelope.generation)
            encoder.fixed(envelope.boxHash)
            return Hash(validated: SHA256.hash(encoder.encoded))
        }
    }
}
