import KSCausality
import KSDigests
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSSealing
import KSSyncEngine
import KSWire

import Simulation

/// One item that many strangers have written concurrently, and a server that has no other.
///
/// It accepts every batch; other tests cover the checks of the real server.
final class ScatteredRecord {
    let fixture: AccountFixture
    let clock: VirtualClock
    let random: SimulationRandomSource
    let id: RecordID
    private let epoch: StoreEpoch
    private let cipher: RecordCipher
    private(set) var siblings: [Envelope] = []
    private var seq: UInt64 = 0
    private var vector = VersionVector()
    /// The envelopes of every accepted batch.
    private(set) var pushed: [Envelope] = []
    private(set) var pullCount = 0
    /// The answers to the next pushes instead.
    var refusals: [ErrorCode] = []

    init(seed: UInt64 = 1) throws {
        fixture = try AccountFixture.shared.get()
        clock = VirtualClock(milliseconds: World.startMilliseconds)
        random = SimulationRandomSource(seed: seed)
        epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
        cipher = RecordCipher(
            keyRing: fixture.keyRing,
            account: fixture.account,
            random: random
        )
        id = fixture.keyRing.recordID(
            forCanonicalKey: SimulatedDevice.key(item: 0).canonicalBytes,
            kind: .keychain
        )
    }

    func device(_ index: Int, writeBackSiblingsMax: Int = 8) throws -> SimulatedDevice {
        try SimulatedDevice(
            index: index,
            epoch: epoch,
            DeviceSetting(
                identity: fixture.identities[index],
                fixture: fixture,
                circles: AccountCircles(of: fixture),
                clock: clock,
                random: random,
                writeBack: WriteBackRule(
                    siblingsMax: writeBackSiblingsMax,
                    delayMilliseconds: WriteBackRule.standard.delayMilliseconds
                )
            )
        )
    }

    // MARK: What strangers write

    /// The state of an item that one stranger made without having seen another.
    func strangerState(_ stranger: UInt64, secret: String) -> RecordState {
        edit(LocalRecord(), by: stranger) { record in
            var attributes = SimulatedDevice.attributes(item: 0)
            attributes[.synchronizable] = .boolean(true)
            let item = Item(
                .genericPassword,
                attributes: attributes,
                secret: Array(secret.utf8)
            )
            record.create(
                item.values,
                atMilliseconds: clock.milliseconds
            )
        }
    }

    /// A stranger's write of a record.
    func edit(
        _ record: LocalRecord,
        by stranger: UInt64,
        _ body: (inout LocalRecord) -> Void
    ) -> RecordState {
        var record = record
        body(&record)
        let sealed = record.seal { seen, clock in
            Stamp(
                time: HybridTime.next(
                    clockMilliseconds: clock,
                    serverMilliseconds: nil,
                    seen: seen,
                    own: .zero,
                    random: UInt16(truncatingIfNeeded: random.integer())
                ),
                actor: ActorID(rawValue: stranger)
            )
        }
        return sealed?.state ?? RecordState()
    }

    /// Stores a stranger's write on the server.
    func add(_ state: RecordState, by stranger: UInt64, replaced: [Dot] = []) throws {
        let actor = ActorID(rawValue: stranger)
        let dot = Dot(actor: actor, counter: vector[actor] + 1)
        take(
            try cipher.seal(
                text: state.encoded,
                recordID: id,
                dot: dot,
                replaced: replaced,
                isTombstone: !state.isAlive,
                kind: .keychain
            )
        )
    }

    /// This many strangers, each with a secret of its own.
    func addStrangers(_ count: UInt64) throws {
        for stranger in 1...count {
            try add(strangerState(stranger, secret: "secret \(stranger)"), by: stranger)
        }
    }

    private func take(_ envelope: Envelope) {
        siblings.removeAll { envelope.replaced.contains($0.dot) }
        siblings.append(envelope)
        siblings.sort { $0.dot < $1.dot }
        vector.raise(envelope.dot.actor, to: envelope.dot.counter)
        seq += 1
    }

    /// The join of everything that the server has.
    func joined() throws -> RecordState {
        RecordState.join(try siblings.map { try RecordState(decoding: cipher.open($0)) })
    }

    // MARK: The server

    private var cursor: KSRecords.Cursor {
        let tag = Array(repeating: UInt8(truncatingIfNeeded: seq), count: CommitTag.byteCount)
        return KSRecords.Cursor(epoch: epoch, seq: seq, tag: CommitTag(validated: tag))
    }

    private func answer(_ request: SyncRequest) -> SyncAnswer {
        switch request {
        case .circle:
            return .circle([])
        case .raise:
            return .raised
        case .returnCircle:
            return .circleReturned
        case .pull(let after):
            pullCount += 1
            let isNew = seq > after?.seq ?? 0
            return .page(
                PageAnswer(
                    records: isNew ? [.init(id: id, seq: seq, siblings: siblings)] : [],
                    cursor: cursor,
                    hasMore: false,
                    vector: vector,
                    circleVersion: 0
                )
            )
        case .push(let batch, _):
            if !refusals.isEmpty { return .refused(refusals.removeFirst()) }
            let records = batch.envelopes.map { envelope in
                pushed.append(envelope)
                take(envelope)
                return PushAnswer.Accepted(seq: seq, dots: siblings.map(\.dot))
            }
            return .pushed(PushAnswer(records: records, cursor: cursor, circleVersion: 0))
        }
    }

    /// Carries out a device's requests until it sends no more.
    ///
    /// - Returns: when it wants to be called again, if it said so.
    @discardableResult
    func carry(_ device: SimulatedDevice) throws -> UInt64? {
        for _ in 0..<50 {
            switch try device.replica.nextRequest() {
            case .send(let request):
                try device.replica.receive(answer(request.request), to: request)
            case .waitUntil(let time): return time
            case .rest, .awaitAnswer: return nil
            }
        }
        throw WorldFailure.notQuiet
    }

    /// Tells a device that the server has changes, and carries out its requests.
    @discardableResult
    func notify(_ device: SimulatedDevice) throws -> UInt64? {
        try device.replica.notice(seq: seq, circleVersion: 0)
        return try carry(device)
    }

    /// Carries out a device's requests up to the first push, which is not sent.
    func requestToPush(of device: SimulatedDevice) throws -> NumberedRequest? {
        while case .send(let request) = try device.replica.nextRequest() {
            if case .push = request.request { return request }
            try device.replica.receive(answer(request.request), to: request)
        }
        return nil
    }

    func deliver(_ request: NumberedRequest, of device: SimulatedDevice) throws {
        try device.replica.receive(answer(request.request), to: request)
    }
}
