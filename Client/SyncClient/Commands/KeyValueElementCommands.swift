internal import ArgumentParser
internal import KSAgent
internal import KSDaemon
internal import KSKeyValues

// Commands that change one part of a value, and keep what other devices change meanwhile. Like
// `kv set`, each is one write, which the daemon makes only once.

/// A key, and elements of its set or list.
struct ElementArguments: ParsableArguments {
    @OptionGroup
    var at: KeyArgument

    @Argument(help: "The elements, as JSON; a negative number follows two hyphens: KEY -- -5.")
    var value: [String]

    @Flag(help: "The elements are texts, not JSON.")
    var text = false

    func elements() throws(CommandFailure) -> [PropertyValue] {
        try value.map { value throws(CommandFailure) in
            try KeyValueLines.value(value, isText: text)
        }
    }

    /// The key's entry; nil if the store has no such key.
    func entry() throws(CommandFailure) -> (type: MergeType, value: PropertyValue)? {
        guard let entry = try at.store.entries(key: at.key).first else { return nil }
        guard let type = entry.type.flatMap(MergeType.init(named:)),
            // A value that cannot be decoded is a newer program's too.
            let value = entry.value.flatMap({ try? PropertyValue(decoding: $0) })
        else { throw refusal(.newerType) }
        return (type, value)
    }

    func refusal(_ error: KeyValueError) -> CommandFailure {
        .refused("\(KeyValueLines.quoted(at.key)) was not changed. \(error.sentence)")
    }
}

struct KeyValueAddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds elements to a set, or to the end of a list.",
        discussion: """
            The additions and removals of other devices stay. A set has each element once. A key \
            that is not yet a set or a list needs --type.
            """
    )

    @OptionGroup
    var arguments: ElementArguments

    @Option(help: ArgumentHelp("set or list, for a key that is not yet one.", valueName: "type"))
    var type: String?

    func perform() throws {
        let elements = try arguments.elements()
        switch try wantedType() {
        case .set: try arguments.at.write([.insert(elements)])
        case .list: try arguments.at.write([.append(elements)])
        case let other: throw arguments.refusal(.typeMismatch(declared: other, wanted: .set))
        }
    }

    /// The type that was asked for, else the one that the key has.
    private func wantedType() throws(CommandFailure) -> MergeType {
        if let type {
            guard let type = MergeType(named: type), [.set, .list].contains(type) else {
                throw .usage("Only a set or a list has elements: give --type set or --type list.")
            }
            return type
        }
        let type = try arguments.entry()?.type ?? .register
        guard type != .register else {
            throw .usage(
                "\(KeyValueLines.quoted(arguments.at.key)) is not a set or a list yet: give"
                    + " --type set or --type list."
            )
        }
        return type
    }
}

struct KeyValueRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes elements from a set or a list; the exit status is 1 if one is missing.",
        discussion: """
            If one of the elements is missing, nothing is changed. If a list has equal elements, \
            the first one is removed. The additions of other devices stay.
            """
    )

    @OptionGroup
    var arguments: ElementArguments

    func perform() throws {
        let elements = try arguments.elements()
        guard let (type, value) = try arguments.entry() else {
            throw KeyValueLines.missing(arguments.at.key)
        }
        guard type == .set || type == .list, case .array(let present) = value else {
            throw arguments.refusal(.typeMismatch(declared: type, wanted: .set))
        }
        var values = present.map(\.encoded)
        var places: [EntryWrite] = []
        for (number, element) in elements.map(\.encoded).enumerated() {
            guard let index = values.firstIndex(of: element) else {
                throw CommandFailure.other(
                    "\(KeyValueLines.quoted(arguments.at.key)) was not changed. It does not have"
                        + " the element \(arguments.value[number])."
                )
            }
            places.append(.removeAt(.seen(SeenPlace(index, in: values))))
            // The next place is one of the list without this element.
            if type == .list { values.remove(at: index) }
        }
        try arguments.at.write(type == .set ? [.remove(elements)] : places)
    }
}

/// A key, and a field of its map.
struct FieldArguments: ParsableArguments {
    @OptionGroup
    var at: KeyArgument

    @Argument(help: "The field's name.")
    var field: String
}

struct KeyValueSetFieldCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-field",
        abstract: "Sets one field of a map; its other fields stay unchanged.",
        discussion: """
            A new key becomes a map, and so does a plain dictionary. A field that is a counter is \
            set by difference, as kv set does.
            """
    )

    @OptionGroup
    var arguments: FieldArguments

    @Argument(help: "The value, as JSON; a negative number follows two hyphens: FIELD -- -5.")
    var value: String

    @Flag(help: "The value is a text, not JSON.")
    var text = false

    func perform() throws {
        let value = try KeyValueLines.value(value, isText: text)
        try arguments.at.write([.setField(arguments.field, value)])
    }
}

struct KeyValueRemoveFieldCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-field",
        abstract: "Removes one field of a map; the exit status is 1 if the map has no such field.",
        discussion: "If another device sets the field at the same time, it stays."
    )

    @OptionGroup
    var arguments: FieldArguments

    func perform() throws {
        let (key, field) = (arguments.at.key, arguments.field)
        let entry = try arguments.at.entry()
        // A value that cannot be decoded is a newer program's: the daemon refuses the write.
        let value = entry.value.flatMap { try? PropertyValue(decoding: $0) }
        var seen: PropertyValue?
        if case .dictionary(let fields)? = value {
            guard let present = fields[field] else {
                throw CommandFailure.other(
                    "\(KeyValueLines.quoted(key)) was not changed. It has no field"
                        + " \(KeyValueLines.quoted(field))."
                )
            }
            seen = present
        }
        try arguments.at.write([.removeField(field, base: seen)])
    }
}
