import KSCausality
import KSMerging
import KSRecords
import KSWire
import Testing

/// Whether an entry becomes the circle's newest.
struct CircleDecisionTests {
    private let vector = VersionVector([(actor: ActorID(rawValue: 1), counter: UInt64(3))])

    private func incoming(
        version: UInt64,
        operation: CircleOperation = .rename,
        generation: UInt64 = 1,
        closingVector: VersionVector = VersionVector(),
        members: [Member] = [],
        named: [KeyEnvelope] = [],
        envelopes: [KeyEnvelope] = [],
        of account: AccountID = Writer.account
    ) throws(StoreError) -> IncomingEntry {
        let entry = CircleEntry(
            account: Writer.account,
            version: version,
            previousHash: .zero,
            operation: operation,
            members: members,
            generation: generation,
            rootCheck: [UInt8](repeating: 0, count: 32),
            closingVector: closingVector,
            oldestGeneration: 1,
            oldestFormat: 1,
            envelopesHash: KeyEnvelope.hash(named),
            author: Writer.device
        )
        let signed = SignedEntry(signedBytes: entry.encoded, signatures: [], possession: [])
        return try IncomingEntry(
            CircleChange(entry: signed, envelopes: envelopes, credentialsBox: nil),
            of: account
        )
    }

    private func decision(
        _ entry: IncomingEntry,
        after version: UInt64 = 4,
        newest: SignedEntry? = nil,
        byteCount: Int = 100,
        standing: AccountStanding = .with(circleVersion: 4)
    ) -> Result<Bool, StoreError> {
        Result { () throws(StoreError) in
            try standing.takes(
                entry,
                after: version,
                newest: newest,
                byteCount: byteCount,
                vector: vector
            )
        }
    }

    @Test
    func `the next entry is accepted, and the same one again changes nothing`() throws {
        let next = try incoming(version: 5)
        #expect(decision(next) == .success(true))
        let later = AccountStanding.with(circleVersion: 5)
        #expect(decision(next, newest: next.signed, standing: later) == .success(false))
        let rival = try incoming(version: 5, operation: .addDevice)
        #expect(
            decision(rival, newest: next.signed, standing: later)
                == .failure(.refused(.circleChanged))
        )
        let ahead = AccountStanding.with(circleVersion: 6)
        #expect(
            decision(next, newest: next.signed, standing: ahead)
                == .failure(.refused(.circleChanged))
        )
    }

    @Test
    func `an entry must follow the version that it names`() throws {
        #expect(try decision(incoming(version: 6)) == .failure(.refused(.malformed)))
        #expect(try decision(incoming(version: 5), after: .max) == .failure(.refused(.malformed)))
        #expect(try decision(incoming(version: 4), after: 3) == .failure(.refused(.circleChanged)))
    }

    @Test
    func `a generation ends at the account vector, for good`() throws {
        func decision(
            _ generation: UInt64,
            _ closing: VersionVector
        ) throws -> Result<Bool, StoreError> {
            let entry = try incoming(
                version: 5,
                operation: .revoke,
                generation: generation,
                closingVector: closing
            )
            return self.decision(entry, standing: .with(circleVersion: 4, generation: 2))
        }
        #expect(try decision(3, vector) == .success(true))
        #expect(try decision(3, VersionVector()) == .failure(.refused(.circleChanged)))
        #expect(try decision(2, VersionVector()) == .success(true))
        #expect(try decision(1, vector) == .failure(.refused(.malformed)))
    }

    @Test
    func `a full circle accepts only entries that revoke`() throws {
        let long = AccountStanding.with(circleVersion: UInt64(Limits.circleEntriesMax))
        let large = AccountStanding.with(
            circleVersion: 4,
            circleBytes: Int64(Limits.circleBytesMax) - 99
        )
        for standing in [long, large] {
            let version = standing.circleVersion
            for operation in [CircleOperation.rename, .addDevice, .replaceCredentials] {
                let entry = try incoming(version: version + 1, operation: operation)
                let decision = decision(entry, after: version, standing: standing)
                #expect(decision == .failure(.refused(.tooLarge)))
            }
            let revoking = try incoming(version: version + 1, operation: .revoke)
            #expect(decision(revoking, after: version, standing: standing) == .success(true))
        }
        let exact = try incoming(version: 5)
        #expect(decision(exact, byteCount: 99, standing: large) == .success(true))
    }

    @Test
    func `an entry must come with the envelopes that it names`() {
        let device = Member(
            id: Writer.device,
            kind: .device,
            signingKey: [UInt8](repeating: 1, count: 32),
            agreementKey: [UInt8](repeating: 1, count: 32),
            nameBox: [],
            addedAtVersion: 1,
            addedBy: Writer.device
        )
        let envelope = KeyEnvelope(member: Writer.device, sealed: [1])
        func refusal(
            _ members: [Member],
            _ named: [KeyEnvelope],
            _ sent: [KeyEnvelope]
        ) -> StoreError? {
            do throws(StoreError) {
                _ = try incoming(version: 5, members: members, named: named, envelopes: sent)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal([device], [envelope], [envelope]) == nil)
        #expect(refusal([device], [envelope], []) == .refused(.malformed))
        let other = KeyEnvelope(member: Writer.device, sealed: [2])
        #expect(refusal([device], [envelope], [other]) == .refused(.malformed))
        #expect(
            refusal([device], [envelope, envelope], [envelope, envelope]) == .refused(.malformed)
        )
        #expect(refusal([], [envelope], [envelope]) == .refused(.malformed))
        let stranger = AccountID(validated: [UInt8](repeating: 9, count: 16))
        #expect(throws: StoreError.refused(.malformed)) { try incoming(version: 5, of: stranger) }
        let large = KeyEnvelope(
            member: Writer.device,
            sealed: [UInt8](repeating: 1, count: Limits.keyEnvelopeBytesMax + 1)
        )
        #expect(throws: StoreError.refused(.tooLarge)) {
            try incoming(version: 5, envelopes: [large])
        }
    }
}
