import KSCausality
import KSDigests
import Foundation
import KSPrimitives
import KSRecords
import KSSealing
import SwiftProtobuf
import KSTestSupport
import Testing
import KSWire

/// An account with its first device, made as a client makes it.
struct TestAccount: Sendable {
    let id: AccountID
    let name: String
    let device: DeviceIdentity
    let credentials: AccountCredentials
    let keyRing: KeyRing
    let genesis: CircleChange
    let random: SeededRandomSource

    init(seed: UInt64 = 1, name: String? = nil) throws {
        random = SeededRandomSource(seed: seed)
        id = AccountID(validated: random.bytes(16))
        self.name = name ?? "account \(seed)"
        device = DeviceIdentity.random(from: random)
        credentials = try AccountCredentials.derive(
            password: Array("a password".utf8),
            accountKey: AccountKey.random(from: random),
            cost: .simulation
        )
        keyRing = KeyRing.random(from: random)
        genesis = try CircleAuthoring.genesis(
            account: id,
            device: device,
            deviceName: "laptop",
            credentials: credentials,
            keyRing: keyRing,
            random: random
        )
    }

    var signup: WireSignupRequest {
        var message = WireSignupRequest()
        message.account = Data(id.bytes)
        message.name = name
        message.entry = WireSignedEntry(genesis.entry)
        message.envelopes = genesis.envelopes.map(WireKeyEnvelope.init)
        message.credentialsBox = Data(genesis.credentialsBox ?? [])
        return message
    }

    /// The entry that adds another device; by default by the credentials, as a login does, and
    /// after genesis.
    func adding(
        _ newcomer: DeviceIdentity,
        by author: CircleSigner? = nil,
        after entries: [SignedEntry]? = nil
    ) throws -> CircleChange {
        let chain = try CircleChain(verifying: entries ?? [genesis.entry])
        return try CircleAuthoring.addDevice(
            DeviceApplication(of: newcomer, name: "phone", to: chain),
            to: chain,
            keyRing: keyRing,
            by: author ?? .credentials(credentials),
            random: random
        )
    }

    /// The entry that gives the account other credentials; nobody opens their box here.
    func replacingCredentials(
        by author: CircleSigner,
        and second: CircleSigner,
        after entries: [SignedEntry]
    ) throws -> CircleChange {
        let chain = try CircleChain(verifying: entries)
        let new = try AccountCredentials.derive(
            password: Array("another password".utf8),
            accountKey: AccountKey.random(from: random),
            cost: .simulation
        )
        var entry = chain.newest
        entry.version += 1
        entry.previousHash = chain.newestHash
        entry.operation = .replaceCredentials
        entry.author = author.memberID
        entry.generation += 1
        entry.rootCheck = random.bytes(32)
        entry.members.removeAll { $0.kind == .credentials }
        let member = Member(
            id: new.memberID,
            kind: .credentials,
            signingKey: new.signingPublicKey,
            agreementKey: new.agreementPublicKey,
            nameBox: [],
            addedAtVersion: entry.version,
            addedBy: author.memberID
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let envelopes = entry.members.map {
            KeyEnvelope(member: $0.id, sealed: random.bytes(100))
        }
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        let bytes = entry.encoded
        let possession = Possession.statement(
            account: id,
            previousHash: entry.previousHash,
            signingKey: member.signingKey,
            agreementKey: member.agreementKey
        )
        let signed = SignedEntry(
            signedBytes: bytes,
            signatures: [author, second].map {
                MemberSignature(member: $0.memberID, signature: $0.sign(bytes))
            },
            possession: CircleSigner.credentials(new).sign(possession)
        )
        return CircleChange(entry: signed, envelopes: envelopes, credentialsBox: [1])
    }

    /// A batch of this many new records.
    func batch(
        by author: DeviceIdentity? = nil,
        actor: UInt64 = 1,
        first: UInt64 = 1,
        count: UInt64 = 1,
        epoch: StoreEpoch,
        previousChain: Hash = .zero
    ) throws -> Batch {
        let cipher = RecordCipher(keyRing: keyRing, account: id, random: random)
        let envelopes = try (0..<count).map { offset in
            try cipher.seal(
                text: Array("a secret".utf8),
                recordID: RecordID(validated: random.bytes(32)),
                dot: Dot(actor: ActorID(rawValue: actor), counter: first + offset),
                replaced: [],
                isTombstone: false,
                kind: .keychain
            )
        }
        return BatchSigner(identity: author ?? device, account: id).batch(
            of: envelopes,
            epoch: epoch,
            circleVersion: 1,
            generation: 1,
            previousChain: previousChain
        )
    }

    /// The batch after this one, which deletes its first record.
    func deletion(of batch: Batch, epoch: StoreEpoch) throws -> Batch {
        let cipher = RecordCipher(keyRing: keyRing, account: id, random: random)
        let (first, last) = (batch.envelopes[0], batch.envelopes[batch.envelopes.count - 1])
        let tombstone = try cipher.seal(
            text: Array("a deletion".utf8),
            recordID: first.recordID,
            dot: Dot(actor: last.dot.actor, counter: last.dot.counter + 1),
            replaced: [first.dot],
            isTombstone: true,
            kind: .keychain
        )
        return BatchSigner(identity: device, account: id).batch(
            of: [tombstone],
            epoch: epoch,
            circleVersion: 1,
            generation: 1,
            previousChain: BatchChain.extend(.zero, with: batch.envelopes)
        )
    }
}
