import KSCausality
import KSRecords
import KSSealing
import KSSecrets
import KSTestSupport
import Testing

struct KeysAndSignaturesTests {
    private let random = SeededRandomSource(seed: 5)

    @Test
    func `the frozen key ring decodes, and encodes to the same bytes`() throws {
        let frozen = try FrozenFormat("key ring")
        let encoded = try frozen.bytes("encoded")
        let ring = try KeyRing(decoding: encoded)
        #expect(try ring.encode() == encoded)
        #expect(try ring.rootCheck(generation: 1) == frozen.bytes("check"))
        #expect(try ring.digestKey(generation: 1)?.copyBytes() == frozen.bytes("digest"))
        let key = try frozen.bytes("key")
        #expect(
            try ring.recordID(forCanonicalKey: key, kind: .keychain).bytes
                == frozen.bytes("keychainID")
        )
        #expect(
            try ring.recordID(forCanonicalKey: key, kind: .keyValue).bytes
                == frozen.bytes("keyValueID")
        )
    }

    @Test
    func `a key ring with several generations decodes to what was encoded`() throws {
        let ring = try KeyRing.random(from: random).startingGeneration(from: random)
            .startingGeneration(from: random)
        let again = try KeyRing(decoding: ring.encode())
        #expect(again.generations == [1, 2, 3])
        #expect(again.newestGeneration == 3)
        #expect(try again.encode() == ring.encode())
        #expect(again.rootCheck(generation: 2) == ring.rootCheck(generation: 2))
        #expect(ring.rootCheck(generation: 1) != ring.rootCheck(generation: 2))
        #expect(ring.rootCheck(generation: 4) == nil)
    }

    @Test
    func `a cut key ring, or one out of order, is refused`() throws {
        let encoded = try KeyRing.random(from: random).startingGeneration(from: random).encode()
        for count in 0..<encoded.count {
            #expect(throws: SealingError.malformed) {
                try KeyRing(decoding: Array(encoded.prefix(count)))
            }
        }
        #expect(throws: SealingError.malformed) { try KeyRing(decoding: encoded + [0]) }
        var encoder = CanonicalEncoder(label: "key ring")
        encoder.bytes(.rising(from: 1))
        encoder.bytes(.rising(from: 2))
        encoder.list([2, 1] as [UInt64]) { encoder, generation in
            encoder.integer(generation)
            encoder.bytes(.rising(from: 3))
        }
        #expect(throws: SealingError.malformed) { try KeyRing(decoding: encoder.encoded) }
    }

    /// Changed bytes are refused, or are another ring that encodes to the same bytes.
    @Test
    func `whatever is read as a key ring is written as the same bytes`() throws {
        let encoded = try KeyRing.random(from: random).startingGeneration(from: random).encode()
        for index in encoded.indices {
            let changed = encoded.flipping(index, bit: 0x10)
            // A refusal is as good as another ring.
            guard let ring = try? KeyRing(decoding: changed) else { continue }
            #expect(try ring.encode() == changed)
        }
    }

    @Test
    func `the frozen device keys decode, and encode to the same bytes`() throws {
        let frozen = try FrozenFormat("device keys")
        let encoded = try frozen.bytes("encoded")
        let identity = try DeviceIdentity(decoding: encoded)
        #expect(identity.encode() == encoded)
        #expect(try identity.memberID.bytes == frozen.bytes("member"))
        #expect(try identity.signingPublicKey == frozen.bytes("signing"))
        #expect(try identity.agreementPublicKey == frozen.bytes("agreement"))
        for count in 0..<encoded.count {
            #expect(throws: SealingError.malformed) {
                try DeviceIdentity(decoding: Array(encoded.prefix(count)))
            }
        }
    }

    @Test
    func `the frozen session statement is signed the same way again`() throws {
        let frozen = try FrozenFormat("session")
        let identity = try DeviceIdentity(decoding: FrozenFormat("device keys").bytes("encoded"))
        let statement = SessionStatement(
            purpose: .session,
            origin: "https://sync.example.org:8443",
            account: try frozen.bytes("account"),
            member: identity.memberID,
            challenge: Challenge(nonce: try frozen.bytes("nonce"), expirySeconds: 1_234_567_890),
            bodyHash: Hash(validated: try frozen.bytes("bodyHash"))
        )
        #expect(try statement.encoded == frozen.bytes("signed"))
        let signature = statement.signature(by: .device(identity))
        #expect(try signature == frozen.bytes("signature"))
        #expect(statement.isSigned(by: identity.signingPublicKey, signature: signature))
    }

    @Test
    func `the frozen evidence of a history is signed the same way again`() throws {
        let frozen = try FrozenFormat("history")
        let identity = try DeviceIdentity(decoding: FrozenFormat("device keys").bytes("encoded"))
        let statement = HistoryStatement(
            account: AccountID(validated: try frozen.bytes("account")),
            member: identity.memberID,
            cursor: Cursor(
                epoch: StoreEpoch(validated: try frozen.bytes("epoch")),
                seq: 77,
                tag: CommitTag(validated: try frozen.bytes("tag"))
            ),
            challenge: Challenge(nonce: try frozen.bytes("nonce"), expirySeconds: 1_234_567_890)
        )
        #expect(try statement.encoded == frozen.bytes("signed"))
        let signature = CircleSigner.device(identity).sign(statement.encoded)
        #expect(try signature == frozen.bytes("signature"))
        #expect(statement.isSigned(by: identity.signingPublicKey, signature: signature))
    }

    @Test
    func `a session's signature serves for nothing else`() {
        let identity = DeviceIdentity.random(from: random)
        func statement(
            _ purpose: SessionStatement.Purpose = .session,
            origin: String = "https://a.example",
            account: UInt8 = 1,
            member: UInt8 = 2,
            nonce: UInt8 = 3,
            expiry: UInt64 = 4,
            body: UInt8 = 5
        ) -> SessionStatement {
            SessionStatement(
                purpose: purpose,
                origin: origin,
                account: .rising(from: account, count: 16),
                member: MemberID(validated: .rising(from: member, count: 16)),
                challenge: Challenge(nonce: [nonce], expirySeconds: expiry),
                bodyHash: Hash(validated: .rising(from: body))
            )
        }
        let signature = statement().signature(by: .device(identity))
        let key = identity.signingPublicKey
        #expect(statement().isSigned(by: key, signature: signature))
        let others = [
            statement(.circle), statement(.deleteAccount), statement(origin: "https://b.example"),
            statement(account: 9), statement(member: 9), statement(nonce: 9), statement(expiry: 9),
            statement(body: 9),
        ]
        for other in others {
            #expect(!other.isSigned(by: key, signature: signature))
        }
        for index in signature.indices {
            #expect(!statement().isSigned(by: key, signature: signature.flipping(index)))
        }
        let stranger = DeviceIdentity.random(from: random).signingPublicKey
        #expect(!statement().isSigned(by: stranger, signature: signature))
    }

    @Test
    func `the frozen batch is signed the same way again, and passes the server's check`() throws {
        let frozen = try FrozenFormat("batch")
        let record = try FrozenFormat("record keychain")
        let identity = try DeviceIdentity(decoding: FrozenFormat("device keys").bytes("encoded"))
        let account = try #require(AccountID(record.bytes("account")))
        let envelope = Envelope(
            recordID: RecordID(validated: try record.bytes("recordID")),
            dot: Dot(actor: ActorID(rawValue: 7), counter: 2),
            replaced: [
                Dot(actor: ActorID(rawValue: 3), counter: 4),
                Dot(actor: ActorID(rawValue: 7), counter: 1),
            ],
            generation: 1,
            isTombstone: false,
            kind: .keychain,
            box: try record.bytes("box")
        )
        let batch = BatchSigner(identity: identity, account: account).batch(
            of: [envelope],
            epoch: StoreEpoch(validated: try frozen.bytes("epoch")),
            circleVersion: 2,
            generation: 1,
            previousChain: Hash(validated: try frozen.bytes("previousChain"))
        )
        #expect(try batch.signedHeader == frozen.bytes("signed"))
        #expect(try batch.signature == frozen.bytes("signature"))
        #expect(batch.isSigned(by: identity.signingPublicKey))
        let header = try batch.checkedHeader()
        #expect(header.firstCounter == 2 && header.count == 1 && header.circleVersion == 2)
        for index in batch.signedHeader.indices {
            let forged = Batch(
                signedHeader: batch.signedHeader.flipping(index),
                signature: batch.signature,
                envelopes: batch.envelopes
            )
            #expect(!forged.isSigned(by: identity.signingPublicKey))
        }
    }
}
