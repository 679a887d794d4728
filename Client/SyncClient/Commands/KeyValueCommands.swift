internal import KSBytes
internal import ArgumentParser
internal import KSAgent
internal import KSDaemon
internal import KSKeyValues
internal import KSRPC

/// Key-value stores from the command line.
struct KeyValueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kv",
        abstract: "Reads and writes key-value stores, which sync like the keychain.",
        discussion: """
            Values are JSON. Data is {"$data":"hex:00ff"} or {"$data":"utf8:text"}, a date is \
            {"$date":seconds since 2001-01-01 UTC}, a real number without a fraction is \
            {"$real":"1.0"}. A program that names no store uses its own, named exe: and its path.
            """,
        subcommands: [
            KeyValueGetCommand.self, KeyValueSetCommand.self, KeyValueIncrementCommand.self,
            KeyValueAddCommand.self,
            KeyValueRemoveCommand.self, KeyValueSetFieldCommand.self,
            KeyValueRemoveFieldCommand.self,
            KeyValueDeleteCommand.self, KeyValueListCommand.self, KeyValueWatchCommand.self,
            KeyValueStatusCommand.self, KeyValueLimitsCommand.self, KeyValueExportCommand.self,
            KeyValueImportCommand.self,
        ]
    )
}

struct StoreArgument: ParsableArguments {
    @Argument(help: "The store's name.")
    var store: String

    @OptionGroup
    var home: HomeOption

    func entries(
        key: String? = nil,
        wantsConflicts: Bool = false,
        wantsHistory: Bool = false
    ) throws(CommandFailure) -> [KeyValueEntry] {
        if key == "" { throw .usage(KeyValueError.keyEmpty.sentence) }
        return try home.call(
            ReadKeyValues(
                store: store,
                keys: key.map { [$0] },
                wantsConflicts: wantsConflicts,
                wantsHistory: wantsHistory,
                marksConflicts: wantsConflicts
            )
        )
    }
}

/// A key of a store.
struct KeyArgument: ParsableArguments {
    @OptionGroup
    var store: StoreArgument

    @Argument(help: "The key.")
    var key: String

    /// The key's entry.
    ///
    /// - Throws: ``KeyValueLines/missing(_:)``.
    func entry(
        wantsConflicts: Bool = false,
        wantsHistory: Bool = false
    ) throws(CommandFailure) -> KeyValueEntry {
        let entries = try store.entries(
            key: key,
            wantsConflicts: wantsConflicts,
            wantsHistory: wantsHistory
        )
        guard let entry = entries.first else { throw KeyValueLines.missing(key) }
        return entry
    }

    func write(_ writes: [EntryWrite]) throws(CommandFailure) {
        try store.write(writes.map { KeyWrite(key: key, .write($0)) })
    }
}

enum KeyValueLines {
    static func quoted(_ text: String) -> String { JSONText.text(.string(text)) }

    /// Null for a newer program's value.
    static func json(_ encoded: [UInt8]?) -> AgentValue {
        // An unreadable value is shown as null.
        encoded.flatMap { try? PropertyValue(decoding: $0) }?.json ?? .null
    }

    /// An entry as `kv list` and `kv get` print it.
    package static func json(of entry: KeyValueEntry) -> AgentValue {
        [
            "key": .string(entry.key), "type": entry.type.map { .string($0) } ?? .null,
            "value": json(entry.value),
            "changed": .date(entry.changed.secondsSince2001),
            "device": entry.device.map { .string($0) } ?? .null,
        ]
    }

    /// `isText`: whether the argument is a text, not JSON.
    static func value(
        _ text: String,
        isText: Bool = false
    ) throws(CommandFailure) -> PropertyValue {
        if isText { return .string(text) }
        do {
            return try PropertyValue(jsonText: text)
        } catch {
            let isText = text != "null" && !text.hasPrefix("{") && !text.hasPrefix("[")
            let hint = isText ? " Put a text into double quotes, or use --text." : ""
            throw CommandFailure.usage(error.sentence + hint)
        }
    }

    /// Whole values, then those of fields and elements, each with its field or index.
    static func conflicts(of entry: KeyValueEntry) -> [AgentValue] {
        (entry.hidden?.conflicts ?? []).map(json)
            + (entry.hidden?.losers ?? []).map { loser in
                var line: AgentDictionary = ["value": json(loser.value)]
                line["field"] = loser.field.map { .string($0) }
                line["index"] = loser.index.map { .integer(Int64($0)) }
                return .dictionary(line)
            }
    }

    static func history(of entry: KeyValueEntry) -> [AgentValue] {
        (entry.hidden?.history ?? []).map { past in
            ["changed": .date(past.changed.secondsSince2001), "value": json(past.value)]
        }
    }

    /// Warns if a counter's sum does not fit into 64 bits: another number is shown then.
    static func warnIfBeyond64Bits(_ entry: KeyValueEntry, _ remark: String = "") {
        guard entry.overflows else { return }
        Console.warn("The counter \(quoted(entry.key)) is beyond 64 bits\(remark).")
    }

    static func missing(_ key: String) -> CommandFailure {
        CommandFailure.other("The store has no key \(quoted(key)).")
    }
}

struct KeyValueGetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints the value of a key as JSON; the exit status is 1 if there is none."
    )

    @OptionGroup
    var at: KeyArgument

    @Flag(help: "Print a text without quotes.")
    var text = false

    @Flag(help: "Print the values of concurrent writes that are not shown, newest first.")
    var conflicts = false

    @Flag(help: "Print the values that were replaced, with their times, newest first.")
    var history = false

    @Flag(
        help: """
            Print one JSON object, with key, type, value, time and device, or one array of \
            conflicts or history; an error is JSON too, with code and message.
            """
    )
    var json = false

    func validate() throws {
        guard !conflicts || !history else {
            throw ValidationError("Give --conflicts or --history, not both.")
        }
        guard !text || !json else { throw ValidationError("Give --text or --json, not both.") }
    }

    func perform() throws {
        let entry = try at.entry(wantsConflicts: conflicts, wantsHistory: history)
        if conflicts { return say(KeyValueLines.conflicts(of: entry)) }
        if history { return say(KeyValueLines.history(of: entry)) }
        let value = KeyValueLines.json(entry.value)
        if entry.value == nil {
            guard entry.type == nil else { throw KeyValueLines.missing(at.key) }
            throw CommandFailure.refused(KeyValueError.newerType.sentence)
        }
        if entry.overflows { Console.warn("The counter is beyond 64 bits.") }
        if text, let string = value.string { return Console.say(string) }
        Console.say(JSONText.text(json ? KeyValueLines.json(of: entry) : value))
    }

    private func say(_ values: [AgentValue]) {
        guard !json else { return Console.say(JSONText.text(.array(values))) }
        for value in values { Console.say(JSONText.text(value)) }
    }
}

struct KeyValueSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets a key.",
        discussion: """
            A key of a merged type is set by difference: what other devices changed meanwhile \
            stays, but what has arrived here since a script read the key is removed. To change one \
            element or field, use kv add, remove, set-field and remove-field. Types: register (the \
            last write), max, min, counter, set, map, list.
            """
    )

    @OptionGroup
    var at: KeyArgument

    @Argument(help: "The value, as JSON; a negative number follows two hyphens: KEY -- -5.")
    var value: String

    @Flag(help: "The value is a text, not JSON.")
    var text = false

    @Option(help: ArgumentHelp("How concurrent changes merge.", valueName: "type"))
    var type: String?

    func perform() throws {
        var writes: [EntryWrite] = []
        if let type {
            guard let type = MergeType(named: type) else {
                let names = MergeType.allCases.map(\.name).joined(separator: ", ")
                throw CommandFailure.usage("The types are \(names).")
            }
            writes.append(.declare(type))
        }
        writes.append(.set(try KeyValueLines.value(value, isText: text), base: nil))
        try at.write(writes)
    }
}

struct KeyValueIncrementCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "increment",
        abstract: "Adds to a counter; additions of all devices add up."
    )

    @OptionGroup
    var at: KeyArgument

    @Option(help: ArgumentHelp("What to add; a negative number as --by=-5.", valueName: "number"))
    var by: Int64 = 1

    @Option(help: ArgumentHelp("Add to this map field, making it a counter.", valueName: "name"))
    var field: String?

    func perform() throws {
        let write = field.map { EntryWrite.incrementField($0, by: by) } ?? .increment(by: by)
        try at.write([write])
    }
}

struct KeyValueDeleteCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a key on all devices; the exit status is 1 if there is none."
    )

    @OptionGroup
    var at: KeyArgument

    func perform() throws {
        _ = try at.entry()
        try at.store.write([KeyWrite(key: at.key, .delete)])
    }
}

struct KeyValueListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the stores of this device, or the keys of one."
    )

    @Argument(help: "The store's name; all stores without it.")
    var store: String?

    @Flag(help: "Print JSON, with the values; an error is JSON too, with code and message.")
    var json = false

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        guard let store else {
            let stores = try home.call(ListKeyValueStores())
            guard !json else { return Console.say(JSONText.text(stores.agentValue)) }
            for store in stores {
                let (keys, bytes) = (counted(store.keys, "key"), counted(store.bytes, "byte"))
                Console.say("\(store.store)  \(keys)  \(bytes)")
            }
            return
        }
        let entries = try home.call(ReadKeyValues(store: store))
        for entry in entries { KeyValueLines.warnIfBeyond64Bits(entry) }
        if json {
            return Console.say(JSONText.text(.array(entries.map(KeyValueLines.json(of:)))))
        }
        for entry in entries {
            let key = KeyValueLines.quoted(entry.key)
            let device = entry.device.map { "  changed on \($0.printable)" } ?? ""
            Console.say("\(key)  \(entry.type ?? "of a newer version")\(device)")
        }
    }

}

struct KeyValueExportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints a store as one JSON object, which kv import reads."
    )

    @OptionGroup
    var store: StoreArgument

    func perform() throws {
        var members = AgentDictionary()
        for entry in try store.entries() {
            guard entry.value != nil else {
                Console.warn("Left out, because a newer program wrote its value: \(entry.key)")
                continue
            }
            KeyValueLines.warnIfBeyond64Bits(
                entry,
                ": the exported number is the nearest that fits"
            )
            members[entry.key] = [
                "type": entry.type.map { .string($0) } ?? .null,
                "value": KeyValueLines.json(entry.value),
            ]
        }
        Console.say(JSONText.text(.dictionary(members)))
    }
}

struct KeyValueImportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Sets all keys of a file that kv export printed, or none; other keys stay."
    )

    /// The values of the largest store as JSON, in which data takes two digits a byte.
    private static let bytesMax = 64 << 20

    @OptionGroup
    var store: StoreArgument

    @Argument(help: "A file of JSON; - for standard input.")
    var file: String

    func perform() throws {
        let bytes = try FileInput.read(file, bytesMax: Self.bytesMax)
        try store.write(try Self.writes(bytes))
    }

    private static func writes(_ bytes: [UInt8]) throws(CommandFailure) -> [KeyWrite] {
        do throws(RPCError) {
            guard let members = try PropertyValue.json(bytes).dictionary else {
                throw RPCError("The JSON is not an object.")
            }
            var writes: [KeyWrite] = []
            for member in members.entries {
                let key = KeyValueLines.quoted(member.key)
                guard let fields = member.value.dictionary, let json = fields["value"],
                    let name = fields["type"]?.string
                else { throw RPCError("The key \(key) needs a type and a value.") }
                guard let type = MergeType(named: name) else {
                    throw RPCError("The key \(key) has a type that does not exist here.")
                }
                let value = try PropertyValue(json: json)
                writes.append(KeyWrite(key: member.key, .write(.declare(type))))
                writes.append(KeyWrite(key: member.key, .write(.set(value, base: nil))))
            }
            return writes
        } catch {
            throw CommandFailure.usage("The file is not an export of a store: \(error.sentence)")
        }
    }
}
