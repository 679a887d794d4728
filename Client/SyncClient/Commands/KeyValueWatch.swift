internal import ArgumentParser
internal import KSAgent
internal import KSKeyValues
internal import KSRPC

struct KeyValueWatch: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints each change of a store as a line of JSON until it is interrupted.",
        discussion: """
            external is true for a change of another device. A deleted key has no value.
            """
    )

    @OptionGroup
    var store: StoreArgument

    func perform() throws {
        // Before the first unlock, a device has no changes to report.
        try store.home.refuseIfLocked(onlyBeforeFirstUnlock: true)
        let home = try store.home.agentHome()
        // A second connection: the first one is busy with the watching.
        let (watching, reading) = (try AgentClient(home: home), try AgentClient(home: home))
        let name = store.store
        var shown = WatchedValues()
        var number: UInt64 = 0
        _ = try watching.call(WatchKeyValues(store: name)) { progress in
            // Only a newer daemon sends a report that cannot be read.
            guard let report = try? KeyValueReport(progress) else { return }
            let isNext = report.number == number + 1
            number = report.number
            if !isNext || report.origin == .joined {
                // The first report, or the daemon has left out some: the reader was too slow.
                guard let all = try? reading.call(ReadKeyValues(store: name)) else { return }
                shown.replace(by: all, isSilent: report.number == 0)
            } else if !report.keys.isEmpty {
                let read = ReadKeyValues(store: name, keys: report.keys)
                // Without an answer, the changes are shown without their values.
                let entries = report.entries ?? (try? reading.call(read)) ?? []
                shown.change(report.keys, to: entries, isExternal: report.origin != .device)
            }
            Console.endIfOutputFailed()
        }
    }
}

/// What `kv watch` has printed, so that it can print what it missed.
private struct WatchedValues {
    /// The value of each key as JSON, by the key's bytes.
    private var values: [[UInt8]: String] = [:]

    /// Prints changes as they were reported.
    mutating func change(_ keys: [String], to entries: [KeyValueEntry], isExternal: Bool) {
        for key in keys {
            let entry = entries.first { $0.key.hasSameBytes(as: key) }
            show(key, entry.map { KeyValueLines.json($0.value) }, isExternal)
        }
    }

    /// Prints what differs from what it has printed; `isSilent`: only remembers it.
    mutating func replace(by entries: [KeyValueEntry], isSilent: Bool) {
        let before = values
        var gone = Set(before.keys)
        for entry in entries {
            let (bytes, value) = (Array(entry.key.utf8), KeyValueLines.json(entry.value))
            gone.remove(bytes)
            if isSilent {
                values[bytes] = JSONText.text(value)
            } else if before[bytes] != JSONText.text(value) {
                show(entry.key, value, entry.isExternal)
            }
        }
        // Who deleted a key is not known.
        for key in gone.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            show(String(decoding: key, as: UTF8.self), nil, true)
        }
    }

    private mutating func show(_ key: String, _ value: AgentValue?, _ isExternal: Bool) {
        var line: AgentDictionary = ["key": .string(key), "external": .bool(isExternal)]
        if let value { line["value"] = value }
        values[Array(key.utf8)] = value.map { JSONText.text($0) }
        Console.say(JSONText.text(.dictionary(line)))
    }
}
