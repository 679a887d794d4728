internal import Foundation
internal import KSAgent
internal import KeyValueStore

/// What it takes until a program has all entries of a large store.
struct KeyValueOpening {
    private static let entryCount = 10_000
    private static let aimMilliseconds = 100.0

    let programs: String
    /// A database with a ``BareTable`` of as many rows.
    let bareTable: String
    let home: String
    var hasAccount = false

    /// A daemon that has just started opens a store, and then a program reads all of it.
    func measure() throws {
        try syncClient("kv", "limits", "--keys", "20000", "--total", "16777216")
        let count = try fill()
        // Otherwise the daemon uploads meanwhile.
        if hasAccount { try syncClient("sync") }
        try syncClient("stop")
        try syncClient("status")
        let bare = try BareTable(path: bareTable)
        var rows = 0
        let clock = ContinuousClock()
        let bareTime = clock.measure { rows = bare.list() } / .milliseconds(1)
        let client = try AgentClient(home: try AgentHome(argument: home), startsDaemon: false)
        let daemons = try clock.measure { _ = try client.call("kv.status") } / .milliseconds(1)
        var keys = 0
        let programs = clock.measure { keys = KeyValueStore(home: home).keys.count }
        precondition(keys == count && rows > 0, "all are read")
        report(
            "a daemon that has just started and a program open \(count) entries",
            milliseconds: daemons + programs / .milliseconds(1),
            bareMilliseconds: bareTime,
            aimMilliseconds: Self.aimMilliseconds
        )
        report(
            "    the program alone",
            milliseconds: programs / .milliseconds(1),
            bareMilliseconds: bareTime,
            aimMilliseconds: Self.aimMilliseconds
        )
    }

    /// - Returns: how many entries there are; this process's memory holds none afterwards.
    private func fill() throws -> Int {
        let store = KeyValueStore(home: home)
        for number in 0..<Self.entryCount {
            try store.set("value \(number)", forKey: "key \(number)")
        }
        precondition(store.synchronize(), "all are written")
        return store.keys.count
    }

    private func syncClient(_ arguments: String...) throws {
        try Program.run(programs + "/sync-client", arguments + ["--home", home])
    }
}
