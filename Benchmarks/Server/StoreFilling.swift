internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSStore

/// The accounts that a store gets before anything is measured.
struct StoreContents: Equatable {
    var accounts: Int
    var devices: Int
    /// Of each account; its devices have written the same number each.
    var records: Int
}

enum StoreFilling {
    /// The batches of one transaction: several accounts.
    private static let batchesMax = 80

    /// Makes a data directory with a store, by the store's own code.
    ///
    /// Nothing waits for the disk until the end: the store is made again if the machine fails.
    static func makeEmbedded(_ contents: StoreContents, in folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let path = folder + "/store.sqlite"
        let now: @Sendable () -> UInt64 = { UInt64(Date().timeIntervalSince1970) }
        // Makes the file as a server does.
        try SQLiteStore(path: path, random: SystemRandomSource(), clockSeconds: now).close()
        let queue = try DatabaseQueue(path: path)
        let store = try SQLiteStore(
            database: queue,
            random: SystemRandomSource(),
            clockSeconds: now
        )
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = OFF")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 20000")
        }
        try fill(store, contents)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try store.close()
    }

    /// Signs the accounts up, and pushes their records in batches of 500 at most.
    static func fill(_ store: any Store, _ contents: StoreContents) throws {
        var waiting: [PushRequest] = []
        func flush() throws {
            for result in store.push(waiting) { _ = try result.get() }
            waiting = []
        }
        for number in 1...max(1, contents.accounts) {
            let account = MadeAccount(number, devices: contents.devices)
            let epoch = try store.createAccount(account.signUp)
            for (offset, change) in account.circle.enumerated().dropFirst() {
                try store.appendEntry(change, to: account.id, ifVersion: UInt64(offset))
            }
            for device in 0..<contents.devices {
                var writer = MadeWriter(
                    account,
                    device: device,
                    actor: UInt64(device + 1),
                    epoch: epoch
                )
                var left = contents.records / contents.devices
                while left > 0 {
                    let count = min(left, Limits.batchRecordsMax)
                    waiting.append(writer.request(of: count))
                    left -= count
                }
            }
            if waiting.count >= batchesMax { try flush() }
            if number % 2000 == 0 { Report.note("\(number) accounts are made") }
        }
        if !waiting.isEmpty { try flush() }
    }
}
