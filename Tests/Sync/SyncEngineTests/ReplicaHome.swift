import KSSealing
import KSCausality
import KSDigests
import Foundation
import GRDB
import KSKeychain
import KSKeychainRecords
import Logging
import KSPrimitives
import KSQueues
import KSRecords
import KSResolution
import KSDeviceKeys
import Testing
import KSTransport
import KSWire

import KSSyncEngine

/// A device of the account; the test is its server.
final class ReplicaHome {
    static let group = "keychain"

    let account: ReplicaAccount
    let database: DatabaseQueue
    let keyFiles = MemoryKeyFiles()
    let keys: LocalKeyFile
    let device: EnrolledDevice
    let keychain: ItemStore
    private let random: any RandomSource
    let clock: TestClock
    private let hasNotes: Bool
    private(set) var replica: Replica

    /// `hasNotes`: whether it syncs a ``NoteStore`` beside the keychain.
    ///
    /// `keepsCircle`: whether it can put the circle back.
    init(
        _ account: ReplicaAccount,
        random: any RandomSource = SystemRandomSource(),
        hasNotes: Bool = false,
        keepsCircle: Bool = false
    ) throws {
        let clock = TestClock()
        self.random = random
        self.clock = clock
        self.account = account
        self.hasNotes = hasNotes
        database = try KeychainDatabase.openInMemory()
        try SyncSchema.schema.apply(to: database)
        try NoteStore.makeTable(in: database)
        keys = try LocalKeyFile.open(
            storage: keyFiles,
            random: random,
            mayCreate: true,
            passcodeCost: .simulation
        )
        let rows = SealedRows(cipher: keys.rowCipher(random: random), random: random)
        keychain = Self.makeKeychain(database, keys)
        try account.enrollment(keepsCircle: keepsCircle).save(
            in: database,
            stores: [SyncedKeychain(keychain)],
            rows: rows,
            clock: { clock.milliseconds },
            random: random
        )
        let loaded = try EnrolledDevice.load(from: database, rows: rows, random: random)
        device = try #require(loaded)
        let news = device.news
        keychain.recorder = KeychainOutbox(
            keys: device.keys,
            clock: { clock.milliseconds },
            whenCommitted: { news.raise() }
        )
        replica = try Self.makeReplica(device, database, keys, clock, random, hasNotes: hasNotes)
    }

    private static func makeKeychain(_ database: DatabaseQueue, _ keys: LocalKeyFile) -> ItemStore {
        ItemStore(
            database: database,
            sealing: LocalRowSealing(keys, random: SystemRandomSource()),
            clock: { 0 },
            random: SystemRandomSource()
        )
    }

    private static func makeReplica(
        _ device: EnrolledDevice,
        _ database: DatabaseQueue,
        _ keys: LocalKeyFile,
        _ clock: TestClock,
        _ random: any RandomSource = SystemRandomSource(),
        hasNotes: Bool = false,
        after earlier: Replica? = nil
    ) throws -> Replica {
        try Replica(
            database: database,
            stores: [SyncedKeychain(makeKeychain(database, keys))]
                + (hasNotes ? [NoteStore()] : []),
            keys: earlier?.keys ?? device.keys,
            circle: try database.unsafeRead { try CircleChain.load(from: $0) },
            pins: keys,
            clock: { clock.milliseconds },
            uptime: { clock.uptimeMilliseconds },
            random: random
        )
    }

    /// An engine for another replica over the same database.
    ///
    /// `beforeRenewal`: called before the engine gets a new replica after a failure.
    /// `firstEventMilliseconds`: for ever, since the test's server sends no first event.
    func engine(
        over transport: any Transport,
        firstEventMilliseconds: UInt64 = 3_600_000,
        beforeRenewal: @escaping @Sendable () throws -> Void = {}
    ) throws -> SyncEngine {
        let (clock, device, database, keys) = (clock, device, database, keys)
        let queue = QueueExecutor(label: "test")
        @Sendable
        func replica() throws -> Confined<Replica> {
            Confined(try Self.makeReplica(device, database, keys, clock), to: queue)
        }
        return SyncEngine(
            device: device,
            replica: try replica(),
            transport: transport,
            clock: { clock.milliseconds },
            uptime: { clock.uptimeMilliseconds },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            firstEventMilliseconds: firstEventMilliseconds,
            renewal: {
                try beforeRenewal()
                return try replica()
            }
        )
    }

    var stores: [any SyncedStore] { [SyncedKeychain(keychain)] }

    // MARK: Backup

    private var entryBackup: EntryBackup<SyncedKeychain> {
        let clock = clock
        return EntryBackup(
            of: SyncedKeychain(keychain),
            keys: replica.keys,
            clock: { clock.milliseconds },
            random: random
        )
    }

    func backUp() throws -> [BackupRecord] {
        let records = try database.write { try entryBackup.records(in: $0) }
        for record in records { #expect(try BackupRecord(decoding: record.encoded) == record) }
        return records
    }

    func restore(_ records: [BackupRecord], undeletes: Bool = false) throws -> RestoreCounts {
        try database.write { try entryBackup.restore(records, undeletes: undeletes, in: $0) }
    }

    /// Changes the file behind the program's back, as a fault would.
    func execute(_ sql: String) throws {
        try database.write { try $0.execute(sql: sql) }
    }

    /// Restarts the program.
    func restart() throws {
        replica = try Self.makeReplica(
            device,
            database,
            keys,
            clock,
            random,
            hasNotes: hasNotes,
            after: replica
        )
    }

    /// Continues as another actor, like an unnoticed copy of the home.
    func become(_ actor: ActorID) throws {
        try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            state.take(actor)
            try SyncStateTable.save(state, in: database)
        }
        let state = try replica.state()
        try keys.savePins(
            DevicePins(
                actor: actor,
                circleVersion: state.circleVersion,
                circleHash: state.circleHash
            )
        )
        try restart()
    }

    // MARK: Items

    static func item(_ service: String, _ secret: String? = nil) -> Item {
        Item(
            .genericPassword,
            attributes: [
                .service: .string(service), .account: .string("ada"),
                .accessGroup: .string(group), .synchronizable: .boolean(true),
            ],
            secret: secret.map { Array($0.utf8) }
        )
    }

    func query(_ service: String) -> KeychainQuery {
        KeychainQuery(
            .genericPassword,
            attributes: [.service: .string(service)],
            synchronizable: .yes,
            access: .all(defaultGroup: Self.group),
            limit: 1,
            wantsSecret: true
        )
    }

    /// Adds the item, or gives it another secret.
    func save(_ service: String, _ secret: String) throws {
        if try self.secret(service) == nil {
            _ = try keychain.write { database in
                try keychain.add(
                    Self.item(service, secret),
                    access: .all(defaultGroup: Self.group),
                    in: database
                )
            }
        } else {
            let changes = ItemChanges(secret: Array(secret.utf8))
            _ = try keychain.write { try keychain.update(query(service), changes, in: $0) }
        }
    }

    func set(_ attributes: [AttributeName: AttributeValue], of service: String) throws {
        let changes = ItemChanges(attributes: attributes)
        _ = try keychain.write { try keychain.update(query(service), changes, in: $0) }
    }

    func delete(_ service: String) throws {
        _ = try keychain.write { try keychain.delete(query(service), in: $0) }
    }

    func rename(_ service: String, to other: String) throws {
        let changes = ItemChanges(attributes: [.service: .string(other)])
        _ = try keychain.write { try keychain.update(query(service), changes, in: $0) }
    }

    /// The record to which each record is tied.
    func ties(in table: String) throws -> [RecordID: RecordID] {
        let rows = try database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT record, tied_to FROM \(table) WHERE tied_to IS NOT NULL"
            )
        }
        let ties = try rows.map { row in
            (
                try #require(RecordID(Array(row["record"] as Data))),
                try #require(RecordID(Array(row["tied_to"] as Data)))
            )
        }
        return Dictionary(uniqueKeysWithValues: ties)
    }

    /// The edits that are blocked.
    func blocked() throws -> [RecordID: BlockedReason] {
        let aside = try replica.counts().open.blocked.map { ($0.record, $0.reason) }
        return Dictionary(uniqueKeysWithValues: aside)
    }

    /// Nil when there is no such item.
    func secret(_ service: String) throws -> String? {
        try keychain.find(query(service)).items.first?.secret.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func recordID(_ service: String) -> RecordID {
        device.keys.keyRing.recordID(
            forCanonicalKey: Self.item(service).key.canonicalBytes,
            kind: .keychain
        )
    }

    func mirror(_ service: String) throws -> MirrorRow? {
        let shelf = RecordShelf(rows: device.keys.rows)
        return try database.read { try shelf.mirror(of: self.recordID(service), in: $0) }
    }
}

extension ReplicaHome {
    /// A device of a new account, which has pulled everything up to seq 5.
    static func caughtUp() throws -> ReplicaHome {
        let home = try ReplicaHome(ReplicaAccount())
        try home.pull(home.account.page(to: 5))
        return home
    }
}

extension [String: String] {
    /// The records of items, by their services.
    func asRecords(of home: ReplicaHome) -> [RecordID: RecordID] {
        [RecordID: RecordID](
            uniqueKeysWithValues: map { (home.recordID($0.key), home.recordID($0.value)) }
        )
    }
}
