internal import KSBytes
internal import ArgumentParser
internal import KSAgent
internal import KSDaemon
internal import KSRPC

struct KeyValueLimitsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Shows or sets the limits of a store, or of all stores, for the whole account.",
        discussion: """
            Without an option the limits are shown. A store's own limits take precedence over \
            those of all stores. Limits apply to new writes: existing entries stay unchanged.
            """
    )

    @Argument(help: "The store's name; all stores without it.")
    var store: String?

    @Option(help: ArgumentHelp("How many keys a store may have.", valueName: "number"))
    var keys: Int?

    @Option(help: ArgumentHelp("How many bytes all values may have.", valueName: "bytes"))
    var total: Int?

    @Option(help: ArgumentHelp("How many bytes one value may have.", valueName: "bytes"))
    var value: Int?

    @Option(help: ArgumentHelp("How long a key may be, in UTF-16 units.", valueName: "units"))
    var key: Int?

    @Flag(help: "Remove all settings, so that the default limits apply.")
    var reset = false

    @Flag(help: "Print JSON; an error is JSON too, with code and message.")
    var json = false

    @OptionGroup
    var home: HomeOption

    private var sets: Bool { [keys, total, value, key].contains { $0 != nil } }

    func validate() throws {
        if reset, sets { throw ValidationError("--reset cannot be combined with a limit.") }
    }

    func perform() throws {
        if sets || reset {
            var call = SetKeyValueLimits(store: store)
            call.keys = keys
            call.totalBytes = total
            call.valueBytes = value
            call.keyUnits = key
            _ = try home.call(call)
            guard json else { return }
        }
        let limits = try home.call(GetKeyValueLimits(store: store))
        guard !json else { return Console.say(JSONText.text(.array(limits.map(Self.json)))) }
        for row in limits {
            Console.say(
                "\(row.store ?? "all stores")  \(counted(row.keysMax, "key"))"
                    + "  \(counted(row.storeBytesMax, "byte"))"
                    + "  a value \(counted(row.valueBytesMax, "byte"))"
                    + "  a key \(counted(row.keyUnitsMax, "UTF-16 unit"))"
            )
        }
    }

    private static func json(_ limits: KeyValueStoreLimits) -> AgentValue {
        [
            "store": limits.store.map { .string($0) } ?? .null,
            "keys": .integer(Int64(limits.keysMax)),
            "total": .integer(Int64(limits.storeBytesMax)),
            "value": .integer(Int64(limits.valueBytesMax)),
            "keyUnits": .integer(Int64(limits.keyUnitsMax)),
        ]
    }
}
