internal import ArgumentParser
internal import Glibc
internal import KSAgent
internal import KSDaemon
internal import KSKeyValues
internal import KSRPC

struct KeyValueWatch: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints each change of a store as a line of JSON until it is interrupted.",
        discussion: """
            external is true for a change of another device. A deleted key has no value. When the \
            daemon ends, the command waits until one runs again, and prints what has changed \
            meanwhile.
            """
    )

    /// The wait before the next connection: short at first, doubled after each failure.
    private static let waitMilliseconds: ClosedRange<UInt32> = 100...10_000

    @OptionGroup
    var store: StoreArgument

    func perform() throws {
        // Before the first unlock, a device has no changes to report.
        try store.home.refuseIfLocked(onlyBeforeFirstUnlock: true)
        // The daemon identifies it at each connection, and it prints the values anyway.
        ProcessProtection.allowBeingLookedAt()
        let home = try store.home.agentHome()
        var values = WatchedValues(store: store.store, home: home)
        var wait = Self.waitMilliseconds.lowerBound
        var hasConnected = false
        while true {
            var isConnected = false
            do throws(AgentError) {
                // A user who stops the daemon does not want this command to start it again.
                let client = try AgentClient(home: home, startsDaemon: !hasConnected)
                _ = try client.call(WatchKeyValues(store: store.store)) { progress in
                    isConnected = true
                    // Only a newer daemon sends a report that cannot be read.
                    guard let report = try? KeyValueReport(progress) else { return }
                    values.take(report)
                    Console.endIfOutputFailed()
                }
            } catch {
                if case .failed(let failure) = error, failure.isRefusal { throw error }
                guard isConnected || hasConnected else { throw error }
            }
            // Without its home, no daemon can ever start again.
            guard unsafe access(home.path, F_OK) == 0 else {
                throw CommandFailure.diskTrouble("The home directory was removed.")
            }
            if isConnected {
                Console.warn("The daemon has ended: kv watch continues when it runs again.")
                values.connectionWasLost()
                wait = Self.waitMilliseconds.lowerBound
                hasConnected = true
            }
            usleep(wait * 1000)
            wait = min(wait * 2, Self.waitMilliseconds.upperBound)
        }
    }
}

/// The values that `kv watch` knows of, so that it can print what it has missed.
private struct WatchedValues {
    let store: String
    /// A separate connection: the other one is busy watching.
    let link: AgentLink
    /// The value of each key as JSON, by the key's bytes; nil if nothing was read yet.
    private var known: [[UInt8]: String]?
    /// The number of the connection's last report; nil if everything has to be read first.
    private var number: UInt64?
    /// Whether reports were left out: those that come now may be older than what was read since.
    private var hasMissed = false

    init(store: String, home: AgentHome) {
        self.store = store
        link = AgentLink(home: home.path)
    }

    /// Reports from before the next connection are lost.
    mutating func connectionWasLost() { number = nil }

    /// Prints what a report says, or what has changed meanwhile.
    ///
    /// The daemon leaves out reports while this program does not read them.
    mutating func take(_ report: KeyValueReport) {
        let isFirstReading = known == nil
        let isNext = number.map { report.number == $0 + 1 } ?? false
        do throws(AgentError) {
            if !isNext || report.origin == .joined {
                let all = try link.call(ReadKeyValues(store: store))
                let mayBeExternal = try link.call(GetAccountToken()).token != nil
                hasMissed = hasMissed || !isFirstReading && !isNext
                replace(by: all, mayBeExternal: mayBeExternal)
            }
            // The values of the first reading are not printed, but reported changes are.
            if isNext && report.origin != .joined || isFirstReading, !report.keys.isEmpty {
                let isSure = report.entries != nil && !hasMissed
                let read = ReadKeyValues(store: store, keys: report.keys)
                let entries = isSure ? report.entries ?? [] : try link.call(read)
                let isExternal = report.origin != .device
                change(report.keys, to: entries, isExternal: isExternal, onlyNew: hasMissed)
            }
            number = report.number
        } catch {
            // The next report makes this program read everything.
            Console.warn(CommandFailure(error).sentence)
        }
    }

    /// Prints changes as they were reported; `onlyNew`: those that are not known yet.
    private mutating func change(
        _ keys: [String],
        to entries: [KeyValueEntry],
        isExternal: Bool,
        onlyNew: Bool
    ) {
        let values = entries.map { (Array($0.key.utf8), KeyValueLines.json($0.value)) }
        let byKey = Dictionary(values) { $1 }
        for key in keys {
            let bytes = Array(key.utf8)
            let isKnown = byKey[bytes].map { JSONText.text($0) } == known?[bytes]
            if !onlyNew || !isKnown { show(key, byKey[bytes], isExternal) }
        }
    }

    /// Prints the entries that differ from the known ones; the first time it only notes them.
    private mutating func replace(by entries: [KeyValueEntry], mayBeExternal: Bool) {
        let values = entries.map { (Array($0.key.utf8), KeyValueLines.json($0.value)) }
        guard let known else {
            known = Dictionary(values.map { ($0, JSONText.text($1)) }) { $1 }
            return
        }
        var gone = Set(known.keys)
        for (entry, (bytes, value)) in zip(entries, values) {
            gone.remove(bytes)
            if known[bytes] != JSONText.text(value) { show(entry.key, value, entry.isExternal) }
        }
        // The device that deleted a key is unknown; without an account it is this one.
        for key in gone.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            show(String(decoding: key, as: UTF8.self), nil, mayBeExternal)
        }
    }

    private mutating func show(_ key: String, _ value: AgentValue?, _ isExternal: Bool) {
        var line: AgentDictionary = ["key": .string(key), "external": .bool(isExternal)]
        if let value { line["value"] = value }
        known?[Array(key.utf8)] = value.map { JSONText.text($0) }
        Console.say(JSONText.text(.dictionary(line)))
    }
}
