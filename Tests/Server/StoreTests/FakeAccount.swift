import KSCausality
import KSDigests
import KSMerging
import KSRecords
import KSStore

/// An account whose members have no keys: the store verifies no signature.
struct FakeAccount {
    let id: AccountID
    let name: String
    var devices: [MemberID]
    let credentials: MemberID
    var generation: UInt64 = 1
    var version: UInt64 = 1
    var newest: SignedEntry
    /// The name box of every member, from the next entry on.
    var nameBox: [UInt8] = []

    init(_ number: UInt8, name: String? = nil, devices: Int = 2) {
        id = AccountID(validated: [UInt8](repeating: number, count: 16))
        self.name = name ?? "account \(number)"
        self.devices = (0..<devices).map { FakeAccount.member(number, UInt8($0 + 1)) }
        credentials = FakeAccount.member(number, 0)
        newest = SignedEntry(signedBytes: [], signatures: [], possession: [])
        newest = entry(version: 1, operation: .genesis)
    }

    private static func member(_ account: UInt8, _ number: UInt8) -> MemberID {
        MemberID(validated: [number] + [UInt8](repeating: account, count: 15))
    }

    /// The first device, or the credentials of an account without devices.
    var device: MemberID { devices.first ?? credentials }

    var memberIDs: [MemberID] { [credentials] + devices }

    func envelopes(version: UInt64) -> [KeyEnvelope] {
        memberIDs.map {
            KeyEnvelope(member: $0, sealed: $0.bytes + [UInt8(truncatingIfNeeded: version)])
        }
    }

    func entry(
        version: UInt64,
        operation: CircleOperation,
        closingVector: VersionVector = VersionVector()
    ) -> SignedEntry {
        let members = memberIDs.map { member in
            Member(
                id: member,
                kind: member == credentials ? .credentials : .device,
                signingKey: member.bytes + member.bytes,
                agreementKey: member.bytes + member.bytes,
                nameBox: nameBox,
                addedAtVersion: 1,
                addedBy: device
            )
        }
        let entry = CircleEntry(
            account: id,
            version: version,
            previousHash: version == 1 ? .zero : newest.hash,
            operation: operation,
            members: members,
            generation: generation,
            rootCheck: [UInt8](repeating: 0, count: 32),
            closingVector: closingVector,
            oldestGeneration: 1,
            oldestFormat: 1,
            envelopesHash: KeyEnvelope.hash(envelopes(version: version)),
            author: device
        )
        return SignedEntry(
            signedBytes: entry.encoded,
            signatures: [MemberSignature(member: device, signature: [1, 2, 3])],
            possession: []
        )
    }

    var signUp: NewAccount {
        NewAccount(
            id: id,
            name: name,
            genesis: CircleChange(
                entry: newest,
                envelopes: envelopes(version: 1),
                credentialsBox: [42]
            )
        )
    }

    /// Adds the next entry to a store.
    mutating func append(_ operation: CircleOperation, to store: any Store) throws {
        let before = version
        try store.appendEntry(advance(operation: operation), to: id, ifVersion: before)
    }

    /// Changes the fake to its next version, and returns the input for the store.
    mutating func advance(
        operation: CircleOperation = .rename,
        raisingGenerationAt closingVector: VersionVector? = nil,
        credentialsBox: [UInt8]? = nil
    ) -> CircleChange {
        version += 1
        if closingVector != nil { generation += 1 }
        newest = entry(
            version: version,
            operation: operation,
            closingVector: closingVector ?? VersionVector()
        )
        return CircleChange(
            entry: newest,
            envelopes: envelopes(version: version),
            credentialsBox: credentialsBox
        )
    }
}

/// One write, before it has a dot.
struct FakeWrite {
    var record: RecordID
    var replaced: [Dot] = []
    var isTombstone = false
    var box: [UInt8] = [1, 2, 3]
    var kind = RecordKind.keychain
}

/// A writer that numbers and chains its batches as a device does.
struct FakeActor {
    let id: ActorID
    let account: AccountID
    let member: MemberID
    var epoch: StoreEpoch
    var generation: UInt64 = 1
    var counter: UInt64 = 0
    var chain = Hash.zero

    init(_ id: UInt64, of account: FakeAccount, device: Int = 0, epoch: StoreEpoch) {
        self.id = ActorID(rawValue: id)
        self.account = account.id
        member = account.devices[device]
        self.epoch = epoch
        generation = account.generation
    }

    func dot(_ counter: UInt64) -> Dot { Dot(actor: id, counter: counter) }

    var lastDot: Dot { dot(counter) }

    mutating func seal(_ writes: [FakeWrite]) -> Batch {
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
            account: account,
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
        return Batch(signedHeader: header.encoded, signature: [9], envelopes: envelopes)
    }

    func request(_ batch: Batch, applied: Cursor? = nil) -> PushRequest {
        PushRequest(account: account, member: member, batch: batch, applied: applied)
    }

    /// Seals and pushes one batch.
    @discardableResult
    mutating func push(_ writes: [FakeWrite], to store: any Store) throws -> PushAnswer {
        let batch = seal(writes)
        return try store.push([request(batch)])[0].get()
    }

    /// Seals and pushes a batch of one write.
    @discardableResult
    mutating func push(
        _ record: RecordID,
        replacing replaced: [Dot] = [],
        box: [UInt8] = [1, 2, 3],
        to store: any Store
    ) throws -> PushAnswer {
        try push([FakeWrite(record: record, replaced: replaced, box: box)], to: store)
    }
}

extension PushAnswer {
    /// What every retry gets: all but how full the account is.
    var lasting: PushAnswer {
        var answer = self
        answer.usage = nil
        return answer
    }
}

extension Result<PushAnswer, StoreError> {
    var lasting: Self { map(\.lasting) }
}

extension RecordID {
    /// The id of a test's n-th record.
    static func number(_ number: Int) -> RecordID {
        RecordID(validated: SHA256.hash(Array("record \(number)".utf8)))
    }
}
