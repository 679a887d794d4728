import KSDeviceKeys
import KSDigests
import KSRecords
import KSSealing
import KSTestSupport
import Testing

import KSSyncEngine

/// A device reads the circle's entries, also those of a dishonest server or member.
struct ReplicaCircleTests {
    private let account: ReplicaAccount
    private let reader: ReplicaHome
    private let random = SeededRandomSource(seed: 12)

    init() throws {
        account = try ReplicaAccount()
        reader = try ReplicaHome(account)
        try reader.pull(account.page(to: 0))
    }

    /// The entry by which the first device adds another one.
    private func adding(to chain: CircleChain) throws -> SignedEntry {
        try CircleAuthoring.addDevice(
            DeviceApplication(of: .random(from: random), name: "new", to: chain),
            to: chain,
            keyRing: account.keyRing,
            by: .device(account.first),
            random: random
        ).entry
    }

    /// A `rename` with a member's valid signature, whose envelopes are rubbish.
    private func rubbish(after chain: CircleChain) -> SignedEntry {
        let author = CircleSigner.device(account.first)
        var entry = chain.newest
        entry.version += 1
        entry.previousHash = chain.newestHash
        entry.operation = .rename
        entry.author = author.memberID
        entry.members = entry.members.map { member in
            guard member.kind == .device else { return member }
            return Member(
                id: member.id,
                kind: member.kind,
                signingKey: member.signingKey,
                agreementKey: member.agreementKey,
                nameBox: [1],
                addedAtVersion: member.addedAtVersion,
                addedBy: member.addedBy
            )
        }
        entry.envelopesHash = KeyEnvelope.hash(
            entry.members.map { KeyEnvelope(member: $0.id, sealed: random.bytes(100)) }
        )
        let bytes = entry.encoded
        return SignedEntry(
            signedBytes: bytes,
            signatures: [
                MemberSignature(member: author.memberID, signature: author.sign(bytes))
            ],
            possession: []
        )
    }

    private func chain(_ entries: SignedEntry...) throws -> CircleChain {
        try CircleChain(verifying: account.circle.entries + entries)
    }

    /// One round: the page announces a circle of this version, and the device asks for it.
    private func round(to version: UInt64, _ entries: [SignedEntry]) throws -> SyncRequest {
        reader.replica.wake()
        try reader.pull(account.page(to: 0, circleVersion: version))
        let request = try reader.next()
        let isUsable = try reader.replica.receive(.circle(entries), to: request)
        #expect(isUsable == (reader.replica.circleTrouble == nil))
        return request.request
    }

    private func version() throws -> UInt64 { try reader.replica.state().circleVersion }

    /// Sync is not paused: the next round goes on.
    private func expectGoesOn() throws {
        #expect(try reader.replica.state().hold == nil)
        reader.replica.wake()
        try reader.pull(account.page(to: 0))
        #expect(try reader.replica.nextRequest() == .rest)
    }

    @Test
    func `an entry that does not verify is asked for again, and does not count as a fork`() throws {
        let good = try adding(to: account.circle)
        let badSignature = SignedEntry(
            signedBytes: good.signedBytes,
            signatures: [
                MemberSignature(
                    member: account.first.memberID,
                    signature: [UInt8](repeating: 1, count: 64)
                )
            ],
            possession: good.possession
        )
        let badBytes = SignedEntry(
            signedBytes: Array(good.signedBytes.dropLast()),
            signatures: good.signatures,
            possession: good.possession
        )
        let noPossession = SignedEntry(
            signedBytes: good.signedBytes,
            signatures: good.signatures,
            possession: []
        )
        let stranger = try ReplicaAccount()
        let lies = [
            [badSignature], [badBytes], [noPossession], stranger.circle.entries,
            [try adding(to: try chain(good))],
        ]
        for (index, lie) in lies.enumerated() {
            let request = try round(to: 2, lie)
            #expect(request == .circle(after: index == 0 ? 1 : 0))
            #expect(reader.replica.circleTrouble == .entryInvalid)
            #expect(try version() == 1)
            try expectGoesOn()
        }
        let request = try round(to: 2, account.circle.entries + [good])
        #expect(request == .circle(after: 0))
        #expect(reader.replica.circleTrouble == nil)
        #expect(try version() == 2)
        #expect(try reader.replica.state().hold == nil)
    }

    @Test
    func `two signed entries for one version pause sync`() throws {
        let (one, other) = (try adding(to: account.circle), try adding(to: account.circle))
        _ = try round(to: 2, [one])
        #expect(try version() == 2)
        // An extension of the other entry proves nothing: the device asks for the whole circle.
        let beyond = try adding(to: try chain(other))
        _ = try round(to: 3, [beyond])
        #expect(reader.replica.circleTrouble == .entryInvalid)
        try expectGoesOn()
        let request = try round(to: 3, account.circle.entries + [other, beyond])
        #expect(request == .circle(after: 0))
        #expect(try reader.replica.state().hold == .circleForked)
        #expect(try reader.replica.nextRequest() == .rest)
        #expect(try version() == 2)
    }

    @Test
    func `an unsigned second entry or a shorter circle does not count as a fork`() throws {
        let one = try adding(to: account.circle)
        _ = try round(to: 2, [one])
        let other = try adding(to: account.circle)
        let forged = SignedEntry(
            signedBytes: other.signedBytes,
            signatures: one.signatures,
            possession: other.possession
        )
        for lie in [
            account.circle.entries + [forged], account.circle.entries, [forged],
            try ReplicaAccount().circle.entries,
        ] {
            _ = try round(to: 3, lie)
            #expect(reader.replica.circleTrouble == .entryInvalid)
            try expectGoesOn()
        }
        _ = try round(to: 3, account.circle.entries + [one])
        #expect(reader.replica.circleTrouble == nil)
        #expect(try version() == 2)
    }

    @Test
    func `an entry with forged envelopes is refused until another entry replaces them`() throws {
        let bad = rubbish(after: account.circle)
        for _ in 0..<2 {
            _ = try round(to: 2, account.circle.entries + [bad])
            #expect(reader.replica.circleTrouble == .envelopesForged)
            #expect(try version() == 1)
            try expectGoesOn()
        }
        let repaired = try adding(to: try chain(bad))
        _ = try round(to: 3, account.circle.entries + [bad, repaired])
        #expect(reader.replica.circleTrouble == nil)
        #expect(try version() == 3)
    }

    @Test
    func `a locked device applies the circle after the unlock`() throws {
        let bad = rubbish(after: account.circle)
        reader.replica.wake()
        try reader.pull(account.page(to: 0, circleVersion: 2))
        let request = try reader.next()
        reader.keys.lock()
        reader.device.keys.lock()
        try reader.replica.receive(.circle([bad]), to: request)
        #expect(try version() == 1)
        // The device does not ask for it before that.
        reader.replica.wake()
        try reader.pull(account.page(to: 0, circleVersion: 2))
        #expect(try reader.replica.nextRequest() == .rest)
        try reader.keys.unlock(passcode: nil)
        try reader.device.keys.unlock(from: reader.database)
        reader.replica.noticeUnlock()
        let again = try reader.next()
        #expect(again.request == .circle(after: 1))
        try reader.replica.receive(.circle([bad]), to: again)
        #expect(reader.replica.circleTrouble == .envelopesForged)
    }
}
