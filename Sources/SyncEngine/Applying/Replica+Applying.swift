internal import GRDB
internal import KSKeychain
internal import KSRecords
internal import KSResolution
internal import KSSealing

// Steps 11 and 12: what a record has become goes to the mirror, and what the user sees of it to the
// keychain, in the transaction that moves the cursor.

extension Replica {
    /// Keeps what is known of a record now, and shows it.
    ///
    /// The record bears the new mirror, and its edit is kept as it is here; the row is the same
    /// mirror with the siblings it is made of.
    func settle(_ record: inout LocalRecord, _ mirror: MirrorRow, in database: Database) throws {
        let view = record.view
        var mirror = mirror
        if let state = mirror.state, !state.isAlive, record.onItsWay == nil,
            record.edit?.isDeleteOnly ?? true
        {
            // Deleted, and nothing here says otherwise: no value stays behind. A delete of one's
            // own that is still unsent has nothing left to do.
            record.edit = nil
            record.mirror = nil
            record.stub = state.stub
            mirror.content = .stub(state.stub)
        }
        let protection = protection(of: record)
        try shelf.mirrors.save(mirror, protection: protection, in: database)
        try shelf.outbox.save(
            record.edit,
            of: mirror.record,
            protection: protection,
            in: database
        )
        try show(view, in: database)
    }

    private func show(_ view: ItemState, in database: Database) throws {
        guard let item = ItemFields.item(of: view) else { return }
        let change = view.isAlive ? SynchronizedChange.present(item) : .absent(item.key)
        for applied in try keychain.applySynchronized([change], in: database) {
            report.count(applied)
        }
    }

    /// The class under whose key the rows of a record are kept.
    func protection(of record: LocalRecord) -> ProtectionClass {
        let item = ItemFields.item(of: record.view)
        // As the keychain keeps what other devices sent.
        return (item?.accessibility.portable ?? .whenUnlocked).protectionClass
    }
}
