package import KSAgent
internal import KSKeyValues
internal import KSRPC
package import Simulation

/// What commands with `--json` have printed, as a story's file has it.
package enum Answers {
    static let nothing = "nothing"
    static let nothingReadable = "nothing readable"
    static let deletedElsewhere = "deleted elsewhere"

    /// Several values in their order.
    static func text(_ values: [StoryValue]) -> String {
        values.isEmpty ? nothing : values.map(\.description).joined(separator: " ")
    }

    /// The JSON that a command has printed; nil for another text.
    package static func json(_ output: [UInt8]) -> AgentValue? {
        // Another text is reported by who needs the value.
        try? PropertyValue.json(output)
    }

    // MARK: Items

    /// An item of `keychain list`.
    package struct ListedItem: Equatable, Sendable {
        package let reference: String
        package let place: String
        package let user: String

        /// As a story names it.
        package var name: String { user.isEmpty ? place : "\(user)@\(place)" }
    }

    package static func items(_ list: AgentValue) -> [ListedItem] {
        (list.array ?? []).compactMap { value in
            guard let item = value.dictionary, let reference = item["reference"]?.string else {
                return nil
            }
            return ListedItem(
                reference: reference,
                place: item["place"]?.string ?? "",
                user: item["userName"]?.string ?? ""
            )
        }
    }

    /// The code of the newest deleted item of this name in the output of `keychain deleted`.
    package static func deletedCode(_ name: String, in list: AgentValue) -> String? {
        let name = ItemName(name)
        return (list.array ?? []).lazy.compactMap(\.dictionary).first { item in
            name.matches(
                place: item["place"]?.string ?? "",
                user: item["userName"]?.string ?? ""
            )
        }?["code"]?.string
    }

    /// The fields of `keychain show` that have a value, as a story names them.
    package static func fields(_ item: AgentValue) -> [(name: String, value: String)] {
        let members = item.dictionary ?? [:]
        let common = [
            ("password", "password"), ("user", "userName"), ("note", "note"), ("title", "title"),
        ].compactMap { name, member -> (name: String, value: String)? in
            members[member]?.string.flatMap { $0.isEmpty ? nil : (name, $0) }
        }
        let own = (members["fields"]?.array ?? []).compactMap { field in
            field.dictionary.flatMap { field -> (name: String, value: String)? in
                guard let name = field["name"]?.string else { return nil }
                return (name, field["value"]?.string ?? "")
            }
        }
        return common + own
    }

    /// A value of `keychain history`.
    package struct Version: Equatable, Sendable {
        package let standing: String
        package let field: String
        package let value: String
        package let device: String?
    }

    package static func versions(_ history: AgentValue) -> [Version] {
        (history.dictionary?["versions"]?.array ?? []).compactMap { value in
            guard let version = value.dictionary, let name = version["name"]?.string else {
                return nil
            }
            return Version(
                standing: version["standing"]?.string ?? "",
                field: name == "user name" ? "user" : name,
                value: version["value"]?.string ?? "",
                device: version["device"]?.string
            )
        }
    }

    package static func isDeletedElsewhere(_ history: AgentValue) -> Bool {
        history.dictionary?["deletedElsewhere"]?.bool ?? false
    }

    // MARK: Keys

    /// A key of `kv list` or `kv get`.
    package struct Entry: Equatable, Sendable {
        package let key: String
        package let value: StoryValue?
        package let device: String?
    }

    package static func entry(_ json: AgentValue) -> Entry? {
        guard let members = json.dictionary, let key = members["key"]?.string else { return nil }
        return Entry(
            key: key,
            value: members["value"].flatMap(value),
            device: members["device"]?.string
        )
    }

    /// The values of `kv get --conflicts`, also those of fields and elements.
    package static func conflicts(_ list: AgentValue) -> [StoryValue] {
        (list.array ?? []).compactMap { json in
            let part = json.dictionary
            let isPart = part?["field"] != nil || part?["index"] != nil
            return value(isPart ? part?["value"] ?? json : json)
        }
    }

    /// The values of `kv get --history`.
    package static func history(_ list: AgentValue) -> [StoryValue] {
        (list.array ?? []).compactMap { $0.dictionary?["value"].flatMap(value) }
    }

    private static func value(_ json: AgentValue) -> StoryValue? {
        // Null, which stands for the value of a newer program.
        (try? PropertyValue(json: json)).map(StoryValue.value)
    }

    // MARK: The server

    /// Whether a record of `show-record` is deleted: each of its writes is a tombstone.
    package static func isDeleted(_ record: String) -> Bool {
        record.split(separator: "\n").filter { $0.hasPrefix("  write ") }
            .allSatisfy { $0.contains(", tombstone") }
    }
}
