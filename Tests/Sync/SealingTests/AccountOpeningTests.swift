import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import Testing

struct AccountOpeningTests {
    private let world: CircleWorld

    init() throws {
        world = try CircleWorld()
    }

    private var entries: [SignedEntry] { world.chain.entries }

    private func envelope(_ change: CircleChange, _ member: MemberID) throws -> KeyEnvelope {
        try #require(change.envelopes.first { $0.member == member })
    }

    /// Logs in with the server's answer, all of it true unless given.
    private func open(
        entries: [SignedEntry]? = nil,
        envelope: KeyEnvelope? = nil,
        box: [UInt8]? = nil,
        credentials: AccountCredentials? = nil,
        account: AccountID? = nil
    ) throws -> OpenedAccount {
        try AccountOpening.open(
            account: account ?? world.account,
            entries: entries ?? self.entries,
            envelope: envelope ?? self.envelope(world.login, world.credentials.memberID),
            credentialsBox: box ?? #require(world.login.credentialsBox),
            credentials: credentials ?? world.credentials
        )
    }

    @Test
    func `password and Account Key open the account`() throws {
        let opened = try open()
        #expect(try opened.keyRing.encode() == world.keyRing.encode())
        #expect(opened.chain == world.chain)
    }

    @Test
    func `the frozen circle is read, and opens`() throws {
        let credentials = try FrozenFormat("credentials cheap")
        let accountKey = try #require(AccountKey(bytes: credentials.bytes("accountKey")))
        let account = try #require(AccountID(FrozenFormat("record kv").bytes("account")))
        let entries = try ["genesis", "added device"].map { try Self.frozenEntry($0) }
        let keys = try AccountCredentials.derive(
            password: credentials.bytes("password"),
            accountKey: accountKey,
            cost: .simulation
        )
        for count in 1...2 {
            let frozen = try FrozenFormat(count == 1 ? "genesis" : "added device")
            let envelopes = try frozen.pairs("envelopes", "member", "sealed").map {
                KeyEnvelope(member: MemberID(validated: $0.0), sealed: $0.1)
            }
            let chain = try CircleChain(verifying: Array(entries.prefix(count)))
            #expect(try chain.newestHash.bytes == frozen.bytes("hash"))
            #expect(chain.newest.encoded == entries[count - 1].signedBytes)
            try CircleRules.checkEnvelopes(envelopes, of: chain.newest)
            let opened = try AccountOpening.open(
                account: account,
                entries: Array(entries.prefix(count)),
                envelope: #require(envelopes.first { $0.member == keys.memberID }),
                credentialsBox: frozen.bytes("credentialsBox"),
                credentials: keys
            )
            let ring = try FrozenFormat("key ring").bytes("encoded")
            #expect(try opened.keyRing.encode() == ring)
            let names = try chain.newest.members.filter { $0.kind == .device }.map {
                try MemberName.open(of: $0, account: account, keyRing: opened.keyRing)
            }
            #expect(names.sorted() == Array(["laptop", "phone"].prefix(count)))
            let laptop = try DeviceIdentity(
                decoding: FrozenFormat("device keys").bytes("encoded")
            )
            let own = try #require(envelopes.first { $0.member == laptop.memberID })
            let again = try AccountOpening.openKeyRing(
                envelope: own,
                of: chain.newest,
                identity: laptop,
                current: opened.keyRing
            )
            #expect(try again.encode() == ring)
        }
    }

    private static func frozenEntry(_ name: String) throws -> SignedEntry {
        let frozen = try FrozenFormat(name)
        return SignedEntry(
            signedBytes: try frozen.bytes("signed"),
            signatures: try frozen.pairs("signatures", "member", "signature").map {
                MemberSignature(member: MemberID(validated: $0.0), signature: $0.1)
            },
            possession: try frozen.bytes("possession")
        )
    }

    @Test
    func `a wrong password is called one, and so is another account's key`() throws {
        let wrong = try CircleWorld.credentials("passwort")
        #expect(throws: SealingError.wrongPassword) { try open(credentials: wrong) }
        let otherKey = try CircleWorld.credentials("password", key: 0xF1)
        #expect(throws: SealingError.wrongPassword) { try open(credentials: otherKey) }
    }

    @Test
    func `another account's circle is refused`() {
        let other = AccountID(validated: .rising(from: 1, count: 16))
        #expect(throws: SealingError.circle(.otherAccount)) { try open(account: other) }
    }

    @Test
    func `a circle that breaks its rules is refused`() {
        #expect(throws: SealingError.circle(.notGenesis)) { try open(entries: []) }
        #expect(throws: SealingError.circle(.notGenesis)) { try open(entries: [entries[1]]) }
    }

    /// The circle may still have a stolen laptop, for example.
    @Test
    func `an older circle than the credentials have seen is refused`() throws {
        let envelope = try envelope(world.genesis, world.credentials.memberID)
        #expect(throws: SealingError.circleRolledBack) {
            try open(entries: [entries[0]], envelope: envelope)
        }
    }

    @Test
    func `another history of the same length is refused`() throws {
        let first = try CircleChain(verifying: [entries[0]])
        let other = try CircleAuthoring.addDevice(
            DeviceApplication(of: world.stranger, name: "other", to: first),
            to: first,
            keyRing: world.keyRing,
            by: .device(world.laptop),
            random: world.random
        )
        let envelope = try envelope(other, world.credentials.memberID)
        #expect(throws: SealingError.circleRolledBack) {
            try open(entries: [entries[0], other.entry], envelope: envelope)
        }
    }

    @Test
    func `every changed byte of box or envelope is refused`() throws {
        let box = try #require(world.login.credentialsBox)
        for index in box.indices {
            #expect(throws: SealingError.notAuthentic) { try open(box: box.flipping(index)) }
        }
        let envelope = try envelope(world.login, world.credentials.memberID)
        for index in envelope.sealed.indices {
            let changed = KeyEnvelope(
                member: envelope.member,
                sealed: envelope.sealed.flipping(index)
            )
            #expect(throws: SealingError.notAuthentic) { try open(envelope: changed) }
        }
        for count in 0..<envelope.sealed.count {
            let cut = KeyEnvelope(
                member: envelope.member,
                sealed: Array(envelope.sealed.prefix(count))
            )
            #expect(throws: SealingError.notAuthentic) { try open(envelope: cut) }
        }
    }

    @Test
    func `another member's or an earlier envelope is refused`() throws {
        let laptops = try envelope(world.login, world.laptop.memberID)
        #expect(throws: SealingError.notAuthentic) { try open(envelope: laptops) }
        let renamed = KeyEnvelope(member: world.credentials.memberID, sealed: laptops.sealed)
        #expect(throws: SealingError.notAuthentic) { try open(envelope: renamed) }
        let earlier = try envelope(world.genesis, world.credentials.memberID)
        #expect(throws: SealingError.notAuthentic) { try open(envelope: earlier) }
    }

    /// A server that invents a whole account knows neither the wrap key nor H.
    @Test
    func `a box of other credentials does not open`() throws {
        let other = try CircleWorld.credentials("password", key: 0xF1)
        let invented = try CircleAuthoring.genesis(
            account: world.account,
            device: world.stranger,
            deviceName: "laptop",
            credentials: other,
            keyRing: .random(from: world.random),
            random: world.random
        )
        #expect(throws: SealingError.notAuthentic) { try open(box: invented.credentialsBox) }
    }

    @Test
    func `a device opens the ring of a newer entry`() throws {
        let entry = world.chain.newest
        let own = try envelope(world.login, world.phone.memberID)
        let ring = try AccountOpening.openKeyRing(
            envelope: own,
            of: entry,
            identity: world.phone,
            current: world.keyRing
        )
        #expect(try ring.encode() == world.keyRing.encode())
        #expect(throws: SealingError.notMember) {
            try AccountOpening.openKeyRing(
                envelope: own,
                of: entry,
                identity: world.stranger,
                current: world.keyRing
            )
        }
        #expect(throws: SealingError.notAuthentic) {
            try AccountOpening.openKeyRing(
                envelope: own,
                of: entry,
                identity: world.phone,
                current: .random(from: world.random)
            )
        }
    }

    @Test
    func `the root key has to be the one that the entry states`() throws {
        var entry = world.chain.newest
        entry.rootCheck = .rising(from: 1)
        let own = try envelope(world.login, world.phone.memberID)
        #expect(throws: SealingError.notAuthentic) {
            try AccountOpening.openKeyRing(
                envelope: own,
                of: entry,
                identity: world.phone,
                current: world.keyRing
            )
        }
    }

    @Test
    func `only a device's approval or the credentials add one, with a fresh application`() throws {
        let first = try CircleChain(verifying: [entries[0]])
        let stale = DeviceApplication(of: world.stranger, name: "late", to: first)
        #expect(throws: SealingError.circle(.possessionInvalid)) {
            try CircleAuthoring.addDevice(
                stale,
                to: world.chain,
                keyRing: world.keyRing,
                by: .device(world.laptop),
                random: world.random
            )
        }
        let fresh = DeviceApplication(of: world.stranger, name: "new", to: world.chain)
        let change = try CircleAuthoring.addDevice(
            fresh,
            to: world.chain,
            keyRing: world.keyRing,
            by: .device(world.laptop),
            random: world.random
        )
        #expect(change.credentialsBox == nil)
        #expect(change.envelopes.count == 4)
        #expect(throws: SealingError.circle(.authorNotAllowed)) {
            try CircleAuthoring.addDevice(
                fresh,
                to: world.chain,
                keyRing: world.keyRing,
                by: .device(world.stranger),
                random: world.random
            )
        }
        #expect(throws: SealingError.generationUnknown(generation: 1)) {
            try CircleAuthoring.addDevice(
                fresh,
                to: world.chain,
                keyRing: try world.keyRing.startingGeneration(from: world.random),
                by: .device(world.laptop),
                random: world.random
            )
        }
    }

    @Test
    func `a member's name is read by members, and moves to no other member`() throws {
        let members = world.chain.newest.members.filter { $0.kind == .device }
        let names = try members.map {
            try MemberName.open(of: $0, account: world.account, keyRing: world.keyRing)
        }
        #expect(names.sorted() == ["laptop", "phone"])
        let swapped = members[0].changed(nameBox: members[1].nameBox)
        #expect(throws: SealingError.notAuthentic) {
            try MemberName.open(of: swapped, account: world.account, keyRing: world.keyRing)
        }
        let later = try world.keyRing.startingGeneration(from: world.random)
        #expect(try MemberName.open(of: members[0], account: world.account, keyRing: later) != "")
        #expect(throws: SealingError.tooLarge) {
            try CircleAuthoring.genesis(
                account: world.account,
                device: world.laptop,
                deviceName: String(repeating: "x", count: Limits.memberNameBytesMax + 1),
                credentials: world.credentials,
                keyRing: world.keyRing,
                random: world.random
            )
        }
    }
}
