internal import GRDB
internal import KSKeychain
internal import KSKeychainRecords
internal import KSKeyValueRecords
internal import KSQueues
internal import KSRecords
internal import KSDeviceKeys
package import KSSyncEngine

extension KeychainOwner {
    /// Items between two reports of progress.
    private static let reportedItems = 100

    /// Whether a batch has been sealed that the server has not confirmed.
    package func hasBatch() throws -> Bool {
        try files.database.unsafeRead { try Departure.hasBatch(in: $0) }
    }

    /// As many characters as an account's password has at least.
    private static let passphraseCharactersMin = 8

    /// Writes everything that may leave this device into a new file.
    ///
    /// Items and entries are read on the queue of all writes, so they are of one moment. What has
    /// no stamps yet gets them, before the file is written. A batch without an answer is taken
    /// apart, since its stamps may change.
    /// `report` is called now and then with how many of how many items are done.
    ///
    /// - Returns: how many items, and how many entries of key-value stores.
    package func backUp(
        to path: String,
        passphrase: [UInt8],
        report: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> (items: Int, entries: Int) {
        // That none is text, or empty, is said where the file is written.
        if let text = String(validating: passphrase, as: UTF8.self), !text.isEmpty,
            text.count < Self.passphraseCharactersMin
        {
            throw CommandFailure(code: .backupPassphraseShort)
        }
        if try hasBatch(), let replica { try replica.value.takeBatchApart() }
        let (items, records) = try keychain.write { database in
            let items = try keychain.backup(in: database)
            let synced = try backup(of: SyncedKeychain(keychain, unsent: files.unsentItems))
                .records(
                    in: database,
                    reference: \.persistentReference,
                    where: { !$0.isBoundToSystem },
                    report: { done, total in
                        if done.isMultiple(of: Self.reportedItems) { report(done, total) }
                    }
                )
            let entries = try backup(of: SyncedKeyValues(keyValueStore)).records(in: database)
            return (items, synced + entries)
        }
        try BackupFile.write(
            items.map(\.encoded) + records.map(\.encoded),
            to: path,
            passphrase: passphrase,
            random: files.random
        )
        let entries = records.count { $0.kind == .keyValue }
        return (items.count + records.count - entries, entries)
    }

    /// Joins the items and entries of a backup with this device's, all of them or none.
    ///
    /// `undeletes`: whether also those that the account has deleted since. `report` is called now
    /// and then with how many of how many are done.
    package func restore(
        from path: String,
        passphrase: [UInt8],
        undeletes: Bool,
        report: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> (items: RestoreCounts, entries: RestoreCounts) {
        let parts = try BackupFile.read(path, passphrase: passphrase)
        var items: [BackupItem] = []
        var records: [BackupRecord] = []
        for part in parts {
            if BackupRecord.isRecord(part) {
                records.append(try BackupRecord(restoring: part))
            } else {
                items.append(try BackupItem(decoding: part))
            }
        }
        guard records.allSatisfy({ $0.kind.isKnown }) else { throw ItemStoreError.newerFormat }
        try replica?.value.takeNewActor(beforeRestoring: records)
        var done = 0
        func countOne() {
            done += 1
            if done.isMultiple(of: Self.reportedItems) { report(done, parts.count) }
        }
        let counts = try keychain.write { database in
            var counts = RestoreCounts()
            for item in items {
                counts.count(try keychain.restore(item, in: database))
                countOne()
            }
            let synced = try backup(of: SyncedKeychain(keychain, unsent: files.unsentItems))
                .restore(
                    records.filter { $0.kind == .keychain },
                    undeletes: undeletes,
                    in: database,
                    whenDone: countOne
                ) { item, record in
                    guard let reference = record.reference else { return }
                    try keychain.take(reference: reference, of: item.key, in: database)
                }
            let entries = try backup(of: SyncedKeyValues(keyValueStore)).restore(
                records.filter { $0.kind == .keyValue },
                undeletes: undeletes,
                in: database,
                whenDone: countOne
            )
            return (items: counts + synced, entries: entries)
        }
        device?.news.raise()
        return counts
    }

    func backup<Store: SyncedStore>(of store: Store) -> EntryBackup<Store> {
        EntryBackup(
            of: store,
            keys: keys,
            clock: { DeviceFiles.milliseconds() },
            random: files.random
        )
    }
}

extension DeviceFiles {
    /// What a device without an account knows of its items beside their values.
    var unsentItems: UnsentItemTable { UnsentItemTable(rows: rows, random: random) }
}

extension RestoreCounts {
    fileprivate mutating func count(_ restored: RestoredItem) {
        switch restored {
        case .added: added += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .newerHere: leftOut.newerHere += 1
        }
    }
}

extension BackupRecord {
    /// - Throws: ``KeychainError/newerFormat``, ``KeychainError/decode``.
    fileprivate init(restoring part: [UInt8]) throws(ItemStoreError) {
        do throws(RecordsError) {
            try self.init(decoding: part)
        } catch .formatTooNew {
            throw .newerFormat
        } catch {
            throw .decode
        }
    }
}
