internal import ArgumentParser
internal import Glibc
internal import KSAgent
internal import KSDaemon
internal import KSKeyValues
internal import KSRPC
internal import KeyValueStore

struct KeyValueWatchCommand: ClientCommand {
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
        var printer = ChangePrinter(store: store.store, link: AgentLink(home: home.path))
        var wait = Self.waitMilliseconds.lowerBound
        var hasConnected = false
        while true {
            var isConnected = false
            do throws(AgentError) {
                // A user who stops the daemon does not want this command to start it again.
                let client = try AgentClient(home: home, startsDaemon: !hasConnected)
                try client.watch(WatchKeyValues(store: store.store)) { report in
                    isConnected = true
                    printer.take(report)
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
                wait = Self.waitMilliseconds.lowerBound
                hasConnected = true
            }
            usleep(wait * 1000)
            wait = min(wait * 2, Self.waitMilliseconds.upperBound)
        }
    }
}

/// Prints the changes of a store, and what it has missed, from a copy of its values.
private struct ChangePrinter {
    let store: String
    /// A separate connection: the other one is busy watching.
    let link: AgentLink
    /// Nothing is written by it, so that it needs no random bytes.
    private var memory = StoreMemory { [UInt8](repeating: 0, count: $0) }
    /// Whether everything was read since reports were lost.
    private var isRead = false
    /// Whether reports were left out: those that come now may be older than what was read since.
    private var hasMissed = false

    init(store: String, link: AgentLink) { (self.store, self.link) = (store, link) }

    /// Prints what a report says, or what has changed meanwhile; nil for lost reports.
    ///
    /// The daemon leaves out reports while this program does not read them.
    mutating func take(_ report: KeyValueReport?) {
        if report == nil { isRead = false }
        let isFirst = !memory.isLoaded
        do throws(AgentError) {
            if !isRead || report?.origin == .joined { try readAll() }
            // What was there at the first reading is not printed, but what was reported is.
            if let report, report.origin != .joined || isFirst { try printChange(report) }
        } catch {
            // The next report makes this program read everything.
            Console.warn(CommandFailure(error).sentence)
        }
    }

    /// Prints what differs from what is known; the first time it only learns it.
    private mutating func readAll() throws(AgentError) {
        let entries = ConfirmedEntry.byKey(try link.call(ReadKeyValues(store: store)))
        // Who deleted a key is not known; without an account it was this device.
        let mayBeExternal = try link.call(GetAccountToken()).token != nil
        let isFirst = !memory.isLoaded
        hasMissed = hasMissed || !isFirst && !isRead
        isRead = true
        let different = memory.load(entries)
        guard !isFirst else { return }
        for key in different.sorted() {
            show(key, isExternal: entries[StoreKey(key)]?.isExternal ?? mayBeExternal)
        }
    }

    private mutating func printChange(_ report: KeyValueReport) throws(AgentError) {
        guard !report.keys.isEmpty else { return }
        let entries =
            if !hasMissed, let reported = report.entries {
                reported
            } else {
                try link.call(ReadKeyValues(store: store, keys: report.keys))
            }
        let keys = Set(report.keys.map(StoreKey.init))
        let different = memory.update(keys, ConfirmedEntry.byKey(entries))
        for key in hasMissed ? different.sorted() : report.keys {
            show(key, isExternal: report.origin != .device)
        }
    }

    private func show(_ key: String, isExternal: Bool) {
        var line: AgentDictionary = ["key": .string(key), "external": .bool(isExternal)]
        line["value"] = memory.confirmed(StoreKey(key)).map { $0.entry.value?.json ?? .null }
        Console.say(JSONText.text(.dictionary(line)))
    }
}
