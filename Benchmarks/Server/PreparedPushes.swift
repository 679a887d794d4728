internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSSealing
internal import KSStore
internal import KSWire
internal import NIOCore
internal import SwiftProtobuf
internal import Synchronization

/// Batches of devices of different accounts, sealed and signed before anything is measured.
final class PreparedPushes: Sendable {
    private let bodies: [[[UInt8]]]
    private let members: [(account: AccountID, device: MemberID)]
    private let sent: Mutex<[Int]>

    /// - Parameters:
    ///   - accounts: how many, from number 1 on; one device of each writes.
    ///   - batches: of each device.
    ///   - recordsEach: of each batch.
    ///   - devices: how many each account was made with.
    ///   - store: with the accounts.
    /// - Throws: what the store says.
    init(
        accounts: Int,
        batches: Int,
        recordsEach: Int,
        devices: Int,
        store: any Store
    ) throws {
        var bodies: [[[UInt8]]] = []
        var members: [(account: AccountID, device: MemberID)] = []
        for number in 1...accounts {
            let account = MadeAccount(number, devices: devices)
            guard let state = try store.account(account.id) else { throw StoreError.notFound }
            var writer = MadeWriter(
                account,
                device: 0,
                actor: .random(in: 1 << 32...UInt64(Int64.max)),
                epoch: state.cursor.epoch
            )
            bodies.append(
                try (0..<batches).map { _ in
                    let message = WirePushRequest(writer.batch(of: recordsEach), applied: nil)
                    return try message.serializedBytes()
                }
            )
            members.append((account.id, writer.device.memberID))
        }
        (self.bodies, self.members) = (bodies, members)
        sent = Mutex([Int](repeating: 0, count: accounts))
    }

    convenience init(run: EmbeddedRun, accounts: Int, batches: Int, recordsEach: Int) throws {
        let store = try run.reading()
        try self.init(
            accounts: accounts,
            batches: batches,
            recordsEach: recordsEach,
            devices: run.contents.devices,
            store: store
        )
        try store.close()
    }

    /// Sends all of them, each device one after the other.
    ///
    /// `secret`: of a database's servers; nil for that of the data directory.
    func push(
        to server: ServerUnderLoad,
        secret: [UInt8]? = nil
    ) throws -> (load: LoadOutcome, processor: Double) {
        let client = try LoadClient()
        let connections = try client.connect(members.count, port: server.port)
        let tokens = members.map { server.token(of: $0.device, in: $0.account, secret: secret) }
        let before = server.processorSeconds
        let outcome = try client.closedLoop(connections, for: .seconds(60)) { [self] index in
            let turn = sent.withLock { sent in
                defer { sent[index] += 1 }
                return sent[index]
            }
            guard turn < bodies[index].count else { return nil }
            return LoadRequest(
                method: "POST",
                path: "/v1/batches",
                token: tokens[index],
                body: bodies[index][turn]
            )
        }
        let used = server.processorSeconds - before
        client.close(connections)
        try client.end()
        return (outcome, used)
    }
}

enum PushLines {
    static func show(_ load: LoadOutcome, server: ServerUnderLoad, processor: Double) {
        Report.show("pushes of 64 devices, one record each", "\(Report.text(load.perSecond))/s")
        Report.show("  " + load.latencies.text, load.failureText)
        Report.show(
            "  processor a push",
            "\(Report.text(processor / Double(max(load.latencies.count, 1)) * 1e6)) µs"
        )
    }
}

/// Rows of a record's size in bare SQLite, with the same durability.
struct BareCommits {
    let folder: String
    /// Rows of one commit.
    let group: Double

    func perSecond() throws -> Double {
        let path = folder + "/bare.sqlite"
        let queue = try DatabaseQueue(path: path)
        defer {
            // The whole folder is removed later.
            try? FileManager.default.removeItem(atPath: path)
        }
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(
                sql: """
                    CREATE TABLE record (
                        position INTEGER PRIMARY KEY, account INTEGER NOT NULL, id BLOB NOT NULL,
                        siblings BLOB NOT NULL, boxes BLOB NOT NULL
                    );
                    CREATE UNIQUE INDEX record_by_id ON record (account, id);
                    """
            )
        }
        let random = SystemRandomSource()
        let box = Data(random.bytes(MadeAccount.boxByteCount))
        let siblings = Data(random.bytes(70))
        let size = max(1, Int(group.rounded()))
        let turns = max(50, 20_000 / size)
        let ids = (0..<turns * size).map { _ in Data(random.bytes(32)) }
        let start = ContinuousClock.now
        for turn in 0..<turns {
            try queue.write { database in
                let statement = try database.cachedStatement(
                    sql: "INSERT INTO record VALUES (?, ?, ?, ?, ?)"
                )
                for offset in 0..<size {
                    let number = turn * size + offset
                    let account = number % 64
                    try statement.execute(arguments: [
                        account << 40 | number, account, ids[number], siblings, box,
                    ])
                }
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try queue.close()
        return Double(turns * size) / seconds
    }
}
