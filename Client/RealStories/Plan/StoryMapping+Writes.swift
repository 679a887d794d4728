internal import KSAgent
internal import KSKeyValues
internal import KSRPC
internal import Simulation

/// How a story names an item: `PLACE` or `USER@PLACE`.
struct ItemName: Equatable {
    let place: String
    /// Nil for any user.
    let user: String?

    init(_ text: String) {
        let at = text.lastIndex(of: "@")
        place = at.map { String(text[text.index(after: $0)...]) } ?? text
        user = at.map { String(text[..<$0]) }
    }

    func matches(place: String, user: String) -> Bool {
        place == self.place && (self.user == nil || self.user == user)
    }
}

extension StoryMapping {
    static func itemSteps(_ line: StoryLine) throws(Unplayable) -> [Step]? {
        let (device, name) = (line.text("DEVICE"), line.text("ITEM"))
        let item = Command.Word.item(name)
        switch line.pattern {
        case "DEVICE add ITEM PASSWORD":
            let item = ItemName(name)
            return [
                .command(
                    .keychain(
                        device,
                        "add-generic-password",
                        "-s",
                        .text(item.place),
                        "-a",
                        .text(item.user ?? ""),
                        "-w",
                        .text(line.text("PASSWORD")),
                        "--sync"
                    )
                )
            ]
        case "DEVICE set ITEM FIELD VALUE":
            let (field, value) = (line.text("FIELD"), line.text("VALUE"))
            if ["password", "user", "note", "title"].contains(field) {
                let new = Command.Word.text("\(field)=\(value)")
                return [.command(.keychain(device, "edit", item, "--set", new))]
            }
            let added = "\(try checked(field)):text=\(value)"
            return [.command(.keychain(device, "edit", item, "--add", .text(added), "--yes"))]
        case "DEVICE unset ITEM FIELD":
            let field = line.text("FIELD")
            guard field != "title" else {
                throw Unplayable("keychain edit removes no title: it sets another one")
            }
            let removed = Command.Word.text(try checked(field))
            return [.command(.keychain(device, "edit", item, "--remove", removed, "--yes"))]
        case "DEVICE rename ITEM NEW":
            let place = "place=" + line.text("NEW")
            return [.command(.keychain(device, "edit", item, "--set", .text(place)))]
        case "DEVICE delete ITEM": return [.command(.keychain(device, "rm", item, "--yes"))]
        case "DEVICE restore ITEM":
            return [.command(.keychain(device, "restore", .deletedItem(name)))]
        default: return nil
        }
    }

    private static func checked(_ field: String) throws(Unplayable) -> String {
        guard !field.contains(where: { ":=".contains($0) }) else {
            throw Unplayable("keychain edit takes no field's name with : or =")
        }
        return field
    }

    // MARK: Key-value stores

    static func keyValueStep(_ line: StoryLine) throws(Unplayable) -> Step {
        let (device, key) = (line.text("DEVICE"), line.text("KEY"))
        if let write = write(line) { return .write(device: device, key: key, write) }
        let number = line.number()
        let values = line.values.map { JSONText.text($0.propertyValue.json) }
        let field = line.text("FIELD")
        // Behind two hyphens a word may begin with one.
        func command(_ verb: String, _ options: [String] = [], _ words: [String] = []) -> Step {
            let all = ["kv", verb] + options + ["--", Command.store, key] + words
            return .command(Command(.client, on: device, all.map(Command.Word.text)))
        }
        switch line.pattern.dropFirst("DEVICE kv ".count) {
        case "set KEY VALUE": return command("set", [], values)
        case "delete KEY": return command("delete")
        case "increment KEY NUMBER": return command("increment", ["--by=\(number)"])
        case "increment-field KEY FIELD NUMBER":
            return command("increment", ["--by=\(number)", "--field=\(field)"])
        case "add KEY VALUE...": return command("add", ["--type", "set"], values)
        case "append KEY VALUE...": return command("add", ["--type", "list"], values)
        case "remove KEY VALUE...": return command("remove", [], values)
        case "set-field KEY FIELD VALUE": return command("set-field", [], [field] + values)
        case "remove-field KEY FIELD": return command("remove-field", [], [field])
        default: throw Unplayable("no command of the real programs does this")
        }
    }

    /// The writes that only programs make.
    private static func write(_ line: StoryLine) -> EntryWrite? {
        let place = ListPlace.index(Int(line.number("PLACE")))
        let values = line.values.map(\.propertyValue)
        switch line.pattern.dropFirst("DEVICE kv ".count) {
        case "declare KEY TYPE": return MergeType(named: line.text("TYPE")).map { .declare($0) }
        case "reset KEY NUMBER": return .reset(to: line.number())
        case "insert KEY PLACE VALUE...": return .insertAt(place, values)
        case "set-element KEY PLACE VALUE": return values.first.map { .setAt(place, $0) }
        case "remove-element KEY PLACE": return .removeAt(place)
        case "move-element KEY PLACE TARGET":
            return .move(from: place, to: .index(Int(line.number("TARGET"))))
        default: return nil
        }
    }
}
