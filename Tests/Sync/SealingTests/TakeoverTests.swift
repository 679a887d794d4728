import KSRecords
import KSSealing
import Testing

/// The attempts of a thief with one unlocked device: more devices, then new credentials,
/// a recovery key, the end of the account.
///
/// Clients and server have the same rules.
struct TakeoverTests {
    private var world: CircleWorld
    private let tablet: DeviceIdentity
    private let watch: DeviceIdentity

    init() throws {
        world = try CircleWorld()
        tablet = .random(from: world.random)
        watch = .random(from: world.random)
    }

    private var laptop: CircleSigner { .device(world.laptop) }
    private var phone: CircleSigner { .device(world.phone) }
    private var credentials: CircleSigner { .credentials(world.credentials) }

    private mutating func add(_ device: DeviceIdentity, by sponsor: CircleSigner) throws {
        let change = try CircleAuthoring.addDevice(
            DeviceApplication(of: device, name: "another", to: world.chain),
            to: world.chain,
            keyRing: world.keyRing,
            by: sponsor,
            random: world.random
        )
        try world.chain.append(change.entry)
    }

    private mutating func revoke(_ device: DeviceIdentity, by author: CircleSigner) throws {
        let entry = world.removing([device.memberID], by: author)
        try world.chain.append(world.sign(entry, by: [author]))
    }

    /// Adds a member without an envelope: the rules do not read those.
    private mutating func addAgain(_ device: DeviceIdentity, by sponsor: CircleSigner) throws {
        var entry = world.next(.addDevice, by: sponsor)
        let member = world.member(
            .device(device),
            .device,
            agreementKey: device.agreementPublicKey,
            version: entry.version,
            by: sponsor
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let shown = world.possession(member, signer: .device(device), entry: entry)
        try world.chain.append(world.sign(entry, by: [sponsor], possession: shown))
    }

    private func replacing(_ author: CircleSigner, _ second: CircleSigner) throws -> CircleError? {
        let new = try CircleWorld.credentials("a thief's")
        var entry = world.removing(
            [credentials.memberID],
            by: author,
            as: .replaceCredentials
        )
        let member = world.member(
            .credentials(new),
            .credentials,
            agreementKey: new.agreementPublicKey,
            version: entry.version,
            by: author
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let shown = world.possession(member, signer: .credentials(new), entry: entry)
        let signed = world.sign(entry, by: [author, second], possession: shown)
        var chain = world.chain
        let verdict = world.verdict(signed)
        do throws(CircleError) {
            try chain.append(signed)
            #expect(verdict == nil)
        } catch {
            #expect(verdict == error, "server and client say the same")
        }
        return verdict
    }

    private func addingRecovery(_ author: CircleSigner, _ second: CircleSigner) -> CircleError? {
        let recovery = CircleSigner.device(world.stranger)
        var entry = world.next(.changeRecovery, by: author)
        let member = world.member(
            recovery,
            .recovery,
            agreementKey: world.stranger.agreementPublicKey,
            version: entry.version,
            by: author
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let shown = world.possession(member, signer: recovery, entry: entry)
        return world.verdict(world.sign(entry, by: [author, second], possession: shown))
    }

    private func ending(_ device: CircleSigner, _ second: CircleSigner) -> CircleError? {
        do throws(CircleError) {
            try CircleRules.checkEnd(
                of: world.chain.entries,
                by: device.memberID,
                and: second.memberID
            )
            return nil
        } catch {
            return error
        }
    }

    /// These two may do nothing that needs two members, whichever of them is the author.
    private func expectOneThief(_ first: CircleSigner, _ second: CircleSigner) throws {
        for (author, other) in [(first, second), (second, first)] {
            #expect(try replacing(author, other) == .secondSignerNotIndependent)
            #expect(addingRecovery(author, other) == .secondSignerNotIndependent)
            #expect(ending(author, other) == .secondSignerNotIndependent)
        }
    }

    @Test
    mutating func `a stolen device and one that it added count as one`() throws {
        try add(tablet, by: phone)
        try expectOneThief(phone, .device(tablet))
        try add(watch, by: .device(tablet))
        try expectOneThief(phone, .device(watch))
        try expectOneThief(.device(tablet), .device(watch))
        #expect(try replacing(laptop, .device(watch)) == nil)
    }

    @Test
    mutating func `two that a stolen device added count as one, also when it is gone`() throws {
        try add(tablet, by: phone)
        try add(watch, by: phone)
        try expectOneThief(.device(tablet), .device(watch))
        try revoke(world.phone, by: .device(tablet))
        try expectOneThief(.device(tablet), .device(watch))
        #expect(ending(phone, .device(watch)) == .authorNotAllowed)
    }

    @Test
    mutating func `a stolen device that was added again by its own has its line`() throws {
        try add(tablet, by: phone)
        try revoke(world.phone, by: .device(tablet))
        try addAgain(world.phone, by: .device(tablet))
        try expectOneThief(phone, .device(tablet))
        // The credentials added it once, which does not count now.
        let member = try #require(world.chain.newest.member(world.phone.memberID))
        #expect(
            world.chain.sponsors.line(of: member)
                == [world.phone.memberID, tablet.memberID, world.phone.memberID]
        )
    }

    @Test
    mutating func `a device and the old credentials may, and so may two unrelated devices`() throws
    {
        for second in [credentials, phone] {
            #expect(try replacing(laptop, second) == nil)
            #expect(addingRecovery(laptop, second) == nil)
            #expect(ending(laptop, second) == nil)
        }
        #expect(ending(credentials, laptop) == .authorNotAllowed)
        #expect(ending(laptop, laptop) == .secondSignerNotIndependent)
        #expect(ending(laptop, .device(world.stranger)) == .authorNotAllowed)
    }

    @Test
    mutating func `a device and a recovery key may`() throws {
        let recovery = CircleSigner.device(world.stranger)
        var entry = world.next(.changeRecovery, by: laptop)
        let member = world.member(
            recovery,
            .recovery,
            agreementKey: world.stranger.agreementPublicKey,
            version: entry.version,
            by: laptop
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        let shown = world.possession(member, signer: recovery, entry: entry)
        try world.chain.append(world.sign(entry, by: [laptop, credentials], possession: shown))
        #expect(try replacing(phone, recovery) == nil)
        #expect(ending(phone, recovery) == nil)
        #expect(ending(recovery, phone) == .authorNotAllowed)
        // A device that a recovery key added has no other device in its line.
        try add(tablet, by: recovery)
        #expect(try replacing(phone, .device(tablet)) == nil)
    }
}
