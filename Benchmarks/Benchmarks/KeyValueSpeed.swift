internal import Foundation
internal import GRDB
internal import KSAgent
internal import KeyValueStore
internal import Synchronization
internal import UbiquitousKeyValueStore

/// A program's key-value store, with the daemon of a home.
struct KeyValueSpeed {
    private static let keyCount = 1000
    private static let confirmedCount = 200
    // Each has two connections, and a daemon serves 256.
    private static let watcherCount = 100
    private static let firstWatcherCount = 10

    let programs: String
    let folder: URL
    let home: String

    func measure() throws {
        let bare = try BareTable(path: folder.path + "/bare-commits.db")
        let commit = bare.commitMilliseconds()
        try writes(bareCommit: commit)
        reads()
        try watchers()
        let bareTable = folder.path + "/bare.db"
        try KeyValueOpening(programs: programs, bareTable: bareTable, home: home).measure()
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
        let each = try clock.measure {
            for number in 0..<Self.confirmedCount {
                try store.set(number, forKey: "key \(number)")
                precondition(store.synchronize(), "it is written")
            }
        }
        report(
            "set a value and wait until it is on the disk, on average",
            milliseconds: each / .milliseconds(1) / Double(Self.confirmedCount),
            bareMilliseconds: bareCommit,
            aimMilliseconds: 1 + 4 * bareCommit
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
        let apples = NSUbiquitousKeyValueStore(store: store)
        let objects = runsPerSecond(count: 500_000) {
            if apples.longLong(forKey: "key 500") != 500 { misses += 1 }
        }
        precondition(misses == 0, "every value is there")
        report("the same by Apple's class", ours: objects, bare: bare, aimRate: 1_000_000)
    }

    /// What the daemon keeps for each program that waits for changes and hears of none.
    ///
    /// The daemon has just started, in an empty home: memory that it had freed would be reused, and
    /// the programs would seem to need none. A few programs come first and cause what all programs
    /// share; then many more come, and none goes away meanwhile.
    ///
    /// The result is the growth divided by the number of the many. It counts the pages that only
    /// the daemon has and has written: its heap, with what the allocator adds, and its stacks.
    /// Whole pages make it uncertain by some 100 bytes. It does not count the kernel's memory, such
    /// as that of the sockets.
    private func watchers() throws {
        let home = folder.path + "/watched"
        _ = try AgentHome(argument: home)
        try Program.run(programs + "/sync-client", ["status", "--home", home])
        // If it cannot be stopped, it ends when its folder is removed; the result stands.
        defer { try? Program.run(programs + "/sync-client", ["stop", "--home", home]) }
        let daemon = try DaemonProcess(home: home)
        let first = try Watchers.open(Self.firstWatcherCount, home: home)
        let before = try daemon.privateBytes()
        let watchers = try Watchers.open(Self.watcherCount, home: home)
        let each = max(0, try daemon.privateBytes() - before) / Self.watcherCount
        watchers.close()
        first.close()
        let result = verdict(isReached: each <= 4096)
        print("an idle program: \(each) bytes of the daemon's memory (aim 4096: \(result))")
    }
}

/// Programs that wait for changes of a store, as threads of this one.
///
/// Each has two connections, as every program has that uses the library: one for its calls, one for
/// what it waits for.
private final class Watchers: Sendable {
    private let interrupts = Mutex<[AgentInterrupt]>([])
    private let ended = DispatchGroup()

    /// Opens one after the other, so that the daemon never needs memory for many calls at once.
    ///
    /// Returns when all of them are waiting.
    static func open(_ count: Int, home: String) throws -> Watchers {
        let home = try AgentHome(argument: home)
        let watchers = Watchers()
        let waiting = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            watchers.ended.enter()
            Thread.detachNewThread {
                watchers.watch(home) { waiting.signal() }
                watchers.ended.leave()
            }
            waiting.wait()
        }
        return watchers
    }

    private func watch(_ home: AgentHome, whenWaiting: @escaping @Sendable () -> Void) {
        do {
            let calls = try AgentClient(home: home, startsDaemon: false)
            _ = try calls.call(GetKeyValueStatus(store: nil))
            let client = try AgentClient(home: home, startsDaemon: false)
            interrupts.withLock { $0.append(client.interrupt) }
            try withExtendedLifetime(calls) {
                let writer = (0..<16).map { _ in UInt8.random(in: 0...255) }
                _ = try client.call(WatchKeyValues(store: nil, writer: writer)) { _ in
                    whenWaiting()
                }
            }
        } catch {
            // The end, when the connection is closed.
        }
    }

    func close() {
        for interrupt in interrupts.withLock({ $0 }) { interrupt.interrupt() }
        ended.wait()
    }
}

/// What it takes until a change of one device is on the server, and at another device's program.
struct KeyValueDelay {
    private static let changeCount = 100
    private static let burstCount = 1000
    /// Half a millisecond to the server and back each, less what a thread needs to wake up.
    private static let delayMicroseconds = 470

    let programs: String
    let folder: String
    let from: String
    let to: String

    /// How long a program's writes, made one by one, take on a device with an account, and in how
    /// many batches they go up.
    func countBatches() throws {
        let store = KeyValueStore(home: from)
        try store.set(0, forKey: "first")
        precondition(store.synchronize(), "the daemon serves")
        try Program.run(programs + "/sync-client", ["sync", "--home", from])
        let before = try batches()
        let clock = ContinuousClock()
        let time = try clock.measure {
            for number in 1..<Self.burstCount { try store.set(number, forKey: "key \(number)") }
            precondition(store.synchronize(), "all are written")
        }
        report(
            "set 1,000 small values one by one on a device with an account",
            milliseconds: time / .milliseconds(1),
            bareMilliseconds: try BareTable(path: folder + "/bare-burst.db").commitMilliseconds(),
            aimMilliseconds: 200
        )
        try Program.run(programs + "/sync-client", ["sync", "--home", from])
        let count = try batches() - before
        print(
            "\(Self.burstCount) small values set one by one: uploaded in \(count) batches"
                + " (aim 5: \(verdict(isReached: count <= 5)))"
        )
    }

    /// How many the server has ever accepted.
    private func batches() throws -> Int {
        let store = try DatabaseQueue(path: folder + "/server/store.sqlite")
        return try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM commit_tag") } ?? 0
    }

    /// `link`: between both devices and the server.
    func measure(_ link: DelayedLink) throws {
        link.delay(microseconds: Self.delayMicroseconds)
        defer { link.delay(microseconds: 0) }
        let source = KeyValueStore(home: from)
        let target = NSUbiquitousKeyValueStore(store: KeyValueStore(home: to))
        _ = target.dictionaryRepresentation
        let arrived = DispatchSemaphore(value: 0)
        // This program has no main loop.
        NSUbiquitousKeyValueStore.notificationQueue = nil
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: target,
            queue: nil
        ) { notification in
            let keys = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey]
            if (keys as? [String])?.contains("change") == true { arrived.signal() }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
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
            "a change until a program is notified on a device 1 ms away, median",
            milliseconds: times[Self.changeCount / 2],
            bareMilliseconds: commit,
            aimMilliseconds: 7 + 4 * commit
        )
    }
}

extension BareTable {
    /// How long one commit takes.
    func commitMilliseconds() -> Double {
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
