internal import GRDB
internal import KSKeyValueCalls
internal import KSKeyValueRecords
internal import KSKeychain
internal import KSQueues
internal import KSRecords
internal import Synchronization
package import KSSyncEngine

extension KeychainOwner {
    /// Leaves the account in one transaction.
    ///
    /// - Parameters:
    ///   - keepsItems: whether synced items and values stay, as ones of this device alone.
    ///   - discardsUnsent: whether changes that are not on the server may be lost.
    ///   - sync: the result of the sync that this logout has made; nil if it could make none.
    /// - Returns: what was left, and how much.
    /// - Throws: ``CommandFailure`` if there is no account, or the server has not confirmed all.
    package func leave(
        keepsItems: Bool,
        discardsUnsent: Bool,
        after sync: SyncOutcome? = nil
    ) throws -> LeftAccount {
        guard let left = try resume() else { throw CommandFailure.nothingToLeave }
        let names = left.names
        // Programs get a report of a change of account, not of a change by another device.
        let changes = Mutex<[StoreChange]>([])
        let report = keyValueStore.whenChanged
        defer { keyValueStore.whenChanged = report }
        keyValueStore.whenChanged = { new in changes.withLock { $0 += new } }
        let unsent = try checkMayLeave(
            keepsItems: keepsItems,
            discardsUnsent: discardsUnsent,
            after: sync
        )
        if keepsItems { try takeBatchApart() }
        let entries = try files.database.write { database in
            let entries = try stores.reduce(0) { count, store in
                try count
                    + (keepsItems
                        ? keep(store, in: database) : store.removeEntries(in: database))
            }
            try Departure.forgetAccount(
                keepingRecordsOf: keepsItems ? stores : [],
                left.keys.keyRing,
                in: database
            )
            return entries
        }
        device?.keys.lock()
        device = nil
        keychain.recorder = nil
        keyValueStore.recorder = nil
        watchers.reportAccount(changes: changes.withLock { $0 })
        return LeftAccount(
            account: names.account,
            device: names.device,
            unsent: unsent,
            entries: entries
        )
    }

    private func keep(_ store: some SyncedStore, in database: Database) throws -> Int {
        try backup(of: store).keepWithoutAccount(in: database)
    }

    /// Checks that nothing is lost without the user's word; changes nothing.
    ///
    /// - Throws: ``CommandFailure`` if there is no account, or the server has not confirmed all.
    /// - Returns: how many items and values have changes that are not on the server.
    @discardableResult
    package func checkMayLeave(
        keepsItems: Bool,
        discardsUnsent: Bool,
        after sync: SyncOutcome?
    ) throws -> Int {
        guard try resume() != nil else { throw CommandFailure.nothingToLeave }
        let unsent = try files.database.read { try Departure.unsentCount(in: $0) }
        guard !keepsItems, !discardsUnsent else { return unsent }
        guard unsent == 0 else {
            let canSync = sync?.mayBeRepeated == true && !isRefused
            throw CommandFailure.unsent(unsent, canSync: canSync)
        }
        if case .databaseFailed(let trouble)? = sync, CommandFailure(trouble).exit == .diskTrouble {
            throw CommandFailure(trouble)
        }
        guard sync?.confirmsAll == true else { throw CommandFailure.mayBeHereOnly }
        // They may be on no other device any more.
        let held = try replica?.value.counts().deletions ?? 0
        guard held == 0 else { throw CommandFailure.deletionsHeld(held) }
        return unsent
    }

    /// Whether the server refuses this device, as far as it was heard.
    private var isRefused: Bool { replica?.value.refusedSinceMilliseconds != nil }

    /// Refuses to put into an account what the device has kept of another one.
    ///
    /// `account`: nil for a new one.
    func checkMayJoin(_ account: AccountID?, _ form: AccountForm) throws {
        guard form.intoOtherAccount != true else { return }
        let kept = try files.database.read { database -> Int in
            guard let left = try Departure.account(in: database), left != account else { return 0 }
            return try stores.reduce(0) { try $0 + count($1, in: database) }
        }
        guard kept == 0 else { throw CommandFailure.keptFromOther(kept) }
    }

    private func count(_ store: some SyncedStore, in database: Database) throws -> Int {
        try store.entries(in: database).count
    }

    /// Turns a batch without an answer into unsent edits, which a return sends under a new actor.
    private func takeBatchApart() throws {
        guard let device, try files.database.read({ try Departure.hasBatch(in: $0) }) else {
            return
        }
        try makeReplica(of: device).value.takeNewActor()
    }
}
