internal import Foundation
internal import KSAgent
internal import KeyValueStore
internal import Synchronization

/// A program's key-value store, with the daemon of a home.
struct KeyValueSpeed {
    private static let keyCount = 1000

    let folder: URL
    let home: String

    func measure() throws {
        let bare = try BareTable(path: folder.path + "/bare-commits.db")
        let commit = bare.commitMilliseconds()
        try writes(bareCommit: commit)
        reads()
        try opening(bareCommit: commit)
    }

    /// Small values set one by one, until all are on the disk.
    private func writes(bareCommit: Double) throws {
        let store = KeyValueStore(home: home)
        try store.set(0, forKey: "first")
        precondition(store.synchronize(), "the daemon serves")
        let clock = ContinuousClock()
        let time = try clock.measure {
            for number in 1..<Self.keyCount { try store.set(number, forKey: "key \(number)") }
            precondition(store.synchronize(), "all are written")
        }
        report(
            "set 1,000 small values one by one, until they are on the disk",
            milliseconds: time / .milliseconds(1),
            bareMilliseconds: bareCommit,
            aimMilliseconds: 200
        )
    }

    private func reads() {
        let store = KeyValueStore(home: home)
        var misses = 0
        let ours = runsPerSecond(count: 500_000) {
            if store.value(Int.self, forKey: "key 500") != 500 { misses += 1 }
        }
        precondition(misses == 0, "every value is there")
        let table = Mutex(["key 500": 500])
        let bare = runsPerSecond(count: 500_000) {
            if table.withLock({ $0["key 500"] }) != 500 { misses += 1 }
        }
        report("read a value in memory", ours: ours, bare: bare, aimRate: 1_000_000)
    }

    /// The daemon opens 1,000 entries at its start, and the program reads them.
    private func opening(bareCommit: Double) throws {
        let clock = ContinuousClock()
        let time = try clock.measure {
            let client = try AgentClient(home: try AgentHome(argument: home), startsDaemon: false)
            let found = try client.call("kv.read")
            precondition(found.array?.count == Self.keyCount, "all are read")
        }
        report(
            "read a store of 1,000 entries through the socket",
            milliseconds: time / .milliseconds(1),
            bareMilliseconds: bareCommit,
            aimMilliseconds: 10
        )
    }
}

/// What it takes until a change of one device is reported to a program on another.
struct KeyValueDelay {
    private static let changeCount = 100

    let folder: String
    let from: String
    let to: String

    func measure() throws {
        let (source, target) = (KeyValueStore(home: from), KeyValueStore(home: to))
        _ = target.keys
        let arrived = DispatchSemaphore(value: 0)
        let changes = target.changes
        let task = Task.detached {
            for await change in changes where change.keys.contains("change") { arrived.signal() }
        }
        defer { task.cancel() }
        let bare = try BareTable(path: folder + "/bare-commits.db")
        let commit = bare.commitMilliseconds()
        let clock = ContinuousClock()
        var times: [Double] = []
        for number in 0..<Self.changeCount {
            let time = try clock.measure {
                try source.set(number, forKey: "change")
                precondition(arrived.wait(timeout: .now() + 10) == .success, "it arrives")
            }
            times.append(time / .milliseconds(1))
            usleep(20_000)
        }
        times.sort()
        report(
            "a change on one device until it is reported on another, median",
            milliseconds: times[Self.changeCount / 2],
            bareMilliseconds: commit,
            aimMilliseconds: 5 + 4 * commit
        )
    }
}

extension BareTable {
    /// How long one commit takes.
    fileprivate func commitMilliseconds() -> Double {
        let perSecond = runsPerSecond(count: 50) {
            do {
                try insert(.random(in: 0 ..< .max))
            } catch {
                preconditionFailure("a bare table is written: \(error)")
            }
        }
        return 1000 / perSecond
    }
}
