import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// How long a circle may become, and how it counts towards the quota.
struct CircleLimitTests {
    @Test(arguments: StoreKind.allCases)
    func `a circle of too many entries accepts only those that revoke`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        var (account, _) = try world.signUp()
        let before = UInt64(Limits.circleEntriesMax) - 1
        try world.lengthenCircle(to: before)
        account.version = before
        try account.append(.addDevice, to: world.store)
        let full = account
        for operation in [CircleOperation.rename, .addDevice, .replaceCredentials] {
            account = full
            #expect(throws: StoreError.refused(.tooLarge)) {
                try account.append(operation, to: world.store)
            }
        }
        #expect(try world.store.newestEntry(of: account.id) == full.newest)
        account = full
        account.devices.removeLast()
        try account.append(.revoke, to: world.store)
        #expect(try world.store.newestEntry(of: account.id) == account.newest)
        // The credentials have removed the last device: a login can still add one, and no more.
        let all = full.devices
        account.devices = []
        try account.append(.revoke, to: world.store)
        account.devices = [all[0]]
        try account.append(.addDevice, to: world.store)
        account.devices = all
        #expect(throws: StoreError.refused(.tooLarge)) {
            try account.append(.addDevice, to: world.store)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an envelope larger than a ring of so many generations is refused`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        var (account, _) = try world.signUp()
        let version = account.version
        let change = account.advance()
        for (count, isTaken) in [(321, false), (320, true)] {
            var entry = try change.entry.entry()
            let envelopes = change.envelopes.map {
                KeyEnvelope(member: $0.member, sealed: [UInt8](repeating: 1, count: count))
            }
            entry.envelopesHash = KeyEnvelope.hash(envelopes)
            let large = CircleChange(
                entry: SignedEntry(
                    signedBytes: entry.encoded,
                    signatures: change.entry.signatures,
                    possession: []
                ),
                envelopes: envelopes,
                credentialsBox: nil
            )
            if isTaken {
                try world.store.appendEntry(large, to: account.id, ifVersion: version)
            } else {
                #expect(throws: StoreError.refused(.tooLarge)) {
                    try world.store.appendEntry(large, to: account.id, ifVersion: version)
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a circle of too many bytes accepts only entries that revoke`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        var (account, _) = try world.signUp()
        let name = [UInt8](repeating: 1, count: 4 << 20)
        account.nameBox = name
        // Two devices and the credentials: 12 MiB an entry.
        try account.append(.rename, to: world.store)
        let full = account
        #expect(throws: StoreError.refused(.tooLarge)) {
            try account.append(.rename, to: world.store)
        }
        account = full
        account.nameBox = []
        try account.append(.rename, to: world.store)
        account.nameBox = name
        account.devices.removeLast()
        try account.append(.revoke, to: world.store)
        #expect(try world.store.account(account.id)?.circleVersion == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `a circle counts against the quota, which stops records but no entry`(
        kind: StoreKind
    ) throws {
        let world = try kind.make(accountBytesMax: 20_000)
        let (signedUp, epoch) = try world.signUp()
        var account = signedUp
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), box: [UInt8](repeating: 1, count: 2000), to: world.store)
        account.nameBox = [UInt8](repeating: 1, count: 4000)
        try account.append(.rename, to: world.store)
        let batch = actor.seal([
            FakeWrite(record: .number(2), box: [UInt8](repeating: 1, count: 8000))
        ])
        #expect(world.store.push([actor.request(batch)]) == [.failure(.refused(.quotaExceeded))])
        try account.append(.rename, to: world.store)
        account.devices.removeLast()
        try account.append(.revoke, to: world.store)
    }
}
