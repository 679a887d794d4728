import KSCausality
import KSDigests
import Foundation
import GRDB
import KSMerging
import KSRecords
import KSStore
import KSWire
import Synchronization
import KSTestSupport
import Testing

/// Backups of a store, and restoring one.
struct BackupTests {
    private func reopen(_ path: String, seed: UInt64 = 99) throws -> SQLiteStore {
        try SQLiteStore(path: path, random: SeededRandomSource(seed: seed)) { 1_000_000 }
    }

    /// A store in a file with one write, and a backup of it.
    private struct BackedUp {
        let world: StoreUnderTest
        let account: FakeAccount
        let epoch: StoreEpoch
        var actor: FakeActor
        let backup: String

        init() throws {
            world = try StoreKind.file.make()
            (account, epoch) = try world.signUp()
            actor = FakeActor(7, of: account, epoch: epoch)
            try actor.push(.number(1), to: world.store)
            backup = world.directory.path("backup")
            try world.backUp(to: backup)
        }
    }

    @Test
    func `a backup is a store, private to its owner, and overwrites nothing`() throws {
        let world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        let backup = world.directory.path("backup")
        try world.backUp(to: backup)
        #expect(throws: StoreError.fileExists) { try world.backUp(to: backup) }
        let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        #expect(try !world.directory.names.contains { $0.contains("partial") })
        let restored = try world.restored(from: backup)
        let page = try restored.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        )
        #expect(try world.everything(of: account) == page.records)
    }

    @Test
    func `a restored store begins a new epoch in every account`() throws {
        let world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp(1)
        let (other, _) = try world.signUp(2)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let old = actor.seal([FakeWrite(record: .number(1))])
        let answer = try world.store.push([actor.request(old)])[0].get()
        let backup = world.directory.path("backup")
        try world.backUp(to: backup)
        let lost = try actor.push(.number(2), to: world.store)
        try world.close()

        let path = world.directory.path("store.sqlite")
        let aside = try #require(
            try SQLiteStore.restore(from: backup, to: path, random: SeededRandomSource(seed: 5))
        )
        let restored = try reopen(path)
        let state = try #require(try restored.account(account.id))
        #expect(state.epoch != epoch && state.seq == 1)
        #expect(try restored.account(other.id)?.epoch == state.epoch)
        #expect(try restored.createAccount(FakeAccount(3).signUp) == state.epoch)
        for cursor in [answer.cursor, lost.cursor] {
            #expect(throws: StoreError.refused(.storeRestored)) {
                try restored.changes(
                    ChangesRequest(account: account.id, member: account.device, after: cursor)
                )
            }
        }
        #expect(try restored.push([actor.request(old)])[0].get() == answer)
        var late = actor
        let next = late.seal([FakeWrite(record: .number(3))])
        #expect(restored.push([late.request(next)]) == [.failure(.refused(.storeRestored))])
        // The previous store still exists, under another name.
        let before = try reopen(aside)
        #expect(try before.account(account.id)?.seq == 2)
        #expect(try before.account(account.id)?.epoch == epoch)
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a log that a lost store left behind is not replayed over the restored one`(
        log: String
    ) throws {
        var before = try BackedUp()
        let world = before.world
        for number in 2...20 { try before.actor.push(.number(number), to: world.store) }
        // The log as a killed server leaves it; the store's file is lost.
        let path = world.directory.path("lost.sqlite")
        try FileManager.default.copyItem(
            atPath: world.directory.path("store.sqlite-wal"),
            toPath: path + log
        )
        let random = SeededRandomSource(seed: 5)
        #expect(try SQLiteStore.restore(from: before.backup, to: path, random: random) == nil)
        let state = try #require(try reopen(path).account(before.account.id))
        #expect(state.seq == 1 && state.epoch != before.epoch)
        #expect(try world.directory.names.contains { $0.hasSuffix(log) && $0.contains("replaced") })
    }

    @Test
    func `a backup refuses a name with another database's log`() throws {
        let world = try StoreKind.file.make()
        let backup = world.directory.path("backup")
        try Data([1]).write(to: URL(fileURLWithPath: backup + "-wal"))
        #expect(throws: StoreError.fileExists) { try world.backUp(to: backup) }
        #expect(try !world.directory.names.contains("backup"))
    }

    @Test
    func `reading or backing up a store does not change it`() throws {
        let world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        let path = world.directory.path("store.sqlite")
        let random = SeededRandomSource(seed: 5)
        // Also while another writes.
        let read = try SQLiteStore(reading: path, random: random) { 1_000_000 }
        #expect(try read.account(account.id)?.seq == 1)
        #expect(throws: StoreError.self) { try read.createAccount(FakeAccount(3).signUp) }
        try read.close()
        try world.close()

        let old = try DatabaseQueue(path: path)
        try old.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try old.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        try SQLiteStore(reading: path, random: random) { 1_000_000 }.close()
        try SQLiteStore.backup(of: path, to: world.directory.path("backup"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test
    func `no empty store begins beside a restore that was cut off`() throws {
        let before = try BackedUp()
        let path = before.world.directory.path("other.sqlite")
        try Data().write(to: URL(filePath: path + ".restoring"))
        #expect(throws: StoreError.restoreUnfinished) { try reopen(path) }
        #expect(!FileManager.default.fileExists(atPath: path))
        let random = SeededRandomSource(seed: 5)
        _ = try SQLiteStore.restore(from: before.backup, to: path, random: random)
        #expect(try reopen(path).account(before.account.id)?.seq == 1)
    }

    @Test
    func `a store detects that its file was put back`() throws {
        var before = try BackedUp()
        let (account, epoch) = (before.account, before.epoch)
        let cursor = try before.actor.push(.number(2), to: before.world.store).cursor
        // Another store continues from the copy, up to the same seq as the first.
        let silent = try reopen(before.backup)
        var other = FakeActor(8, of: account, device: 1, epoch: epoch)
        try other.push(.number(3), to: silent)
        #expect(try silent.account(account.id)?.epoch == epoch)
        let request = ChangesRequest(
            account: account.id,
            member: account.device,
            after: cursor
        )
        #expect(throws: StoreError.refused(.unknownCursor)) { try silent.changes(request) }
        #expect(try silent.account(account.id)?.epoch == epoch)
        // The device signs the cursor that it was given.
        let comparison = try silent.compareHistory(cursor, of: account.device, in: account.id)
        #expect(!comparison.isKnown)
        #expect(throws: StoreError.refused(.storeRestored)) { try silent.changes(request) }
        #expect(try silent.account(account.id)?.epoch == comparison.epoch)
    }

    @Test
    func `a backup made during pushes is consistent`() throws {
        let world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp()
        let store = world.store
        let directory = world.directory
        let isDone = Atomic<Bool>(false)
        let backups = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            if index == 0 {
                var actor = FakeActor(7, of: account, epoch: epoch)
                for number in 0..<200 {
                    let writes = (0..<5).map { FakeWrite(record: .number(number * 5 + $0)) }
                    // The test only needs the failure.
                    if (try? actor.push(writes, to: store)) == nil { Issue.record("push failed") }
                }
                isDone.store(true, ordering: .releasing)
            } else {
                repeat {
                    let name = backups.withLock { "backup-\($0.count)" }
                    // The test only needs the failure.
                    let written: Void? = try? SQLiteStore.backup(
                        of: directory.path("store.sqlite"),
                        to: directory.path(name)
                    )
                    if written == nil { Issue.record("backup failed") }
                    backups.withLock { $0.append(name) }
                } while !isDone.load(ordering: .acquiring)
            }
        }
        for name in backups.withLock({ $0 }).suffix(5) {
            let copy = try reopen(directory.path(name))
            let seq = try #require(try copy.account(account.id)?.seq)
            #expect(seq % 5 == 0)
            #expect(try StoreTotals(DatabaseQueue(path: directory.path(name))).records == seq)
        }
        #expect(try store.account(account.id)?.seq == 1000)
    }

    @Test
    func `a file that is not a backup is refused, and the store stays`() throws {
        let world = try StoreKind.file.make()
        let (account, _) = try world.signUp()
        let good = world.directory.path("good")
        try world.backUp(to: good)
        try world.close()
        let path = world.directory.path("store.sqlite")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: good)))

        func refusal(_ name: String, _ content: [UInt8]) throws -> StoreError? {
            let file = world.directory.path(name)
            try Data(content).write(to: URL(fileURLWithPath: file))
            return refusal(of: file)
        }
        func refusal(of file: String) -> StoreError? {
            do throws(StoreError) {
                _ = try SQLiteStore.restore(
                    from: file,
                    to: path,
                    random: SeededRandomSource(seed: 5)
                )
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(of: world.directory.path("missing")) == .notFound)
        #expect(try refusal("text", Array("a letter to my bank".utf8)) == .notAStore)
        #expect(try refusal("empty", []) == .notAStore)
        var flipped = bytes
        // In the middle, where the file has tables and no header.
        for index in bytes.count / 2..<bytes.count / 2 + 4096 { flipped[index] ^= 0xFF }
        #expect(try refusal("flipped", flipped) == .damaged)
        #expect(try refusal("cut", Array(bytes.prefix(bytes.count / 2))) == .damaged)

        let foreign = try DatabaseQueue(path: world.directory.path("foreign"))
        try foreign.write { try $0.execute(sql: "CREATE TABLE account (number INTEGER)") }
        try foreign.close()
        #expect(refusal(of: world.directory.path("foreign")) == .notAStore)
        #expect(throws: StoreError.notAStore) { try reopen(world.directory.path("foreign")) }

        try Data(bytes).write(to: URL(fileURLWithPath: world.directory.path("newer")))
        let newer = try DatabaseQueue(path: world.directory.path("newer"))
        try newer.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v99-later')")
        }
        try newer.close()
        #expect(refusal(of: world.directory.path("newer")) == .newerVersion)
        #expect(throws: StoreError.newerVersion) { try reopen(world.directory.path("newer")) }

        #expect(try reopen(path).account(account.id) != nil)
        #expect(try !world.directory.names.contains { $0.contains("replaced") })
    }
}
