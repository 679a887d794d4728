import KSCausality
import KSMerging
import KSRecords

/// One write, before it has a dot.
struct PlainWrite {
    var record: RecordID = .number(1)
    var replaced: [Dot] = []
    var isTombstone = false
    var box: [UInt8] = [1]
    var kind = RecordKind.keychain
}

/// An actor of a device: it numbers and chains its batches.
struct Writer {
    static let account = AccountID(validated: [UInt8](repeating: 1, count: 16))
    static let device = MemberID(validated: [UInt8](repeating: 2, count: 16))

    let id: ActorID
    var member = Writer.device
    var epoch = StoreEpoch.number(0)
    var generation: UInt64 = 1
    var counter: UInt64 = 0
    var chain = Hash.zero

    init(_ id: UInt64) {
        self.id = ActorID(rawValue: id)
    }

    func dot(_ counter: UInt64) -> Dot { Dot(actor: id, counter: counter) }

    mutating func seal(_ writes: [PlainWrite], applied: Cursor? = nil) throws -> IncomingBatch {
        let batch = batch(writes)
        return try IncomingBatch(
            PushRequest(account: Self.account, member: member, batch: batch, applied: applied)
        )
    }

    static func request(_ batch: Batch, of account: AccountID = Self.account) -> PushRequest {
        PushRequest(account: account, member: device, batch: batch, applied: nil)
    }

    mutating func batch(_ writes: [PlainWrite]) -> Batch {
        let envelopes = writes.enumerated().map { offset, write in
            Envelope(
                recordID: write.record,
                dot: dot(counter + UInt64(offset) + 1),
                replaced: write.replaced,
                generation: generation,
                isTombstone: write.isTombstone,
                kind: write.kind,
                box: write.box
            )
        }
        let header = BatchHeader(
            account: Self.account,
            epoch: epoch,
            circleVersion: 1,
            generation: generation,
            actor: id,
            firstCounter: counter + 1,
            count: UInt64(writes.count),
            previousChain: chain,
            chain: BatchChain.extend(chain, with: envelopes)
        )
        counter += UInt64(writes.count)
        chain = header.chain
        return Batch(signedHeader: header.encoded, signature: [], envelopes: envelopes)
    }
}

extension RecordID {
    static func number(_ number: UInt8) -> RecordID {
        RecordID(validated: [UInt8](repeating: number, count: 32))
    }
}

extension StoreEpoch {
    static func number(_ number: UInt8) -> StoreEpoch {
        StoreEpoch(validated: [UInt8](repeating: number, count: 16))
    }
}

extension AccountStanding {
    /// An account's state; by default that of an empty account.
    static func with(
        epoch: StoreEpoch = .number(0),
        seq: UInt64 = 0,
        removalHorizon: UInt64 = 0,
        circleVersion: UInt64 = 1,
        generation: UInt64 = 1,
        recordBytes: Int64 = 0,
        circleBytes: Int64 = 100
    ) -> AccountStanding {
        AccountStanding(
            epoch: epoch,
            seq: seq,
            removalHorizon: removalHorizon,
            circleVersion: circleVersion,
            generation: generation,
            recordBytes: recordBytes,
            circleBytes: circleBytes
        )
    }
}
