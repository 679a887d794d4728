internal import Foundation
internal import KSAgent
internal import Simulation

// What the real programs answer.
extension RealStory {
    /// The answer as an expectation has it.
    func answer(_ question: Question) throws -> String {
        switch question {
        case .value(let name, let key):
            let value = try entry(key, on: device(name))?.value
            return Answers.text([value].compactMap(\.self))
        case .conflicts(let name, let key): return try hidden("--conflicts", key, on: device(name))
        case .history(let name, let key): return try hidden("--history", key, on: device(name))
        case .writer(let name, let key):
            return storyName(try entry(key, on: device(name))?.device)
        case .shows(let name, let item):
            let items = try items(on: device(name))
            return Self.holds(item, items) ? item : Self.list(items)
        case .lacks(let name, let item):
            let items = try items(on: device(name))
            return Self.holds(item, items) ? Self.list(items) : "no \(item)"
        case .fieldValue(let name, let item, let field):
            let device = try device(name)
            let value = try fields(of: self.item(item, on: device), on: device)
                .first { $0.name == field }?.value
            return Answers.text(value.map { [StoryValue($0)] } ?? [])
        case .fieldConflicts(let name, let item, let field):
            return try versions("conflict", of: field, item, on: device(name))
        case .fieldHistory(let name, let item, let field):
            return try versions("superseded", of: field, item, on: device(name))
        case .passwordWriter(let name, let item):
            let current = Answers.versions(try history(of: item, on: device(name)))
                .first { $0.standing == "current" && $0.field == "password" }
            return storyName(current?.device)
        case .isDeletedElsewhere(let name, let item):
            let history = try history(of: item, on: device(name))
            return Answers.isDeletedElsewhere(history)
                ? Answers.deletedElsewhere : "not deleted elsewhere"
        default: return try standing(question)
        }
    }

    /// The answer to a question about sync and the server.
    private func standing(_ question: Question) throws -> String {
        switch question {
        case .unsentCount(let name): return "\(try status(of: device(name)).unsent)"
        case .unsentReason(let name, let asksServer):
            let device = try device(name)
            let reach = reach(of: device)
            if reach == nil, asksServer { try tryToSend(device) }
            return try status(of: device).unsentReason(reach: reach)?.rawValue ?? Answers.nothing
        case .pause(let name):
            return try status(of: device(name)).pause?.rawValue ?? Answers.nothing
        case .agreement:
            let reached = try devices.filter { device in
                try reach(of: device) == nil && !status(of: device).isStuck
            }
            return EndComparison.disagreement(try reached.map(end)) ?? "agreement"
        case .records(let areDeleted):
            return "\(try records().count { Answers.isDeleted($0) == areDeleted })"
        case .canRead(let text):
            return try server.holds(text) ? text : Answers.nothingReadable
        default: return Answers.nothing
        }
    }

    private func tryToSend(_ device: RealDevice) throws {
        relay.setExempt(device.name, true)
        defer { relay.setExempt(device.name, false) }
        _ = try run(.client, on: device, ["sync", "--json"])
    }

    /// The account's name of a device as the story has it.
    private func storyName(_ name: String?) -> String {
        guard let name else { return "nobody" }
        return devices.first { $0.accountName == name }?.name ?? name
    }

    // MARK: Reading

    /// What a command prints with `--json`.
    func read(
        _ program: Command.Program,
        on device: RealDevice,
        _ words: [String]
    ) throws -> AgentValue {
        guard let json = Answers.json(try run(program, on: device, words).output) else {
            throw PlayError.answerUnreadable(words.prefix(2).joined(separator: " "))
        }
        return json
    }

    func status(of device: RealDevice) throws -> DeviceStatus {
        DeviceStatus(try read(.client, on: device, ["status", "--json"]))
    }

    private func items(on device: RealDevice) throws -> [Answers.ListedItem] {
        Answers.items(try read(.keychain, on: device, ["list", "--json"]))
    }

    func item(_ name: String, on device: RealDevice) throws -> Answers.ListedItem {
        let wanted = ItemName(name)
        let found = try items(on: device).filter { wanted.matches(place: $0.place, user: $0.user) }
        guard found.count == 1 else { throw PlayError.noItem(name, device: device.name) }
        return found[0]
    }

    private static func holds(_ name: String, _ items: [Answers.ListedItem]) -> Bool {
        let wanted = ItemName(name)
        return items.contains { wanted.matches(place: $0.place, user: $0.user) }
    }

    private static func list(_ items: [Answers.ListedItem]) -> String {
        items.isEmpty ? Answers.nothing : items.map(\.name).sorted().joined(separator: ", ")
    }

    private func shown(_ item: Answers.ListedItem, on device: RealDevice) throws -> AgentValue {
        try read(.keychain, on: device, ["show", item.reference, "--secrets", "--json"])
    }

    private func fields(
        of item: Answers.ListedItem,
        on device: RealDevice
    ) throws -> [(name: String, value: String)] {
        Answers.fields(try shown(item, on: device))
    }

    private func history(of name: String, on device: RealDevice) throws -> AgentValue {
        try history(of: item(name, on: device), on: device)
    }

    private func history(
        of item: Answers.ListedItem,
        on device: RealDevice
    ) throws -> AgentValue {
        let words = ["history", item.reference, "--secrets", "--json"]
        let result = try run(.keychain, on: device, words)
        // An item that nobody has changed may have no history.
        return Answers.json(result.output) ?? .null
    }

    private func versions(
        _ standing: String,
        of field: String,
        _ item: String,
        on device: RealDevice
    ) throws -> String {
        let versions = Answers.versions(try history(of: item, on: device))
        let values = versions.filter { $0.standing == standing && $0.field == field }
        return Answers.text(values.map { StoryValue($0.value) })
    }

    private func entry(_ key: String, on device: RealDevice) throws -> Answers.Entry? {
        let words = ["kv", "get", "--json", "--", Command.store, key]
        let result = try run(.client, on: device, words)
        return Answers.json(result.output).flatMap(Answers.entry)
    }

    private func hidden(_ option: String, _ key: String, on device: RealDevice) throws -> String {
        let words = ["kv", "get", option, "--json", "--", Command.store, key]
        // A key without a value has none of them.
        let list = Answers.json(try run(.client, on: device, words).output) ?? .null
        let values = option == "--history" ? Answers.history(list) : Answers.conflicts(list)
        return Answers.text(values)
    }

    /// The records of the account, each as the server's operator sees it.
    private func records() throws -> [String] {
        let place = ["--data", server.data]
        let shown = try run(
            .server,
            ["accounts", "show", Command.account, "--json"] + place
        )
        let writes = Answers.json(shown.output)?.dictionary?["writes"]?.integer ?? 0
        guard writes > 0 else { return [] }
        return try (1...writes).compactMap { seq in
            let words = ["show-record", "--account", Command.account, "--seq", "\(seq)"]
            let result = try run(.server, words + place)
            // A later write has replaced the record of most numbers.
            return result.status == 0 ? String(decoding: result.output, as: UTF8.self) : nil
        }
    }

    // MARK: The end

    /// What each device shows.
    func ends() throws -> [DeviceEnd] { try devices.map(end) }

    private func end(_ device: RealDevice) throws -> DeviceEnd {
        var end = DeviceEnd(name: device.name)
        guard device.isRunning else {
            end.obstacle = .killed
            return end
        }
        let status = try status(of: device)
        guard !status.isLocked else {
            end.obstacle = .locked
            return end
        }
        (end.unsentCount, end.pause) = (status.unsent, status.pause)
        for item in try items(on: device) {
            let shown = try shown(item, on: device)
            // `show` names only the conflicts that no command has shown yet.
            let history = Answers.versions(try history(of: item, on: device))
            for field in Answers.fields(shown) {
                // A command that adds an item gives it its place as a title.
                if field.name == "title", field.value == item.place { continue }
                let conflicts = history.filter {
                    $0.standing == "conflict" && $0.field == field.name
                }
                end.values.append(
                    DeviceEnd.Value(
                        name: "\(item.name) \(field.name)",
                        shown: StoryValue(field.value).description,
                        conflicts: conflicts.map { StoryValue($0.value).description }
                    )
                )
            }
        }
        end.values += try keyValues(on: device)
        return end
    }

    private func keyValues(on device: RealDevice) throws -> [DeviceEnd.Value] {
        let list = try read(.client, on: device, ["kv", "list", Command.store, "--json"])
        return try (list.array ?? []).compactMap(Answers.entry).map { entry in
            let words = ["kv", "get", "--conflicts", "--json", "--", Command.store, entry.key]
            let conflicts = Answers.conflicts(try read(.client, on: device, words))
            return DeviceEnd.Value(
                name: "kv \(entry.key)",
                shown: entry.value?.description ?? Answers.nothing,
                conflicts: conflicts.map(\.description)
            )
        }
    }
}
