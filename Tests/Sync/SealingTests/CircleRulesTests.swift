import KSCausality
import KSRecords
import KSSealing
import Testing

/// The rules for adding a device; other operations are in CircleOperationTests.
struct CircleRulesTests {
    private let world: CircleWorld

    init() throws {
        world = try CircleWorld()
    }

    private var laptop: CircleSigner { .device(world.laptop) }
    private var credentials: CircleSigner { .credentials(world.credentials) }
    private var stranger: CircleSigner { .device(world.stranger) }

    /// The stranger as a member that the author adds.
    private func added(by author: CircleSigner) -> Member {
        world.member(
            stranger,
            .device,
            agreementKey: world.stranger.agreementPublicKey,
            version: 3,
            by: author
        )
    }

    /// The verdict on adding the stranger, with something changed.
    private func adding(
        by author: CircleSigner? = nil,
        signers: [CircleSigner]? = nil,
        _ changeEntry: (inout CircleEntry) -> Void = { _ in },
        member change: (Member) -> Member = { $0 },
        possession: [UInt8]? = nil
    ) -> CircleError? {
        let author = author ?? laptop
        var entry = world.next(.addDevice, by: author)
        let member = change(added(by: author))
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        changeEntry(&entry)
        let shown = world.possession(member, signer: stranger, entry: entry)
        return world.verdict(
            world.sign(entry, by: signers ?? [author], possession: possession ?? shown)
        )
    }

    @Test
    func `a device or the credentials may add a device`() {
        #expect(adding() == nil)
        #expect(adding(by: credentials) == nil)
    }

    @Test
    func `an entry follows the one before, in this account`() {
        let other = AccountID(validated: .rising(from: 1, count: 16))
        #expect(adding { $0.account = other } == .otherAccount)
        #expect(adding { $0.operation = .genesis } == .notGenesis)
        #expect(adding { $0.version = 2 } == .wrongVersion(expected: 3))
        #expect(adding { $0.version = 4 } == .wrongVersion(expected: 3))
        #expect(adding { $0.previousHash = world.chain.entries[0].hash } == .otherHistory)
    }

    @Test
    func `its author is a member of the entry before`() {
        #expect(adding(by: stranger) == .authorNotAllowed)
        #expect(adding(signers: []) == .signatureInvalid)
        #expect(adding(signers: [stranger]) == .signatureInvalid)
        #expect(adding(signers: [.device(world.phone)]) == .signatureInvalid)
        #expect(adding(signers: [laptop, .device(world.phone)]) == .signatureInvalid)
        #expect(adding(signers: [laptop, laptop]) == .signatureInvalid)
    }

    @Test
    func `every changed byte of an entry or its signature is refused`() throws {
        let previous = world.genesis.entry
        let signed = world.login.entry
        func verdict(_ signed: SignedEntry) -> CircleError? {
            do throws(CircleError) {
                _ = try CircleRules.check(next: signed, after: [previous])
                return nil
            } catch {
                return error
            }
        }
        #expect(verdict(signed) == nil)
        for index in signed.signedBytes.indices {
            let forged = SignedEntry(
                signedBytes: signed.signedBytes.flipping(index),
                signatures: signed.signatures,
                possession: signed.possession
            )
            #expect(verdict(forged) != nil, "byte \(index)")
        }
        for index in 0..<64 {
            let signature = MemberSignature(
                member: signed.signatures[0].member,
                signature: signed.signatures[0].signature.flipping(index)
            )
            let forged = SignedEntry(
                signedBytes: signed.signedBytes,
                signatures: [signature],
                possession: signed.possession
            )
            #expect(verdict(forged) == .signatureInvalid)
            let unproven = SignedEntry(
                signedBytes: signed.signedBytes,
                signatures: signed.signatures,
                possession: signed.possession.flipping(index)
            )
            #expect(verdict(unproven) == .possessionInvalid)
        }
    }

    @Test
    func `an added device has shown its keys, here and now`() {
        #expect(adding(possession: []) == .possessionInvalid)
        let member = added(by: laptop)
        var entry = world.next(.addDevice, by: laptop)
        let byAnother = world.possession(member, signer: laptop, entry: entry)
        #expect(adding(possession: byAnother) == .possessionInvalid)
        entry.previousHash = world.chain.entries[0].hash
        let earlier = world.possession(member, signer: stranger, entry: entry)
        #expect(adding(possession: earlier) == .possessionInvalid)
    }

    @Test
    func `an added device's id and keys are its own and usable`() {
        let taken = world.laptop.agreementPublicKey
        #expect(adding(member: { $0.changed(agreementKey: taken) }) == .memberInvalid)
        let one = [1] + [UInt8](repeating: 0, count: 31)
        #expect(adding(member: { $0.changed(agreementKey: one) }) == .memberInvalid)
        let id = MemberID(validated: .rising(from: 1, count: 16))
        #expect(adding(member: { $0.changed(id: id) }) == .memberInvalid)
        #expect(adding(member: { $0.changed(addedAtVersion: 2) }) == .memberInvalid)
        let other = world.phone.memberID
        #expect(adding(member: { $0.changed(addedBy: other) }) == .memberInvalid)
        let long = [UInt8](repeating: 0, count: 1025)
        #expect(adding(member: { $0.changed(nameBox: long) }) == .memberInvalid)
    }

    /// A key of small order accepts any signature; the signature check itself refuses it.
    @Test
    func `an added device's signing key is not of small order`() {
        let weak = [1] + [UInt8](repeating: 0, count: 31)
        let verdict = adding(
            member: { $0.changed(id: MemberID(signingKey: weak), signingKey: weak) },
            // R the identity, S zero: valid for every message under such a key.
            possession: weak + [UInt8](repeating: 0, count: 32)
        )
        #expect(verdict == .possessionInvalid)
    }

    @Test
    func `adding a device changes nothing else of the members`() {
        #expect(adding { $0.operation = .rename } == .membersChanged)
        #expect(adding(member: { $0.changed(kind: .recovery) }) == .membersChanged)
        #expect(
            adding { $0.members.removeAll { $0.id == world.phone.memberID } } == .membersChanged
        )
        let phone = world.phone.memberID
        func changingPhone(_ change: (Member) -> Member) -> CircleError? {
            adding { entry in
                entry.members = entry.members.map { $0.id == phone ? change($0) : $0 }
            }
        }
        #expect(changingPhone { $0 } == nil)
        #expect(changingPhone { $0.changed(nameBox: [1]) } == .membersChanged)
        #expect(changingPhone { $0.changed(addedAtVersion: 1) } == .membersChanged)
        #expect(changingPhone { $0.changed(addedBy: world.laptop.memberID) } == .membersChanged)
        #expect(changingPhone { $0.changed(kind: .recovery) } == .membersChanged)
        let key = DeviceIdentity.random(from: world.random).agreementPublicKey
        #expect(changingPhone { $0.changed(agreementKey: key) } == .membersChanged)
        #expect(changingPhone { $0.changed(signingKey: key) } == .membersChanged)
    }

    @Test
    func `one device at a time`() {
        let verdict = adding { entry in
            let second = DeviceIdentity.random(from: world.random)
            let member = world.member(
                .device(second),
                .device,
                agreementKey: second.agreementPublicKey,
                version: 3,
                by: laptop
            )
            entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        }
        #expect(verdict == .membersChanged)
    }

    @Test
    func `adding a device starts no generation and moves no floor`() {
        #expect(adding { $0.generation = 2 } == .generationInvalid)
        #expect(adding { $0.rootCheck = .rising(from: 1) } == .generationInvalid)
        let end = VersionVector([(actor: ActorID(rawValue: 1), counter: UInt64(1))])
        #expect(adding { $0.closingVector = end } == .generationInvalid)
        let digest = Hash(validated: .rising(from: 1))
        #expect(adding { $0.closingDigest = digest } == .generationInvalid)
        #expect(adding { $0.oldestFormat = 2 } == .floorInvalid)
        #expect(adding { $0.oldestFormat = 0 } == .floorInvalid)
        #expect(adding { $0.oldestGeneration = 0 } == .floorInvalid)
        #expect(adding { $0.oldestGeneration = 2 } == .floorInvalid)
    }
}
