internal import KSCausality
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSSealing
internal import KSStore
internal import KSTestSupport

/// An account with devices whose keys follow from its number, so that no run has to keep them.
struct MadeAccount: Sendable {
    /// What an item of 400 bytes becomes: padded to 512, and sealed.
    static let boxByteCount = 556

    let number: Int
    let id: AccountID
    let devices: [DeviceIdentity]
    private let credentials: MemberID
    private let random: SeededRandomSource

    init(_ number: Int, devices count: Int) {
        self.number = number
        random = SeededRandomSource(seed: UInt64(number) &* 0x9E37_79B9)
        id = AccountID(validated: random.bytes(AccountID.byteCount))
        let random = random
        devices = (0..<count).map { _ in DeviceIdentity.random(from: random) }
        credentials = MemberID(validated: random.bytes(MemberID.byteCount))
    }

    /// The changes that make its circle: the first device signs up, each other one is added.
    ///
    /// The server's store verifies no signature, and nobody opens what is sealed to a member.
    var circle: [CircleChange] {
        var changes: [CircleChange] = []
        var previous = Hash.zero
        for version in 1...devices.count {
            let change = change(version: version, after: previous)
            previous = change.entry.hash
            changes.append(change)
        }
        return changes
    }

    var signUp: NewAccount {
        NewAccount(id: id, name: "account \(number)", genesis: change(version: 1, after: .zero))
    }

    private func change(version: Int, after previous: Hash) -> CircleChange {
        let present = devices.prefix(version)
        func member(_ id: MemberID, _ kind: MemberKind, _ keys: [UInt8], _ since: Int) -> Member {
            Member(
                id: id,
                kind: kind,
                signingKey: keys,
                agreementKey: keys,
                nameBox: [UInt8](repeating: 7, count: 48),
                addedAtVersion: UInt64(since),
                addedBy: devices[0].memberID
            )
        }
        let members =
            [member(credentials, .credentials, [UInt8](repeating: 1, count: 32), 1)]
            + present.enumerated().map { offset, device in
                member(device.memberID, .device, device.signingPublicKey, offset + 1)
            }
        let envelopes = members.map {
            KeyEnvelope(member: $0.id, sealed: [UInt8](repeating: 3, count: 220))
        }
        let entry = CircleEntry(
            account: id,
            version: UInt64(version),
            previousHash: previous,
            operation: version == 1 ? .genesis : .addDevice,
            members: members.sorted { $0.id < $1.id },
            generation: 1,
            rootCheck: [UInt8](repeating: 0, count: 32),
            closingVector: VersionVector(),
            oldestGeneration: 1,
            oldestFormat: 1,
            envelopesHash: KeyEnvelope.hash(envelopes),
            author: devices[0].memberID
        )
        let signature = MemberSignature(
            member: devices[0].memberID,
            signature: [UInt8](repeating: 5, count: 64)
        )
        return CircleChange(
            entry: SignedEntry(
                signedBytes: entry.encoded,
                signatures: [signature],
                possession: [UInt8](repeating: 6, count: version == 1 ? 0 : 64)
            ),
            envelopes: envelopes,
            credentialsBox: version == 1 ? [UInt8](repeating: 4, count: 160) : nil
        )
    }
}

/// A device that numbers, chains and signs its batches as a client does.
struct MadeWriter {
    let account: MadeAccount
    let device: DeviceIdentity
    private let actor: ActorID
    private let epoch: StoreEpoch
    private let signer: BatchSigner
    private var counter: UInt64 = 0
    private var chain = Hash.zero
    private var generator: SeededGenerator

    /// `actor`: one that the account does not have yet.
    init(_ account: MadeAccount, device: Int, actor: UInt64, epoch: StoreEpoch) {
        self.account = account
        self.device = account.devices[device]
        self.actor = ActorID(rawValue: actor)
        self.epoch = epoch
        signer = BatchSigner(identity: self.device, account: account.id)
        generator = SeededGenerator(seed: actor ^ UInt64(account.number) << 32)
    }

    /// The next batch, of this many new records.
    mutating func batch(of count: Int) -> Batch {
        let envelopes = (0..<count).map { _ in
            counter += 1
            return Envelope(
                recordID: RecordID(validated: bytes(RecordID.byteCount)),
                dot: Dot(actor: actor, counter: counter),
                replaced: [],
                generation: 1,
                isTombstone: false,
                kind: .keychain,
                box: bytes(MadeAccount.boxByteCount)
            )
        }
        let batch = signer.batch(
            of: envelopes,
            epoch: epoch,
            circleVersion: 1,
            generation: 1,
            previousChain: chain
        )
        chain = BatchChain.extend(chain, with: envelopes)
        return batch
    }

    mutating func request(of count: Int) -> PushRequest {
        PushRequest(
            account: account.id,
            member: device.memberID,
            batch: batch(of: count),
            applied: nil
        )
    }

    /// Eight bytes at a time: millions of boxes are made.
    private mutating func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var word: UInt64 = 0
            for index in 0..<count {
                if index % 8 == 0 { word = generator.next() }
                unsafe buffer[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
            }
            filled = count
        }
    }
}
