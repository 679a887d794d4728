import KSCausality
import KSDigests
import KSPrimitives
import KSRecords
import KSSealing
import KSTransport
import Synchronization
import Testing

import KSSyncEngine

/// An account without a server: what its devices share.
struct ReplicaAccount {
    static let password = "a long password"
    let id: AccountID
    let keyRing: KeyRing
    let accountKey: AccountKey
    private let server: ServerEndpoint
    private let genesis: CircleChange
    let circle: CircleChain
    let epoch: StoreEpoch
    let first: DeviceIdentity
    /// The author of writes that no test looks at.
    static let otherActor = ActorID(rawValue: 0xA11)
    /// The writes on all pages so far.
    private let shown = Shown()

    private final class Shown: Sendable {
        private let vector = Mutex(VersionVector())

        func withLock(_ body: (inout VersionVector) -> VersionVector) -> VersionVector {
            vector.withLock { body(&$0) }
        }
    }

    init() throws {
        let random = SystemRandomSource()
        id = AccountID(validated: random.bytes(AccountID.byteCount))
        epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
        keyRing = KeyRing.random(from: random)
        accountKey = AccountKey.random(from: random)
        first = DeviceIdentity.random(from: random)
        genesis = try CircleAuthoring.genesis(
            account: id,
            device: first,
            deviceName: "first",
            credentials: AccountCredentials.derive(
                password: Array(Self.password.utf8),
                accountKey: accountKey,
                cost: .simulation
            ),
            keyRing: keyRing,
            random: random
        )
        circle = try CircleChain(verifying: [genesis.entry])
        server = try ServerEndpoint(origin: "https://sync.example.org")
    }

    /// A device's enrollment in the account.
    ///
    /// `keepsCircle`: whether the device has all that a server needs to put the circle back.
    func enrollment(keepsCircle: Bool = false) -> Enrollment {
        Enrollment(
            account: id,
            names: EnrolledNames(account: "ada", device: "laptop"),
            server: server,
            identity: first,
            accountKey: accountKey,
            keyRing: keyRing,
            circle: circle,
            epoch: epoch,
            newestChange: keepsCircle ? genesis : nil
        )
    }

    func cursor(_ seq: UInt64, epoch: StoreEpoch? = nil) -> KSRecords.Cursor {
        KSRecords.Cursor(
            epoch: epoch ?? self.epoch,
            seq: seq,
            tag: CommitTag(
                validated: [UInt8](
                    repeating: UInt8(truncatingIfNeeded: seq),
                    count: CommitTag.byteCount
                )
            )
        )
    }

    /// A page as the server would give it: its vector covers what the page holds.
    ///
    /// Without a given vector, it also covers earlier pages.
    func page(
        _ records: [PageAnswer.Record] = [],
        to seq: UInt64,
        epoch: StoreEpoch? = nil,
        hasMore: Bool = false,
        vector: [(actor: ActorID, counter: UInt64)] = [],
        circleVersion: UInt64 = 1
    ) -> PageAnswer {
        func cover(_ all: inout VersionVector) -> VersionVector {
            let dots = records.flatMap(\.siblings).map(\.dot)
            let others = seq > 0 ? [Dot(actor: Self.otherActor, counter: 1)] : []
            for dot in dots + others where !all.contains(dot) {
                all.raise(dot.actor, to: dot.counter)
            }
            return all
        }
        var given = VersionVector(vector)
        let all = vector.isEmpty ? shown.withLock(cover) : cover(&given)
        return PageAnswer(
            records: records,
            cursor: cursor(seq, epoch: epoch),
            hasMore: hasMore,
            vector: all,
            circleVersion: circleVersion
        )
    }

    /// The answer to an accepted push, with each record at the next seq.
    func taken(_ batch: Batch, from seq: UInt64, dots: [Dot]? = nil) -> PushAnswer {
        let records = batch.envelopes.enumerated().map { offset, envelope in
            PushAnswer.Accepted(seq: seq + UInt64(offset), dots: dots ?? [envelope.dot])
        }
        return PushAnswer(
            records: records,
            cursor: cursor(seq + UInt64(records.count) - 1),
            circleVersion: 1
        )
    }
}

extension ReplicaAccount {
    /// Two devices: one that has pulled nothing yet, and one that may send at once.
    func readerAndWriter() throws -> (reader: ReplicaHome, writer: ReplicaHome) {
        let writer = try ReplicaHome(self)
        try writer.pull(page(to: 0))
        return (try ReplicaHome(self), writer)
    }
}

extension PageAnswer.Record {
    /// A record on the server with these writes as siblings.
    static func of(_ envelopes: [Envelope], seq: UInt64) -> PageAnswer.Record {
        PageAnswer.Record(id: envelopes[0].recordID, seq: seq, siblings: envelopes)
    }
}
