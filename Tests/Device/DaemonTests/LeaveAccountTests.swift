import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSDigests
import KSKeychain
import KSKeyValueRecords
import KSKeyValues
import KSRecords
import KSSyncEngine
import KSTransport
import Testing

/// A device that leaves its account.
struct LeaveAccountTests {
    private let store = StoreIdentifier("app")

    private func write(_ writes: [(String, EntryWrite)], on owner: KeychainOwner) async throws {
        let store = try #require(store)
        let writes = writes.map { KeyWrite(key: $0.0, .write($0.1)) }
        let refusals = try await owner.withKeyValues { try $0.write(writes, to: store) }
        #expect(refusals.isEmpty)
    }

    private func entries(on owner: KeychainOwner) async throws -> [String: PropertyValue?] {
        let entries = try await owner.keyValues(of: try #require(store))
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.name.key, $0.value) })
    }

    private let values: [(String, EntryWrite)] = [
        ("theme", .set(.string("dark"), base: nil)), ("visits", .increment(by: 4)),
        ("tags", .insert([.string("a"), .string("b")])),
        ("settings", .setField("size", .integer(12))),
        ("tasks", .insertAt(0, [.string("milk"), .string("bread")])),
    ]

    private func tables(of files: DeviceFiles) async throws -> [String: Int] {
        try await files.database.read { database in
            let names = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND (
                        name LIKE 'sync%' OR name LIKE 'batch%' OR name LIKE 'sibling%'
                        OR name LIKE 'account%' OR name LIKE 'circle%'
                        OR name LIKE 'departed%' OR name LIKE 'unconfirmed%'
                        OR name IN ('mirror', 'outbox', 'waiting', 'rewrite')
                    )
                    """
            )
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    (name, try Int.fetchOne(database, sql: "SELECT count(*) FROM \(name)") ?? 0)
                }
            )
        }
    }

    @Test
    func `a logout with unsent changes is refused with their number, and changes nothing`()
        async throws
    {
        let device = try await EnrolledOwner()
        try await write(values, on: device.owner)
        let before = try await entries(on: device.owner)
        let failure = await #expect(throws: CommandFailure.self) {
            try await device.owner.leave(
                keepsItems: false,
                discardsUnsent: false,
                after: .failed(.transport(.outOfReach(code: 7)))
            )
        }
        #expect(failure == CommandFailure.unsent(5, canSync: true))
        #expect(failure?.sentence.hasPrefix("5 items and values of this device have ") == true)
        #expect(try await entries(on: device.owner) == before)
        #expect(try device.files.hasAccount())
    }

    @Test
    func `a logout deletes the account's data and its keys`() async throws {
        let device = try await EnrolledOwner()
        try await write(values, on: device.owner)
        let left = try await device.owner.leave(keepsItems: false, discardsUnsent: true)
        #expect(left.account == "ada" && left.unsent == 5 && left.entries == 5)
        #expect(try await entries(on: device.owner).isEmpty)
        #expect(try !device.files.hasAccount())
        #expect(await device.owner.keys == nil)
        let tables = try await tables(of: device.files)
        #expect(tables.count >= 14 && tables.values.allSatisfy { $0 == 0 }, "\(tables)")
        await #expect(throws: CommandFailure.nothingToLeave) {
            try await device.owner.leave(keepsItems: false, discardsUnsent: true)
        }
    }

    /// A disk may be full right after the account was saved.
    @Test
    func `what was done without an account goes to its outbox in one transaction`() async throws {
        let device = try await EnrolledOwner()
        _ = try await device.owner.leave(keepsItems: true, discardsUnsent: true)
        try await write(values, on: device.owner)
        let store = try #require(store)
        func unsent() async throws -> Int {
            try await device.owner.keyValues(of: store).count { try $0.unsent != nil }
        }
        #expect(try await unsent() == 5)
        try await device.owner.save(try EnrolledOwner.enrollment())
        #expect(try await unsent() == 0)
        let waiting = try await device.files.database.read { try Departure.unsentCount(in: $0) }
        #expect(waiting == 5)
    }

    @Test
    func `kept values belong to the device, and join the next account with their types`()
        async throws
    {
        let device = try await EnrolledOwner()
        try await write(values, on: device.owner)
        let before = try await entries(on: device.owner)
        let left = try await device.owner.leave(keepsItems: true, discardsUnsent: true)
        #expect(left.entries == 5)
        #expect(try await entries(on: device.owner) == before)
        try await write([("visits", .increment(by: 1))], on: device.owner)
        _ = try await device.owner.join(try EnrolledOwner.enrollment())
        var after = before
        after["visits"] = .integer(5)
        #expect(try await entries(on: device.owner) == after)
        let unsent = try await device.files.database.read { try Departure.unsentCount(in: $0) }
        #expect(unsent == 5)
        let dates = try await device.owner.keyValues(of: try #require(store))
            .map(\.changedMilliseconds)
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        #expect(dates.allSatisfy { $0 <= now && $0 + 3_600_000 > now }, "\(dates)")
        let types = try await device.owner.keyValues(of: try #require(store)).map(\.type)
        #expect(types == [.map, .set, .list, .register, .counter])
    }

    /// Notes that the account has this write; a return remembers it.
    private func noteWrite(on device: EnrolledOwner) async throws {
        try await device.files.database.write { database in
            try database.execute(
                sql: "INSERT INTO sync_vector VALUES (x'0000000000000007', 3, 3)"
            )
        }
    }

    private func unsent(_ device: EnrolledOwner) async throws -> Int {
        try await device.files.database.read { try Departure.unsentCount(in: $0) }
    }

    @Test
    func `a return sends what was unsent, and what changed since`() async throws {
        let enrollment = try EnrolledOwner.enrollment()
        let device = try await EnrolledOwner(enrollment)
        try await noteWrite(on: device)
        try await write(values, on: device.owner)
        let before = try await entries(on: device.owner)
        _ = try await device.owner.leave(keepsItems: true, discardsUnsent: true)
        try await write([("visits", .increment(by: 1))], on: device.owner)
        try await write([("new", .set(.bool(true), base: nil))], on: device.owner)
        _ = try await device.owner.join(enrollment)
        var after = before
        (after["visits"], after["new"]) = (.integer(5), .bool(true))
        #expect(try await entries(on: device.owner) == after)
        #expect(try await unsent(device) == 6)
        // Writes go on from there.
        try await write([("visits", .increment(by: 1))], on: device.owner)
        after["visits"] = .integer(6)
        #expect(try await entries(on: device.owner) == after)
        #expect(try await unsent(device) == 6)
        let tables = try await tables(of: device.files)
        #expect(tables["departed_account"] == 0 && tables["sync_vector"] == 1, "\(tables)")
    }

    /// The same records would pause it again.
    @Test
    func `a device whose sync is paused keeps no records when it leaves`() async throws {
        let enrollment = try EnrolledOwner.enrollment()
        let device = try await EnrolledOwner(enrollment)
        try await noteWrite(on: device)
        try await write(values, on: device.owner)
        try await device.files.database.write { database in
            var state = try #require(try SyncStateTable.load(from: database))
            state.hold = .circleForked
            try SyncStateTable.save(state, in: database)
        }
        let before = try await entries(on: device.owner)
        _ = try await device.owner.leave(keepsItems: true, discardsUnsent: false)
        let tables = try await tables(of: device.files)
        // Only which account it was.
        #expect(tables.allSatisfy { $1 == ($0 == "departed_account" ? 1 : 0) }, "\(tables)")
        let left = try await device.files.database.read { try Departure.account(in: $0) }
        #expect(left == enrollment.account)
        _ = try await device.owner.join(enrollment)
        #expect(try await entries(on: device.owner) == before)
        #expect(try await unsent(device) == before.count)
    }

    @Test(arguments: [false, true])
    func `a server that was restored meanwhile, or another account, gets everything as new`(
        isRestored: Bool
    ) async throws {
        let first = try EnrolledOwner.enrollment()
        let device = try await EnrolledOwner(first)
        try await noteWrite(on: device)
        try await write(values, on: device.owner)
        let before = try await entries(on: device.owner)
        _ = try await device.owner.leave(keepsItems: true, discardsUnsent: true)
        // Either the account or the epoch is another one.
        let other = try EnrolledOwner.enrollment()
        let joined = isRestored ? first : other
        _ = try await device.owner.join(
            Enrollment(
                account: joined.account,
                names: joined.names,
                server: joined.server,
                identity: joined.identity,
                accountKey: joined.accountKey,
                keyRing: joined.keyRing,
                circle: joined.circle,
                epoch: isRestored ? other.epoch : first.epoch
            )
        )
        #expect(try await entries(on: device.owner) == before)
        #expect(try await unsent(device) == before.count)
        let tables = try await tables(of: device.files)
        #expect(tables["departed_account"] == 0 && tables["sync_vector"] == 0, "\(tables)")
    }

    @Test
    func `a removed store is reported as a change of account, with its keys`()
        async throws
    {
        let device = try await EnrolledOwner()
        try await write([("a", .set(.bool(true), base: nil))], on: device.owner)
        let store = try #require(store)
        var reports = device.owner.watchers.changes(of: store).makeAsyncIterator()
        let other = try #require(StoreIdentifier("other"))
        var others = device.owner.watchers.changes(of: other).makeAsyncIterator()
        _ = try await device.owner.leave(keepsItems: false, discardsUnsent: true)
        let report = try #require(await reports.next())
        #expect(report.origin == .joined && report.keys == ["a"])
        let elsewhere = try #require(await others.next())
        #expect(elsewhere.origin == .joined && elsewhere.keys == [])
    }
}
