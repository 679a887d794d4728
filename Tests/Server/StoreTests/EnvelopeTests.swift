import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import Testing

/// Which key envelopes the store keeps: a login may need those of an earlier generation.
struct EnvelopeTests {
    private static func shown(_ entry: SignedEntry, _ envelopes: [KeyEnvelope]) -> ShownEntry {
        ShownEntry(entry: entry, envelopes: envelopes, vector: VersionVector())
    }

    @Test(arguments: StoreKind.allCases)
    func `the credentials' envelope of each generation stays, and others do not`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let store = world.store
        var (account, _) = try world.signUp()
        let genesis = account.newest
        func own(_ generation: UInt64) throws -> ShownEntry? {
            try store.circleEntry(
                of: account.id,
                generation: generation,
                for: account.credentials
            )
        }
        func envelope(version: UInt64) throws -> KeyEnvelope {
            try #require(
                account.envelopes(version: version).first { $0.member == account.credentials }
            )
        }
        let first = Self.shown(genesis, [try envelope(version: 1)])
        #expect(try own(1) == first)
        // A thief's entries in the same generation replace nothing.
        for _ in 0..<3 { try account.append(.rename, to: store) }
        #expect(try own(1) == first)
        #expect(try own(2) == nil)

        account.devices.removeLast()
        let version = account.version
        let revocation = account.advance(
            operation: .revoke,
            raisingGenerationAt: VersionVector()
        )
        try store.appendEntry(revocation, to: account.id, ifVersion: version)
        let second = Self.shown(account.newest, [try envelope(version: 5)])
        try account.append(.rename, to: store)
        for member in account.memberIDs {
            let newest = try store.circleEntry(of: account.id, generation: nil, for: member)
            let all = account.envelopes(version: 6).sorted { $0.member < $1.member }
            #expect(newest == Self.shown(account.newest, all))
        }
        #expect(try own(1) == first)
        #expect(try own(2) == second)
        for generation in [UInt64(1), 2] {
            let shown = try store.circleEntry(
                of: account.id,
                generation: generation,
                for: account.device
            )
            #expect(shown == nil)
        }
        let stranger = FakeAccount(9)
        #expect(throws: StoreError.notMember) {
            try store.circleEntry(of: account.id, generation: nil, for: stranger.device)
        }
        try store.deleteAccount(account.id)
        #expect(throws: StoreError.notFound) { try own(1) }
    }
}
