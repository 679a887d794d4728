import KSDeviceKeys
import GRDB
import KSDaemon
import KSDigests
import KSKeychain
import KSKeychainRecords
import KSMoving
import KSPrimitives
import KSRecords
import KSSealing
import KSTransport

import KSSyncEngine

extension KeychainOwner {
    /// Saves a new account and reads it.
    func join(_ enrollment: Enrollment) throws -> EnrolledDevice? {
        try save(enrollment)
        return try takeAccount()
    }

    /// The result of a look-up.
    func find(_ query: KeychainQuery) throws -> [Item] {
        try keychain.reader.items(query, skip: 0)
    }
}

/// A device in memory that belongs to an account, without a server.
struct EnrolledOwner {
    /// An address where no server listens.
    static let origin = "https://127.0.0.1:1"

    let files: DeviceFiles
    let owner: KeychainOwner

    init() async throws { try await self.init(Self.enrollment()) }

    init(_ enrollment: Enrollment) async throws {
        files = try DeviceFiles(storage: MemoryKeyFiles())
        owner = try KeychainOwner(files: files)
        _ = try await owner.join(enrollment)
    }

    /// An owner that has joined an account by itself.
    init(of owner: KeychainOwner) async {
        files = await owner.files
        self.owner = owner
    }

    static func enrollment() throws -> Enrollment {
        let random = SystemRandomSource()
        let account = AccountID(validated: random.bytes(AccountID.byteCount))
        let identity = DeviceIdentity.random(from: random)
        let accountKey = AccountKey.random(from: random)
        let keyRing = KeyRing.random(from: random)
        let genesis = try CircleAuthoring.genesis(
            account: account,
            device: identity,
            deviceName: "laptop",
            credentials: AccountCredentials.derive(
                password: Array("a long password".utf8),
                accountKey: accountKey,
                cost: .simulation
            ),
            keyRing: keyRing,
            random: random
        )
        return Enrollment(
            account: account,
            names: EnrolledNames(account: "ada", device: "laptop"),
            server: try ServerEndpoint(origin: Self.origin),
            identity: identity,
            accountKey: accountKey,
            keyRing: keyRing,
            circle: try CircleChain(verifying: [genesis.entry]),
            epoch: StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
        )
    }

    /// The secrets of an item, the current one first, then earlier ones.
    func history(of item: Item) async throws -> [String] {
        guard let keys = await owner.keys else { return [] }
        let id = keys.keyRing.recordID(forCanonicalKey: item.key.canonicalBytes, kind: .keychain)
        let history = try await files.database.read { database in
            try RecordShelf(rows: keys.rows).history(of: id, in: database)
        }
        return (history?.versions ?? []).map { String(decoding: $0.secret, as: UTF8.self) }
    }
}

extension KeychainOwner {
    /// Imports the rows of a table, as `sync-client import` does.
    func take(rows: String, dryRun: Bool = false) throws -> TakenEntries {
        let call = try ImportEntries(rows: rows, dryRun: dryRun)
        return try take(call)
    }
}

extension ImportEntries {
    /// The call for a table with Chrome's columns.
    init(rows: String, dryRun: Bool = false) throws {
        let table = "name,url,username,password,note\n" + rows
        let placing = EntryPlacing(try EntryFormat.readFile(SourceFile(Array(table.utf8))))
        self.init(
            entries: Array(placing.entries),
            numbers: placing.numbers.map { Int64($0) },
            dryRun: dryRun
        )
    }
}

extension TakenEntries {
    /// How many were added, changed, unchanged and kept, and what was noted of which entry.
    var shown: String {
        let notes = notes.map { " \($0.entry) \($0.reason.rawValue)" }.joined(separator: ",")
        return "\(added) \(changed) \(unchanged) \(kept)" + notes
    }
}
