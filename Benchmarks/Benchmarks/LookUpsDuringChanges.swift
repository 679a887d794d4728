internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSKeychain
internal import KSDeviceKeys
internal import Synchronization

/// Look-ups while pages of a first download are applied, over a connection of their own and over
/// the one that applies them.
struct LookUpsDuringChanges {
    private static let group = "benchmark"
    /// The records of a page.
    private static let pageCount = 500
    private static let lookUpCount = 400

    let folder: URL

    func measure() throws {
        let path = folder.path + "/pages.db"
        let random = SystemRandomSource()
        let keys = try LocalKeyFile.open(storage: MemoryKeyFiles(), random: random, mayCreate: true)
        let writing = try KeychainDatabase.open(path: path)
        let reading = try KeychainDatabase.openReading(path: path)
        func reader(_ database: DatabaseQueue) -> KeychainReader {
            KeychainReader(
                database: database,
                sealing: LocalRowSealing(keys, random: random),
                clock: { Date().timeIntervalSince1970 },
                random: random,
                othersWrite: true
            )
        }
        let isDone = Atomic(false)
        let pages = Atomic(0)
        // Made where it is used: a keychain is for one thread.
        func makeKeychain() -> ItemStore {
            ItemStore(
                database: writing,
                sealing: LocalRowSealing(keys, random: random),
                clock: { Date().timeIntervalSince1970 },
                random: random
            )
        }
        try makeKeychain().add(item(0), access: .groups([Self.group]))
        let idle = try median(of: reader(reading)) { _ in }
        try withThread {
            let keychain = makeKeychain()
            var next = 1
            while !isDone.load(ordering: .relaxed) {
                try keychain.write { database in
                    for number in next..<next + Self.pageCount {
                        try keychain.add(item(number), access: .groups([Self.group]), in: database)
                    }
                }
                next += Self.pageCount
                pages.add(1, ordering: .relaxed)
            }
        } whileRunning: {
            defer { isDone.store(true, ordering: .relaxed) }
            while pages.load(ordering: .relaxed) < 2 { usleep(1000) }
            let beside = try median(of: reader(reading)) { _ in usleep(1000) }
            let behind = try median(of: reader(writing)) { _ in usleep(1000) }
            report(
                "look a secret up while pages of \(Self.pageCount) are applied, median",
                milliseconds: beside,
                bareMilliseconds: idle,
                aimMilliseconds: 1
            )
            print(
                "    over the connection that applies them: "
                    + "\((behind * 100).rounded() / 100) ms"
            )
        }
    }

    /// In milliseconds; `pause` comes before each.
    private func median(of reader: KeychainReader, pause: (Int) -> Void) throws -> Double {
        let clock = ContinuousClock()
        var query = KeychainQuery(
            .genericPassword,
            attributes: [.service: .string("service 0"), .accessGroup: .string(Self.group)],
            synchronizable: .no,
            access: .groups([Self.group]),
            limit: 1
        )
        query.wantsSecret = true
        var times: [Double] = []
        for number in 0..<Self.lookUpCount {
            pause(number)
            times.append(
                try clock.measure {
                    let found = try reader.find(query)
                    precondition(found.items.count == 1, "the item has to be found")
                } / .milliseconds(1)
            )
        }
        return times.sorted()[times.count / 2]
    }

    /// Runs something on another thread until the block here has ended.
    private func withThread(
        _ body: @escaping () throws -> Void,
        whileRunning: () throws -> Void
    ) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let body = body
        Thread.detachNewThread {
            do {
                unsafe try body()
            } catch {
                print("a page could not be applied: \(error)")
            }
            hasEnded.signal()
        }
        defer { hasEnded.wait() }
        try whileRunning()
    }

    private func item(_ number: Int) -> Item {
        Item(
            .genericPassword,
            attributes: [
                .service: .string("service \(number)"), .account: .string("ada"),
                .accessGroup: .string(Self.group),
            ],
            secret: Array("a secret of some length \(number)".utf8)
        )
    }
}
