internal import KSBytes
internal import ArgumentParser
package import KSAgent
internal import KSDaemon
internal import KSRPC

struct KeyValueStatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows how much a store holds, its limits, and the state of its sync."
    )

    @OptionGroup
    var store: StoreArgument

    @Flag(help: "Print JSON; an error is JSON too, with code and message.")
    var json = false

    func perform() throws {
        let status = try store.home.call(GetKeyValueStatus(store: store.store))
        guard !json else { return Console.say(JSONText.text(status.shown)) }
        var rows = [
            ("keys", "\(status.keys) of \(status.keysMax)"),
            ("bytes", "\(status.bytes) of \(status.storeBytesMax)"),
            ("value", "at most " + counted(status.valueBytesMax, "byte")),
            ("key", "at most " + counted(status.keyUnitsMax, "UTF-16 unit")),
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
    /// What `kv status --json` prints.
    package var shown: AgentValue {
        [
            "store": .string(store), "keys": .integer(Int64(keys)),
            "keysMax": .integer(Int64(keysMax)), "bytes": .integer(Int64(bytes)),
            "bytesMax": .integer(Int64(storeBytesMax)),
            "valueBytesMax": .integer(Int64(valueBytesMax)),
            "keyUnitsMax": .integer(Int64(keyUnitsMax)),
            "elementsMax": .integer(Int64(elementsMax)),
            "mergedBytesMax": .integer(Int64(mergedBytesMax)),
            "counterDevicesMax": .integer(Int64(counterActorsMax)),
            "positionBytesMax": .integer(Int64(positionBytesMax)),
            "joined": .bool(account != nil), "firstSyncComplete": .bool(isFirstSyncComplete),
            "lastSync": lastSync.map { .date($0.secondsSince2001) } ?? .null,
            "sync": .string(syncText), "unsent": .integer(Int64(unsent)),
            "problem": problem.map { .string($0) } ?? .null,
        ]
    }

    /// The state of a store's sync, as `kv status` says it.
    package var syncText: String {
        if account == nil { return "no account: the store is on this device alone" }
        if !isFirstSyncComplete { return "first sync under way" }
        if unsent > 0 { return "changes wait to be sent" }
        return problem == nil ? "in step with the account" : "not now, see below"
    }
}
