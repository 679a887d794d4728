internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

// Steps 11 and 12: what a record has become goes to the mirror, and what the user sees of it to its
// store, in the transaction that moves the cursor.

extension Replica {
    /// Keeps what is known of a record now, and shows it.
    ///
    /// The record bears the new mirror, and its edit is kept as it is here; the row is the same
    /// mirror with the siblings it is made of.
    func settle(
        _ record: LocalRecord,
        _ mirror: MirrorRow,
        hadEdit: Bool,
        in database: Database
    ) throws {
        var record = record
        let view = record.view
        var mirror = mirror
        if let state = mirror.state, !state.isAlive, record.onItsWay == nil,
            record.edit?.isDeleteOnly ?? true
        {
            // Deleted, and nothing here says otherwise: no value stays behind. A delete of one's
            // own that is still unsent has nothing left to do.
            record.edit = nil
            mirror.content = .stub(state.stub)
        }
        let store = stores[mirror.kind]
        let protection = try store.map { try show(view, in: $0, database) } ?? .whenUnlocked
        try shelf.mirrors.save(
            mirror,
            protection: protection,
            conflict: store.flatMap { type(of: $0).conflictFingerprint(of: mirror.state) },
            in: database
        )
        guard hadEdit || record.edit != nil else { return }
        try shelf.outbox.save(
            record.edit,
            of: mirror.record,
            kind: mirror.kind,
            protection: protection,
            in: database
        )
    }

    /// - Returns: the class under whose key the rows of the record are kept.
    private func show<Store: SyncedStore>(
        _ view: ItemState,
        in store: Store,
        _ database: Database
    ) throws -> ProtectionClass {
        guard let entry = Store.entry(of: view) else { return .whenUnlocked }
        report.count(try store.show(entry, isAlive: view.isAlive, in: database))
        return entry.protection
    }

    /// The class under whose key the rows of a record are kept.
    func protection(of record: LocalRecord, _ kind: RecordKind) -> ProtectionClass {
        stores[kind].flatMap { type(of: $0).entry(of: record.view)?.protection } ?? .whenUnlocked
    }
}
