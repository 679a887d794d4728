import KSCausality
import KSRecords
import KSSealing
import Testing

/// Revoking, renaming, replacing and retiring: rules that hold before anything writes such entries.
struct CircleOperationTests {
    private let world: CircleWorld
    private let newCredentials: AccountCredentials

    init() throws {
        world = try CircleWorld()
        newCredentials = try CircleWorld.credentials("another")
    }

    private var laptop: CircleSigner { .device(world.laptop) }
    private var phone: CircleSigner { .device(world.phone) }
    private var credentials: CircleSigner { .credentials(world.credentials) }

    private func verdict(_ entry: CircleEntry, by signers: [CircleSigner]) -> CircleError? {
        world.verdict(world.sign(entry, by: signers))
    }

    // MARK: Revoking

    @Test
    func `a device or the credentials may revoke a device`() throws {
        let byLaptop = world.removing([phone.memberID], by: laptop)
        #expect(verdict(byLaptop, by: [laptop]) == nil)
        let byCredentials = world.removing([phone.memberID], by: credentials)
        #expect(verdict(byCredentials, by: [credentials]) == nil)
        let both = world.removing([phone.memberID, laptop.memberID], by: credentials)
        // The last device may be a thief's.
        #expect(verdict(both, by: [credentials]) == nil)
        #expect(verdict(world.removing([], by: laptop), by: [laptop]) == .membersChanged)
    }

    @Test
    func `the revoking member stays, and so do the credentials`() {
        let itself = world.removing([laptop.memberID], by: laptop)
        #expect(verdict(itself, by: [laptop]) == .membersChanged)
        let login = world.removing([credentials.memberID], by: laptop)
        #expect(verdict(login, by: [laptop]) == .membersChanged)
    }

    @Test
    func `only earlier generations are void, and only a new generation changes which`() throws {
        func verdict(voiding generations: [UInt64]) -> CircleError? {
            var entry = world.removing([phone.memberID], by: laptop)
            entry.voidGenerations = generations
            return self.verdict(entry, by: [laptop])
        }
        #expect(verdict(voiding: [1]) == nil)
        for generations in [[0], [2], [1, 2], [3]] as [[UInt64]] {
            #expect(verdict(voiding: generations) == .generationInvalid)
        }
        var rename = world.next(.rename, by: laptop)
        rename.members[0].nameBox = [1]
        #expect(self.verdict(rename, by: [laptop]) == nil)
        rename.voidGenerations = [1]
        #expect(self.verdict(rename, by: [laptop]) == .generationInvalid)
    }

    @Test
    func `a revoked device signs nothing any more`() throws {
        var chain = world.chain
        let entry = world.removing([phone.memberID], by: laptop)
        try chain.append(world.sign(entry, by: [laptop]))
        var next = entry
        next.version += 1
        next.previousHash = chain.newestHash
        next.operation = .rename
        next.author = phone.memberID
        let signed = world.sign(next, by: [phone])
        #expect(throws: CircleError.authorNotAllowed) { try chain.append(signed) }
    }

    @Test
    func `revoking starts the next generation, with another root key`() throws {
        var same = world.removing([phone.memberID], by: laptop)
        same.generation = 1
        #expect(verdict(same, by: [laptop]) == .generationInvalid)
        var jump = world.removing([phone.memberID], by: laptop)
        jump.generation = 3
        #expect(verdict(jump, by: [laptop]) == .generationInvalid)
        var sameRoot = world.removing([phone.memberID], by: laptop)
        sameRoot.rootCheck = world.chain.newest.rootCheck
        #expect(verdict(sameRoot, by: [laptop]) == .generationInvalid)

        var ended = world.removing([phone.memberID], by: laptop)
        let end = VersionVector([(actor: ActorID(rawValue: 1), counter: UInt64(5))])
        ended.closingVector = end
        ended.closingDigest = Hash(validated: .rising(from: 1))
        var chain = world.chain
        try chain.append(world.sign(ended, by: [laptop]))
        #expect(chain.closingVectors == [1: end])
        #expect(RecordFloors(chain).closingVectors == [1: end])
    }

    // MARK: Renaming

    @Test
    func `a device may rename, and renaming changes names only`() {
        var entry = world.next(.rename, by: laptop)
        #expect(verdict(entry, by: [laptop]) == .membersChanged)
        entry.members[0] = entry.members[0].changed(nameBox: [1, 2, 3])
        #expect(verdict(entry, by: [laptop]) == nil)
        entry.author = credentials.memberID
        #expect(verdict(entry, by: [credentials]) == .authorNotAllowed)
        entry.author = laptop.memberID
        entry.members[0] = entry.members[0].changed(nameBox: [UInt8](repeating: 0, count: 1025))
        #expect(verdict(entry, by: [laptop]) == .memberInvalid)
        let signed = world.sign(
            world.next(.rename, by: laptop),
            by: [laptop],
            possession: [1]
        )
        #expect(world.verdict(signed) == .membersChanged)
    }

    // MARK: New credentials

    private func replacing(by signers: [CircleSigner], author: CircleSigner? = nil) -> CircleError?
    {
        let author = author ?? laptop
        var entry = world.removing(
            [credentials.memberID],
            by: author,
            as: .replaceCredentials
        )
        let member = world.member(
            .credentials(newCredentials),
            .credentials,
            agreementKey: newCredentials.agreementPublicKey,
            version: 3,
            by: author
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let shown = world.possession(
            member,
            signer: .credentials(newCredentials),
            entry: entry
        )
        return world.verdict(world.sign(entry, by: signers, possession: shown))
    }

    @Test
    func `new credentials take a device and the old ones, or two devices`() {
        #expect(replacing(by: [laptop, credentials]) == nil)
        #expect(replacing(by: [laptop, phone]) == nil)
    }

    @Test
    func `one device alone, even a stolen one, replaces no credentials`() {
        #expect(replacing(by: [laptop]) == .secondSignatureMissing)
        #expect(replacing(by: [laptop, laptop]) == .secondSignatureMissing)
        #expect(
            replacing(by: [laptop, .credentials(newCredentials)]) == .secondSignatureMissing
        )
        #expect(replacing(by: [laptop, .device(world.stranger)]) == .secondSignatureMissing)
        #expect(replacing(by: [laptop, phone, credentials]) == .secondSignatureMissing)
        #expect(replacing(by: [credentials, laptop], author: credentials) == .authorNotAllowed)
        #expect(replacing(by: [credentials]) == .signatureInvalid)
    }

    @Test
    func `the second signature is checked, too`() throws {
        let entry = world.removing([credentials.memberID], by: laptop, as: .replaceCredentials)
        let bytes = entry.encoded
        let signed = SignedEntry(
            signedBytes: bytes,
            signatures: [
                MemberSignature(member: laptop.memberID, signature: laptop.sign(bytes)),
                MemberSignature(member: phone.memberID, signature: laptop.sign(bytes)),
            ],
            possession: []
        )
        #expect(world.verdict(signed) == .signatureInvalid)
    }

    // MARK: Recovery

    private func addingRecovery(by signers: [CircleSigner]) -> CircleError? {
        let recovery = CircleSigner.device(world.stranger)
        var entry = world.next(.changeRecovery, by: laptop)
        let member = world.member(
            recovery,
            .recovery,
            agreementKey: world.stranger.agreementPublicKey,
            version: 3,
            by: laptop
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let shown = world.possession(member, signer: recovery, entry: entry)
        return world.verdict(world.sign(entry, by: signers, possession: shown))
    }

    @Test
    func `a recovery key, too, takes two members to add`() {
        #expect(addingRecovery(by: [laptop, credentials]) == nil)
        #expect(addingRecovery(by: [laptop]) == .secondSignatureMissing)
        let empty = world.next(.changeRecovery, by: laptop)
        #expect(verdict(empty, by: [laptop, phone]) == .membersChanged)
    }

    // MARK: Retiring

    @Test
    func `floors rise by retiring only, and never fall`() throws {
        var entry = world.next(.retireGenerations, by: laptop)
        #expect(verdict(entry, by: [laptop, credentials]) == .floorInvalid)
        entry.oldestFormat = 2
        #expect(verdict(entry, by: [laptop, credentials]) == nil)
        // Floors above what the account has would end it, so a thief's device is not enough.
        #expect(verdict(entry, by: [laptop]) == .secondSignatureMissing)
        entry.oldestGeneration = 2
        #expect(verdict(entry, by: [laptop, credentials]) == .floorInvalid)
        entry.oldestGeneration = 1
        entry.author = credentials.memberID
        #expect(verdict(entry, by: [credentials]) == .authorNotAllowed)

        var chain = world.chain
        entry.author = laptop.memberID
        try chain.append(world.sign(entry, by: [laptop, credentials]))
        var lower = entry
        lower.version += 1
        lower.previousHash = chain.newestHash
        lower.oldestFormat = 1
        let signed = world.sign(lower, by: [laptop, credentials])
        #expect(throws: CircleError.floorInvalid) { try chain.append(signed) }
    }

    // MARK: The chain

    @Test
    func `a chain knows its entries by version and hash`() throws {
        let chain = world.chain
        #expect(chain.contains(version: 1, hash: world.genesis.entry.hash))
        #expect(chain.contains(version: 2, hash: world.login.entry.hash))
        #expect(!chain.contains(version: 1, hash: world.login.entry.hash))
        #expect(!chain.contains(version: 0, hash: world.genesis.entry.hash))
        #expect(!chain.contains(version: 3, hash: world.login.entry.hash))
        #expect(chain.newest == (try world.login.entry.entry()))
        #expect(throws: CircleError.otherHistory) {
            var entry = world.next(.rename, by: laptop)
            entry.version = 2
            entry.previousHash = .zero
            _ = try CircleChain(verifying: [
                world.genesis.entry, world.sign(entry, by: [laptop]),
            ])
        }
        #expect(throws: CircleError.notGenesis) {
            try CircleChain(verifying: [world.genesis.entry, world.genesis.entry])
        }
    }
}
