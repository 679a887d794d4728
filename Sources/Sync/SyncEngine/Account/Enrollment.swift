package import KSDigests
package import GRDB
package import KSRecords
internal import KSResolution
package import KSSealing
package import KSTransport

/// Everything that a device has after it joined an account, before any of it is saved.
package struct Enrollment: Sendable {
    package let account: AccountID
    package let names: EnrolledNames
    package let server: ServerEndpoint
    package let identity: DeviceIdentity
    package let accountKey: AccountKey
    package let keyRing: KeyRing
    package let circle: CircleChain
    package let epoch: StoreEpoch
    /// The circle's newest entry with all that the server keeps beside it; nil if this device has
    /// not made the entry.
    package let newestChange: CircleChange?
    /// The devices that the login has removed from the account.
    package let removed: [AccountDevice]

    package init(
        account: AccountID,
        names: EnrolledNames,
        server: ServerEndpoint,
        identity: DeviceIdentity,
        accountKey: AccountKey,
        keyRing: KeyRing,
        circle: CircleChain,
        epoch: StoreEpoch,
        newestChange: CircleChange? = nil,
        removed: [AccountDevice] = []
    ) {
        self.account = account
        self.names = names
        self.server = server
        self.identity = identity
        self.accountKey = accountKey
        self.keyRing = keyRing
        self.circle = circle
        self.epoch = epoch
        self.newestChange = newestChange
        self.removed = removed
    }

    /// How many devices can still join the account.
    package var freeDevices: Int { Limits.membersMax - circle.newest.members.count }

    /// Saves it all, and records every entry that is there already as an unsent edit.
    ///
    /// If the device returns to an account that it left with its items, only what the account does
    /// not have becomes an edit.
    package func save(
        in database: any DatabaseWriter,
        stores: [any SyncedStore],
        rows: SealedRows,
        clock: @escaping @Sendable () -> UInt64,
        random: any RandomSource
    ) throws {
        let values = AccountValueTable(rows: rows)
        let keys = ReplicaKeys(
            keyRing: keyRing,
            account: account,
            identity: identity,
            rows: rows,
            random: random
        )
        try database.write { database in
            var state = SyncState(
                account: account,
                member: identity.memberID,
                epoch: epoch,
                circle: circle,
                random: random
            )
            let isReturn = try Return.prepare(&state, in: database)
            try SyncStateTable.save(state, in: database)
            try CircleTable.append(circle.entries, in: database)
            try values.save(try keyRing.encode(), as: .keyRing, in: database)
            try values.save(identity.encode(), as: .deviceIdentity, in: database)
            try values.save(accountKey.bytes, as: .accountKey, in: database)
            try values.save(server.encoded, as: .server, in: database)
            try values.save(names.encoded, as: .names, in: database)
            if let newestChange {
                try values.save(newestChange.copy, as: .circleCopy, in: database)
            }
            try values.delete(.signUpDrafts, in: database)
            // Each entry keeps its own time: the old copies of a device that joins must not win
            // over later changes of other devices. The oldest comes first, since stamps only rise.
            let notes = try stores.flatMap {
                try $0.notes(keys, names.device, clock, isReturn: isReturn, in: database)
            }
            for note in notes.sorted(by: { $0.time < $1.time }) { try note.write() }
            for store in stores { try store.forgetUnsent(in: database) }
            try database.run("DELETE FROM departed_entry")
        }
    }
}

extension SyncedStore {
    fileprivate func notes(
        _ keys: ReplicaKeys,
        _ deviceName: String,
        _ clock: @escaping @Sendable () -> UInt64,
        isReturn: Bool,
        in database: Database
    ) throws -> [JoiningEntries<Self>.Note] {
        try JoiningEntries(
            store: self,
            shelf: RecordShelf(rows: keys.rows),
            keyRing: keys.keyRing,
            outbox: Outbox(
                keys: keys,
                clock: clock,
                deviceName: Self.kind == .keychain ? deviceName : nil,
                whenCommitted: {}
            ),
            deviceName: deviceName,
            clock: clock
        ).notes(isReturn: isReturn, in: database)
    }
}

/// The names of the account and of this device.
package struct EnrolledNames: Equatable, Sendable {
    package let account: String
    package let device: String

    package init(account: String, device: String) {
        self.account = account
        self.device = device
    }

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.string(account)
        encoder.string(device)
        return encoder.encoded
    }

    init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        account = try decoder.string()
        device = try decoder.string()
        try decoder.end()
    }
}

extension ServerEndpoint {
    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.string(origin)
        encoder.list(pins) { $0.string($1) }
        encoder.list([authorityFile].compactMap { $0 }) { $0.string($1) }
        return encoder.encoded
    }

    init(decoding encoded: [UInt8]) throws {
        var decoder = CanonicalDecoder(encoded)
        let origin = try decoder.string()
        let pins = try decoder.list { decoder throws(RecordsError) in try decoder.string() }
        let authority = try decoder.list { decoder throws(RecordsError) in try decoder.string() }
        try decoder.end()
        try self.init(origin: origin, pins: pins, authorityFile: authority.first)
    }
}
