internal import Foundation
internal import GRDB
internal import KSDigests
package import KSKeychain
internal import KSKeychainRecords
internal import KSKeyValueRecords
package import KSRecords
internal import KSResolution
internal import KSDeviceKeys
internal import KSSealing
package import KSSyncEngine

/// One device: the real keychain, outbox and replica over a database in memory.
package final class SimulatedDevice {
    static let group = "simulated"

    let index: Int
    package internal(set) var name: String
    let setting: DeviceSetting
    private(set) var database: DatabaseQueue
    package let disk: SimulatedDisk
    private var keyFile: LocalKeyFile
    /// This device's own copy, so that a lock affects no other device.
    private var keys: ReplicaKeys
    var rows: SealedRows { keys.rows }
    var keyRing: KeyRing { keys.keyRing }
    /// All that syncs: one store for each kind of record.
    var stores: [any SyncedStore] { [SyncedKeychain(keychain), SyncedKeyValues(keyValues)] }
    package private(set) var keychain: ItemStore
    private(set) var keyValues: KeyValueStores { didSet { programs?.noteRestart() } }
    private(set) var keyValueOutbox: KeyValueOutbox
    package private(set) var replica: Replica
    package var member: MemberID { setting.identity.memberID }
    package let clock: DeviceClock
    var isOnline = true
    /// What its network does to messages, beside what the world's does.
    var link = DeviceLink()
    /// Whether its process has ended, or it has left its account: it sends nothing.
    private(set) var isStopped = false
    /// Whether it has left its account.
    var hasLeft = false
    /// The programs that a story runs on it, if any.
    weak var programs: DevicePrograms? { didSet { programs?.observe() } }
    /// Whether the server has refused its last request for want of room.
    var isRefusedForRoom = false
    /// How the last step of a story's user ended.
    var lastAnswer = StoryAnswer.done
    /// Whether it has nothing to do until the next event.
    var isResting = false
    /// The request that its replica made last; a report names it when the device does not rest.
    var lastRequest: NextRequest = .rest
    /// Which of the account's servers its user has named to it.
    var server = 0
    /// The items that it showed when they were last counted, without those that its user deleted.
    var shownItems: Set<Int> = []
    /// Those that went since, how many its user deleted since, and its clock's error then.
    var lostItems: Set<Int> = []
    var deletionCount = 0
    var lossClockMilliseconds: Int64 = 0
    /// The items that its user still has to delete.
    var itemsToDelete: [Int] = []
    /// It stays offline until then, by the world's clock.
    var silentUntilMilliseconds: UInt64 = 0
    /// Rises with each change of the way to the server; requests on an earlier way are lost.
    private(set) var route = 0
    /// Whether a proxy on the way refuses large requests: it is on every second one.
    var isBehindProxy: Bool { !route.isMultiple(of: 2) }
    func changeRoute() { route += 1 }
    /// Rises with each start; answers to an earlier life are dropped.
    private(set) var life = 0
    private var earlierWriteBacks = 0
    /// How often it wrote a record's joined state back, in all its lives.
    package var writeBacks: Int { earlierWriteBacks + replica.report.rewrittenRecords }

    /// What a join brings: the account's circle and key ring, and the newest entry of the circle
    /// with all that belongs to it.
    package struct Joined {
        let circle: CircleChain
        let keyRing: KeyRing
        let change: CircleChange?
    }

    /// A device that has just joined.
    ///
    /// `joined`: by default the account as the world began.
    package convenience init(
        index: Int,
        epoch: StoreEpoch,
        _ setting: DeviceSetting,
        joined: Joined? = nil
    ) throws {
        let (fixture, random) = (setting.fixture, setting.random)
        let joined =
            joined
            ?? Joined(
                circle: fixture.circle,
                keyRing: fixture.keyRing,
                change: fixture.changes.last
            )
        let open = try Templates.shared.get().lendDevice()
        let database = open.database
        let keyFile = try LocalKeyFile.open(storage: open.disk, random: random, mayCreate: true)
        let state = SyncState(
            account: fixture.account,
            member: setting.identity.memberID,
            epoch: epoch,
            circle: joined.circle,
            random: random
        )
        try database.write { try SyncStateTable.save(state, in: $0) }
        try keyFile.savePins(state.pins)
        let rowRandom = SimulationRandomSource(seed: UInt64(index))
        let rows = SealedRows(cipher: keyFile.rowCipher(random: rowRandom), random: rowRandom)
        try database.write { database in
            let ring = try joined.keyRing.encode()
            let values = AccountValueTable(rows: rows)
            try values.save(ring, as: .keyRing, in: database)
            if let newest = joined.change {
                try values.save(newest.copy, as: .circleCopy, in: database)
            }
        }
        try self.init(index: index, setting, open, keyFile: keyFile)
    }

    deinit {
        // Without templates, nothing was lent.
        try? Templates.shared.get().giveBack(device: OpenDisk(disk, database))
    }

    private init(
        index: Int,
        _ setting: DeviceSetting,
        _ open: OpenDisk,
        keyFile: LocalKeyFile
    ) throws {
        self.index = index
        name = setting.deviceName ?? "device \(index + 1)"
        self.setting = setting
        (disk, database) = (open.disk, open.database)
        disk.forgetsSyncs = setting.bug == .deviceSyncsNoDisk
        self.keyFile = keyFile
        clock = DeviceClock(setting.clock)
        (keys, keychain, keyValues, keyValueOutbox, replica) =
            try Self.start(setting, database, keyFile, clock)
    }

    private static func start(
        _ setting: DeviceSetting,
        _ database: DatabaseQueue,
        _ keyFile: LocalKeyFile,
        _ clock: DeviceClock
    ) throws -> (ReplicaKeys, ItemStore, KeyValueStores, KeyValueOutbox, Replica) {
        let (fixture, random) = (setting.fixture, setting.random)
        let now: @Sendable () -> UInt64 = { clock.milliseconds }
        let cipher = keyFile.rowCipher(random: random)
        let rows = SealedRows(cipher: cipher, random: random)
        let (ring, circle) = try database.unsafeRead { database in
            let state = try SyncStateTable.load(from: database).orNoAccount()
            return (
                try AccountValueTable(rows: rows).load(.keyRing, from: database).orCorrupt(),
                setting.circles.chain(version: state.circleVersion)
            )
        }
        let keys = ReplicaKeys(
            keyRing: try KeyRing(decoding: ring),
            account: fixture.account,
            identity: setting.identity,
            rows: rows,
            random: random
        )
        let keychain = ItemStore(
            database: database,
            sealing: LocalRowSealing(keyFile, random: random),
            clock: { Double(now()) / 1000 },
            random: random,
            recorder: KeychainOutbox(
                keys: keys,
                clock: now,
                deviceName: setting.deviceName ?? "a simulated device",
                whenCommitted: {}
            )
        )
        let keyValues = KeyValueStores(
            database: database,
            cipher: cipher,
            clock: now,
            random: random
        )
        let keyValueOutbox = KeyValueOutbox(
            keys: keys,
            deviceName: setting.deviceName ?? "simulated",
            clock: now,
            whenCommitted: {}
        )
        keyValues.recorder = keyValueOutbox
        let replica = try replica(
            setting,
            database,
            keyFile,
            keys,
            keychain,
            keyValues,
            circle: circle,
            clock
        )
        return (keys, keychain, keyValues, keyValueOutbox, replica)
    }

    private static func replica(
        _ setting: DeviceSetting,
        _ database: DatabaseQueue,
        _ keyFile: LocalKeyFile,
        _ keys: ReplicaKeys,
        _ keychain: ItemStore,
        _ keyValues: KeyValueStores,
        circle: CircleChain,
        _ clock: DeviceClock
    ) throws -> Replica {
        let worldClock = setting.clock
        let trustsSetClock = setting.bug == .trustsSetClock
        let replica = try Replica(
            database: database,
            stores: [SyncedKeychain(keychain), SyncedKeyValues(keyValues)],
            keys: keys,
            circle: circle,
            pins: keyFile,
            clock: { clock.milliseconds },
            uptime: { trustsSetClock ? clock.milliseconds : worldClock.milliseconds },
            random: setting.random,
            writeBack: setting.writeBack
        )
        // Simulated records are small, and so is the limit of a simulated proxy.
        replica.splitBatches(downTo: 1)
        return replica
    }

    /// Seals files of its programs, as the daemon does; the files are real ones.
    var protectedFiles: ProtectedFiles {
        ProtectedFiles(keyFile: keyFile, random: setting.random)
    }

    var isLocked: Bool { keyFile.lockState == .locked }

    package func lock() {
        keyFile.lock()
        keys.lock()
    }

    package func unlock() throws {
        try keyFile.unlock()
        try keys.unlock(from: database)
        replica.noticeUnlock()
    }

    /// Ends the process and restarts it from its disk; without a passcode it is unlocked then.
    package func restart() throws {
        try keyFile.unlock()
        earlierWriteBacks = writeBacks
        (keys, keychain, keyValues, keyValueOutbox, replica) =
            try Self.start(setting, database, keyFile, clock)
        life += 1
        isStopped = false
    }

    /// Starts the machine again whose power has failed.
    func restartAfterPowerFailure() throws {
        disk.restorePower()
        database = try DiskFileSystem.open(disk, KeychainDatabase.configuration())
        keyFile = try LocalKeyFile.open(
            storage: disk,
            random: setting.random,
            mayCreate: false
        )
        try restart()
    }

    /// Continues with a new replica, which knows only what the disk has, as the engine does after a
    /// step that could not use the disk.
    func renewReplica() throws {
        let renewed = try Self.replica(
            setting,
            database,
            keyFile,
            keys,
            keychain,
            keyValues,
            circle: setting.circles.chain(version: replica.state().circleVersion),
            clock
        )
        earlierWriteBacks = writeBacks
        replica = renewed
    }

    /// Ends the process; answers that are on their way are dropped.
    func stop() {
        life += 1
        isStopped = true
    }

    // MARK: Copies

    /// Starts another machine with a copy of this one's disk.
    func clone(index: Int) throws -> SimulatedDevice {
        let open = try Templates.shared.get().lendDevice()
        open.disk.replace(with: disk.contents)
        let device = try SimulatedDevice(
            index: index,
            setting,
            open,
            keyFile: LocalKeyFile.open(
                storage: open.disk,
                random: setting.random,
                mayCreate: false
            )
        )
        (device.isOnline, device.server) = (isOnline, server)
        device.clock.aheadMilliseconds = clock.aheadMilliseconds
        return device
    }

    /// Ends the process and restarts it with the database of an earlier copy of its disk; other
    /// files stay.
    package func putBack(_ copy: SimulatedDisk.Contents) throws {
        disk.replaceDatabase(with: copy)
        try restart()
    }

    /// The first box of the batch under way, if any.
    func boxOnItsWay() throws -> Hash? {
        try database.unsafeRead { database in
            let statement = try database.cachedStatement(
                sql: "SELECT box FROM batch_record ORDER BY id LIMIT 1"
            )
            return try Data.fetchOne(statement).map { SHA256.hash(Array($0)) }
                .map(Hash.init(validated:))
        }
    }
}
