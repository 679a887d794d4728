internal import KSKeychainFiles
internal import GRDB
package import KSImporting
package import KSKeychain
package import KSKeyValueRecords
internal import KSSealing
package import KSQueues
package import KSSyncEngine
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
    package let keychain: Keychain
    package let keyValueStore: KeyValueStores
    /// All that syncs: one store for each kind of record.
    let stores: [any SyncedStore]
    package nonisolated let watchers = KeyValueWatchers()
    /// The account's device, as it was when it was read.
    var device: EnrolledDevice?
    package var keys: ReplicaKeys? { device?.keys }
    /// Whether programs could not read their stores until now.
    private var isWaitingForUnlock = false

    package init(files: DeviceFiles) throws {
        self.files = files
        keychain = try files.makeKeychain()
        keyValueStore = files.makeKeyValueStore()
        stores = [SyncedKeychain(keychain), SyncedKeyValues(keyValueStore)]
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
        do {
            device = try files.enrolled()
        } catch SealingError.classLocked(let locked) {
            record(in: LockedRecorder())
            throw SealingError.classLocked(locked)
        }
        keychain.recorder = device.map { device in
            KeychainOutbox(
                keys: device.keys,
                clock: { DeviceFiles.milliseconds() },
                whenCommitted: { device.news.raise() }
            )
        }
        recordKeyValues(for: device)
        return device
    }

    private func record(in recorder: LockedRecorder?) {
        keychain.recorder = recorder
        keyValueStore.recorder = recorder
    }

    /// Wipes the account's keys that only an unlocked device may use.
    package func wipeKeys() {
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

    /// The replica of this keychain, for the one sync engine.
    package func makeReplica(of device: EnrolledDevice) throws -> Confined<Replica> {
        let replica = try Replica(
            database: files.database,
            stores: stores,
            keys: device.keys,
            circle: device.circle,
            pins: files.keys,
            clock: { DeviceFiles.milliseconds() },
            uptime: { DeviceFiles.uptimeMilliseconds() },
            random: files.random
        )
        keyValueStore.willWrite = { [weak replica] in try replica?.earlySealing() }
        return Confined(replica, to: queue)
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
        _ body: @Sendable (Keychain) throws -> Result
    ) throws -> Result {
        try body(keychain)
    }

    /// The synchronized items of this service or server, and account.
    package func synchronized(place: String, account: String) throws(KeychainError) -> [Item] {
        var items: [Item] = []
        for (itemClass, name) in [
            (ItemClass.genericPassword, AttributeName.service), (.internetPassword, .server),
        ] {
            let query = ItemQuery(
                itemClass,
                attributes: [name: .string(place), .account: .string(account)],
                synchronizable: .yes,
                access: KeychainFile.access
            )
            items += try keychain.find(query).items.filter(\.isSynced)
        }
        return items
    }

    // MARK: Import

    /// Adds some of a plan's items in one transaction, or only counts what it would do.
    package func add(
        _ imported: ArraySlice<ImportedItem>,
        isDryRun: Bool
    ) throws(KeychainError) -> ImportCounts {
        try keychain.write { database in
            var counts = ImportCounts()
            for item in imported {
                var next = counts
                do throws(KeychainError) {
                    // All passwords of an item or none: the last one may exceed the limit.
                    try database.undoable {
                        try add(item, isDryRun: isDryRun, counting: &next, in: database)
                    }
                    counts = next
                } catch .dataTooLarge {
                    counts.tooLarge += item.rows
                } catch .duplicateItem {
                    counts.taken += item.rows
                }
            }
            return counts
        }
    }

    private func add(
        _ imported: ImportedItem,
        isDryRun: Bool,
        counting counts: inout ImportCounts,
        in database: Database
    ) throws(KeychainError) {
        var item = Item(imported)
        let before = try keychain.syncedItem(item.key, in: database)
        let known = try secrets(of: item.key, before, in: database)
        // The present secret stays current: the export may be older.
        var further = imported.secretsInWritingOrder.filter { !known.contains($0) }
        switch before {
        case .some where further.isEmpty: counts.unchanged += 1
        case .some: counts.kept += 1
        case .none: counts.added += 1
        }
        if keys == nil, further.count > (before == nil ? 1 : 0) {
            // Only an account keeps histories, so further secrets are left out.
            counts.leftOut += imported.rows.suffix(1)
            further = before == nil ? further.suffix(1) : []
        }
        guard !isDryRun, !further.isEmpty else { return }
        if let before {
            try write(further + [before.secret ?? []], to: before, in: database)
        } else {
            item.secret = further.removeFirst()
            let added = try keychain.add(item, access: KeychainFile.access, in: database)
            try write(further, to: added, in: database)
        }
    }

    /// The secrets that an item has and had, so that importing a file twice changes nothing.
    private func secrets(
        of key: ItemKey,
        _ current: Item?,
        in database: Database
    ) throws(KeychainError) -> [[UInt8]] {
        guard let current else { return [] }
        do {
            let history = try keys?.history(of: key, in: database)
            return [current.secret ?? []] + (history?.versions ?? []).map(\.secret)
        } catch {
            throw .decode
        }
    }

    /// Sets one secret after the other, so that all but the last are in the history.
    private func write(
        _ secrets: [[UInt8]],
        to item: Item,
        in database: Database
    ) throws(KeychainError) {
        let query = ItemQuery(exactly: item, access: KeychainFile.access)
        for secret in secrets {
            try keychain.update(query, ItemChanges(secret: secret), in: database)
        }
    }
}

extension ReplicaKeys {
    /// The account's history of the item with this key.
    func history(of key: ItemKey, in database: Database) throws -> RecordHistory? {
        let id = keyRing.recordID(forCanonicalKey: key.canonicalBytes, kind: .keychain)
        return try RecordShelf(rows: rows).history(of: id, in: database)
    }
}

/// How many rows of an import were added, unchanged or refused.
package struct ImportCounts: Equatable, Sendable {
    package var added = 0
    /// There already, with the same password.
    package var unchanged = 0
    /// There already, with another password, which stays current; the file's is in the history.
    package var kept = 0
    /// Rows of items that are larger than a record may be.
    package var tooLarge: [Int] = []
    /// Rows with a further password of an item, left out without a history to keep it in.
    package var leftOut: [Int] = []
    /// Rows with the key of an item that never leaves this device.
    package var taken: [Int] = []

    package init() {}

    package static func += (left: inout ImportCounts, right: ImportCounts) {
        left.added += right.added
        left.unchanged += right.unchanged
        left.kept += right.kept
        left.tooLarge += right.tooLarge
        left.leftOut += right.leftOut
        left.taken += right.taken
    }
}

extension Item {
    /// The item of a row, without a secret.
    ///
    /// The path is empty, else two pages of one site would be two items. An empty comment and an
    /// unknown protocol are left out.
    package init(_ imported: ImportedItem) {
        var attributes: [AttributeName: AttributeValue] = [
            .synchronizable: .boolean(true),
            .accessGroup: .string(KeychainFile.group),
            // As `security` adds web passwords, so that both mean the same item.
            .authenticationType: .string("dflt"),
            .account: .string(imported.account),
            .label: .string(imported.label),
            .path: .string(""),
            .port: .integer(Int64(imported.port)),
            .server: .string(imported.server),
        ]
        attributes[.networkProtocol] = imported.protocolCode.map { .string($0) }
        if !imported.comment.isEmpty { attributes[.comment] = .string(imported.comment) }
        if !imported.securityDomain.isEmpty {
            attributes[.securityDomain] = .string(imported.securityDomain)
        }
        self.init(.internetPassword, attributes: attributes)
    }
}
