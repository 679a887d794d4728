internal import KSDigests

/// A signature and the member that made it.
package struct MemberSignature: Hashable, Sendable {
    package let member: MemberID
    /// Ed25519.
    package let signature: [UInt8]

    package init(member: MemberID, signature: [UInt8]) {
        self.member = member
        self.signature = signature
    }
}

/// An entry of the circle as it is sent: the signed bytes and the signatures.
package struct SignedEntry: Hashable, Sendable {
    /// ``CircleEntry/encoded``, as it was signed.
    package let signedBytes: [UInt8]
    /// The author's signature, at genesis the first device's and the credentials'; by member.
    package let signatures: [MemberSignature]
    /// The added device's signature of "possession"; empty when none is added.
    package let possession: [UInt8]

    package init(signedBytes: [UInt8], signatures: [MemberSignature], possession: [UInt8]) {
        self.signedBytes = signedBytes
        self.signatures = signatures.sorted { $0.member < $1.member }
        self.possession = possession
    }

    /// SHA-256 of the signed bytes and the signatures: what the next entry names, and clients pin.
    package var hash: Hash {
        Hash(validated: SHA256.hash(signedBytes + signatures.flatMap(\.signature)))
    }

    package func entry() throws(RecordsError) -> CircleEntry {
        try CircleEntry(decoding: signedBytes)
    }
}

/// The key ring, sealed to one member.
package struct KeyEnvelope: Hashable, Sendable {
    package let member: MemberID
    package let sealed: [UInt8]

    package init(member: MemberID, sealed: [UInt8]) {
        self.member = member
        self.sealed = sealed
    }

    /// The hash of all its envelopes, which an entry states.
    package static func hash(_ envelopes: [KeyEnvelope]) -> Hash {
        var encoder = CanonicalEncoder()
        encoder.list(envelopes.sorted { $0.member < $1.member }) { encoder, envelope in
            encoder.fixed(envelope.member)
            encoder.bytes(envelope.sealed)
        }
        return Hash(validated: SHA256.hash(encoder.encoded))
    }
}

/// A new entry of the circle with everything the server stores in the same step.
package struct CircleChange: Hashable, Sendable {
    package let entry: SignedEntry
    /// One for each member; those of the previous entry are deleted.
    package let envelopes: [KeyEnvelope]
    /// Present exactly if the credentials signed the entry; nil keeps the existing box.
    package let credentialsBox: [UInt8]?

    package init(entry: SignedEntry, envelopes: [KeyEnvelope], credentialsBox: [UInt8]?) {
        self.entry = entry
        self.envelopes = envelopes
        self.credentialsBox = credentialsBox
    }
}
