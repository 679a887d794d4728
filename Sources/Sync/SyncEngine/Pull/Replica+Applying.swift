internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

// Steps 11 and 12: a record's new state goes to the mirror, and its entry to the store. Both happen
// in the transaction that moves the cursor.

extension Replica {
    /// Saves a record's mirror and edit, and makes the store show the result.
    ///
    /// `record` holds the state of the new mirror, and the edit to save; `mirror` is the row of the
    /// same mirror, with its siblings; `found`: the record as it was before.
    func settle(
        _ record: LocalRecord,
        _ mirror: MirrorRow,
        from found: FoundRecord,
        in database: Database
    ) throws {
        var record = record
        if let state = mirror.state, record.edit?.isVoid(over: state) ?? false {
            // The account has all that was restored.
            record.edit = nil
        }
        let view = record.view
        var mirror = mirror
        if let state = mirror.state, !state.isAlive, record.onItsWay == nil,
            record.edit?.isDeleteOnly ?? true
        {
            // The record is deleted and no edit here revives it, so no value stays behind. An
            // unsent deletion of this device's own has nothing left to do.
            record.edit = nil
            (mirror.isStub, mirror.content) = (true, state.stub)
        }
        let store = stores[mirror.kind]
        if let store, type(of: store).asksAboutDeletions, !view.isAlive,
            view.deletionNote?.isMove != true
        {
            try shelf.keepHistory(
                of: found.record.view,
                mirror.record,
                protection: protection(of: found.record, mirror.kind),
                atMilliseconds: clock(),
                in: database
            )
        }
        let shown = try store.flatMap { store in
            // A bare deletion does not say which entry it deletes: the one that is here.
            try view.isBare
                ? store.hide(found.record.view, view.deletionNote, in: database)
                : store.show(view, in: database)
        }
        if let shown { report.count(shown.change) }
        let protection = shown?.protection ?? .whenUnlocked
        try shelf.mirrors.save(
            mirror,
            protection: protection,
            conflict: store.flatMap { type(of: $0).conflictFingerprint(of: mirror.state) },
            in: database
        )
        guard found.rows.hasEdit || record.edit != nil else { return }
        try shelf.outbox.save(
            record.edit,
            of: .init(record: mirror.record, kind: mirror.kind, protection: protection),
            in: database
        )
    }

    /// The protection class of a record's rows.
    func protection(of record: LocalRecord, _ kind: RecordKind) -> ProtectionClass {
        stores[kind].flatMap { type(of: $0).entry(of: record.view)?.protection } ?? .whenUnlocked
    }
}
