internal import KSCausality
internal import KSPrimitives
package import KSRecords

/// A member of the circle whose private keys are available.
package enum CircleSigner: Sendable {
    case device(DeviceIdentity)
    case credentials(AccountCredentials)

    package var memberID: MemberID {
        switch self {
        case .device(let identity): identity.memberID
        case .credentials(let credentials): credentials.memberID
        }
    }

    var credentials: AccountCredentials? {
        guard case .credentials(let credentials) = self else { return nil }
        return credentials
    }

    /// Ed25519 over bytes that begin with their label.
    package func sign(_ labelled: [UInt8]) -> [UInt8] {
        switch self {
        case .device(let identity): identity.signingKey.sign(labelled)
        case .credentials(let credentials): credentials.signingKey.sign(labelled)
        }
    }
}

extension SessionStatement {
    /// The signature that proves this statement.
    package func signature(by signer: CircleSigner) -> [UInt8] {
        signer.sign(encoded)
    }
}

/// Makes batches of sealed envelopes and signs them as a device.
package struct BatchSigner: Sendable {
    private let identity: DeviceIdentity
    private let account: AccountID

    package init(identity: DeviceIdentity, account: AccountID) {
        self.identity = identity
        self.account = account
    }

    /// Whether a batch bears this device's signature.
    ///
    /// ``Records/Batch/checkedHeader()`` says whether it holds what was signed.
    package func hasSigned(_ batch: Batch) -> Bool {
        batch.isSigned(by: identity.signingPublicKey)
    }

    /// Signs a batch of at least one envelope, all of one actor and of the generation named, their
    /// counters without gaps.
    ///
    /// `previousChain` is the actor's chain before them; zeros before its first write.
    package func batch(
        of envelopes: [Envelope],
        epoch: StoreEpoch,
        circleVersion: UInt64,
        generation: UInt64,
        previousChain: Hash
    ) -> Batch {
        guard let first = envelopes.first else {
            preconditionFailure("a batch holds at least one record")
        }
        for (offset, envelope) in envelopes.enumerated() {
            precondition(
                envelope.dot.actor == first.dot.actor
                    && envelope.dot.counter == first.dot.counter + UInt64(offset)
                    && envelope.generation == generation,
                "a batch is consecutive writes of one actor under one generation"
            )
        }
        let header = BatchHeader(
            account: account,
            epoch: epoch,
            circleVersion: circleVersion,
            generation: generation,
            actor: first.dot.actor,
            firstCounter: first.dot.counter,
            count: UInt64(envelopes.count),
            previousChain: previousChain,
            chain: BatchChain.extend(previousChain, with: envelopes)
        )
        let bytes = header.encoded
        return Batch(
            signedHeader: bytes,
            signature: identity.signingKey.sign(bytes),
            envelopes: envelopes
        )
    }
}
