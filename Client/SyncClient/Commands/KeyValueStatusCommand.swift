internal import ArgumentParser
package import KSAgent
internal import KSDaemon

struct KeyValueStatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows how much a store holds, its limits, and the state of its sync."
    )

    @OptionGroup
    var store: StoreArgument

    func perform() throws {
        let status = try store.home.call(GetKeyValueStatus(store: store.store))
        var rows = [
            ("keys", "\(status.keys) of \(status.keysMax)"),
            ("bytes", "\(status.bytes) of \(status.storeBytesMax)"),
            ("value", "at most \(status.valueBytesMax) bytes"),
            ("key", "at most \(status.keyUnitsMax) UTF-16 units"),
            ("merged", Self.mergeLimits(status)), ("sync", status.syncText),
            ("unsent", countedEntries(status.unsent) + ", of all stores and the keychain"),
        ]
        if let problem = status.problem { rows.append(("problem", problem)) }
        for (name, value) in rows {
            Console.say(name + String(repeating: " ", count: 8 - name.count) + value)
        }
    }

    private static func mergeLimits(_ status: KeyValueStatus) -> String {
        "at most \(status.elementsMax) elements, \(status.mergedBytesMax) bytes,"
            + " \(status.counterActorsMax) devices in a counter,"
            + " \(status.positionBytesMax) bytes in a position"
    }
}

extension KeyValueStatus {
    /// The state of a store's sync, as `kv status` says it.
    package var syncText: String {
        if account == nil { return "no account: the store is on this device alone" }
        if !isFirstSyncComplete { return "first sync under way" }
        if unsent > 0 { return "changes wait to be sent" }
        return problem == nil ? "in step with the account" : "not now, see below"
    }
}
