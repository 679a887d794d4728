internal import KSDeviceKeys
internal import KSDigests
internal import KSKeychainFiles
internal import GRDB
package import KSKeychain
package import KSKeyValueCalls
package import KSKeyValueRecords
internal import KSSealing
package import KSQueues
package import KSSyncEngine
internal import KSTransport
internal import KSKeychainRecords
internal import KSRecords

/// Owns the device's database: its one keychain, and the replica that syncs it.
///
/// All that changes them runs on one queue, which account, lock and sync share with this actor;
/// only ``LookUps`` read beside it.
package actor KeychainOwner: SignUpDraftKeeping {
    package nonisolated let queue = QueueExecutor(label: "keychain-sync.device")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe queue.asUnownedSerialExecutor()
    }

    package let files: DeviceFiles
    package let keychain: ItemStore
    package let keyValueStore: KeyValueStores
    /// All that syncs: one store for each kind of record.
    let stores: [any SyncedStore]
    package nonisolated let watchers = KeyValueWatchers()
    package nonisolated let listing = ItemListing()
    /// Which earlier values commands have numbered.
    var shownVersions: ShownVersions
    /// The account's device, as it was when it was read.
    var device: EnrolledDevice? {
        didSet { if device == nil { replica = nil } }
    }
    package var keys: ReplicaKeys? { device?.keys }
    /// What records the changes of items for the account; nil without one that was read.
    private(set) var outbox: KeychainOutbox?
    /// The replica that syncs this device; it stays when sync ends, until the next one is made.
    private(set) var replica: Confined<Replica>?
    /// When the database's connections were last opened again.
    var lastReopening: ContinuousClock.Instant?
    /// Whether programs could not read their stores until now.
    private var isWaitingForUnlock = false

    package init(files: DeviceFiles) throws {
        self.files = files
        keychain = try files.makeKeychain()
        shownVersions = ShownVersions(key: files.random.bytes(32))
        keyValueStore = files.makeKeyValueStore()
        stores = [
            SyncedKeychain(keychain, unsent: files.unsentItems), SyncedKeyValues(keyValueStore),
        ]
        keyValueStore.whenChanged = { [watchers] in watchers.report($0) }
    }

    /// Rows that could not be opened since the daemon started.
    package var unreadableRows: [UnreadableRow] { keychain.unreadableRows }

    /// Moves rows that a look-up could not open out of the way.
    package func quarantine(_ unreadable: [UnreadableRow]) {
        // A row that cannot be moved stays where it is, and the next search tries again.
        _ = try? keychain.quarantine(unreadable)
    }

    /// Deletes all quarantined rows, and all rows that cannot be read.
    package func discardDamaged() throws -> Int {
        try keychain.quarantine(keychain.inspect().unreadable)
        return try keychain.discardQuarantined() + keyValueStore.discardDamaged()
    }

    /// Checks every row that sync keeps beside the items; nil without an account that can be
    /// read.
    ///
    /// If a mirror is damaged, the next pull starts from the beginning.
    func inspectSync() throws -> SyncInspection? {
        guard let keys else { return nil }
        let shelf = RecordShelf(rows: keys.rows)
        let inspection = try files.database.read { database in
            try shelf.inspect(signer: keys.signer, in: database)
        }
        if inspection.mirror > 0 {
            try files.database.write { try SyncStateTable.askForAll(in: $0) }
        }
        return inspection
    }

    // MARK: Account

    /// Reads the account from the database, and records every further change for it.
    ///
    /// It is read once: sync and this keychain share its keys, and are locked together.
    /// - Returns: nil where there is none, and before the first unlock.
    package func resume() throws -> EnrolledDevice? {
        if let device { return device }
        // Refuses changes until the account is read, or known to be missing: a change that is not
        // recorded would never reach the other devices.
        record(in: LockedRecorder(error: .refused))
        guard files.keys.lockState != .beforeFirstUnlock else {
            record(in: try files.hasAccount() ? LockedRecorder() : nil)
            isWaitingForUnlock = true
            return nil
        }
        try keychain.completeAlwaysDigests()
        forgetOldDeletions()
        do {
            device = try files.enrolled()
        } catch SealingError.classLocked(let locked) {
            record(in: LockedRecorder())
            throw SealingError.classLocked(locked)
        }
        recordChanges()
        return device
    }

    /// Forgets what was deleted more than 30 days ago, and what is left of it.
    func forgetOldDeletions() {
        // What fails now is tried again the next day, or at the next start.
        let wereAny = try? keychain.forgetOldDeleted()
        // What is left of moved items says that their old keys are gone, so it stays until then.
        guard wereAny == true else { return }
        // As above.
        try? OldDeletions.forget(
            of: stores,
            atMilliseconds: DeviceFiles.milliseconds(),
            in: files.database
        )
    }

    /// Does so every day, until the task is cancelled.
    package func forgetOldDeletionsDaily() async {
        // Throws only when the task is cancelled.
        while (try? await Task.sleep(for: .seconds(86_400))) != nil { forgetOldDeletions() }
    }

    /// Records every further change for the account, or for none.
    func recordChanges() {
        outbox = device.map { device in
            KeychainOutbox(
                keys: device.keys,
                clock: { DeviceFiles.milliseconds() },
                deviceName: device.names.device,
                whenCommitted: { device.news.raise() }
            )
        }
        keychain.recorder = outbox
        recordKeyValues(for: device)
    }

    private func record(in recorder: LockedRecorder?) {
        keychain.recorder = recorder
        keyValueStore.recorder = recorder
    }

    /// Wipes the account's keys that only an unlocked device may use.
    package func wipeKeys() {
        listing.forget()
        shownVersions.forget()
        keys?.lock()
    }

    /// Reads the wiped keys back, or the whole account if it could not be read before.
    ///
    /// - Returns: nil if there is no account.
    package func takeUnlock() throws -> EnrolledDevice? {
        try keys?.unlock(from: files.database)
        let device = try resume()
        if isWaitingForUnlock, files.keys.lockState == .unlocked {
            isWaitingForUnlock = false
            watchers.reportReload()
        }
        return device
    }

    /// The replica of this keychain, for the one sync engine, as the database has it now.
    package func makeReplica(of device: EnrolledDevice) throws -> Confined<Replica> {
        let replica = try Replica(
            database: files.database,
            stores: stores,
            keys: device.keys,
            circle: try files.database.unsafeRead { try CircleChain.load(from: $0) },
            pins: files.keys,
            clock: { DeviceFiles.milliseconds() },
            uptime: { DeviceFiles.uptimeMilliseconds() },
            random: files.random
        )
        let confined = Confined(replica, to: queue)
        self.replica = confined
        return confined
    }

    /// Saves a new account, with every synced item and entry of this device as an unsent edit.
    ///
    /// Once it is saved, ``takeAccount()`` reads it.
    package func save(_ enrollment: Enrollment) throws {
        try enrollment.save(
            in: files.database,
            stores: stores,
            rows: files.rows,
            clock: { DeviceFiles.milliseconds() },
            random: files.random
        )
    }

    /// Reads the account that was saved.
    package func takeAccount() throws -> EnrolledDevice? {
        // Programs hear of the account even if it cannot be read now.
        defer { watchers.reportAccount() }
        return try resume()
    }

    // MARK: Server

    func serverMove(of device: EnrolledDevice) throws -> ServerMove {
        try files.database.read { try ServerMove(of: device, in: $0) }
    }

    /// Saves the account's server, and uses it from now on.
    func use(_ server: ServerEndpoint, after move: ServerMove?) throws {
        try files.database.write { database in
            if let move {
                try move.save(server, rows: files.rows, in: database)
            } else {
                try ServerMove.save(server, rows: files.rows, in: database)
            }
        }
        device = device?.using(server)
    }

    // MARK: Sign-up

    package func signUpDrafts() throws -> [SignUpDraft] {
        try SignUpDraft.load(from: files.database, rows: files.rows)
    }

    package func replaceSignUpDrafts(_ drafts: [SignUpDraft]) throws {
        try SignUpDraft.replace(drafts, in: files.database, rows: files.rows)
    }

    // MARK: Items

    /// Runs `body` on the device's queue without a task.
    nonisolated func perform(_ body: @escaping @Sendable (isolated KeychainOwner) -> Void) {
        queue.perform { self.assumeIsolated(body) }
    }

    /// Runs `body` with the keychain, on the device's queue.
    package func with<Result: Sendable>(
        _ body: @Sendable (ItemStore) throws -> Result
    ) throws -> Result {
        try body(keychain)
    }

    /// The synchronized items of this service or server, and account.
    package func synchronized(place: String, account: String) throws(ItemStoreError) -> [Item] {
        var items: [Item] = []
        for (itemClass, name) in [
            (ItemClass.genericPassword, AttributeName.service), (.internetPassword, .server),
        ] {
            let query = KeychainQuery(
                itemClass,
                attributes: [name: .string(place), .account: .string(account)],
                synchronizable: .yes,
                access: KeychainFile.access
            )
            items += try keychain.find(query).items.filter(\.isSynced)
        }
        return items
    }
}

extension ReplicaKeys {
    /// The account's history of the item with this key.
    func history(of key: ItemKey, in database: Database) throws -> RecordHistory? {
        let id = keyRing.recordID(forCanonicalKey: key.canonicalBytes, kind: .keychain)
        return try RecordShelf(rows: rows).history(of: id, in: database)
    }
}
