internal import KSAgent

// `edit`, `rename`, `rm`, `tag`, `fav`, `attach` and `detach`.
extension Everyday {
    static let editOptions = WordOptions.Accepted(
        flags: ["yes"],
        valued: [
            "set", "add", "field-file", "remove", "before", "password-file", "otp", "add-address",
            "remove-address",
        ]
    )

    /// Changes that options name; without any, the item is edited as text.
    func edit(_ options: WordOptions) throws {
        let listed = try item(toChange: options)
        let changes = [
            "set", "add", "field-file", "remove", "password-file", "otp", "add-address",
            "remove-address",
        ]
        guard options["before"] == nil || options["add"] != nil else {
            throw EverydayFailure.usage("--before needs --add, whose fields it places")
        }
        guard changes.contains(where: { !options.all($0).isEmpty }) else {
            let edited = try editAsText(listed, options)
            return sayChanged(edited.form, from: listed, to: edited.item, options)
        }
        try checkAddresses(options.texts("remove-address"), of: listed, options)
        var form = ItemForm()
        var fields: [ItemForm.Field] = []
        for text in options.all("set") { try set(text, in: &form, &fields, of: listed, options) }
        fields += try newFields(options, of: listed)
        if let path = options.text("password-file") {
            guard form.secret == nil else { throw Self.passwordTwice }
            form.secret = try secret(ofFile: path)
            guard form.secret != [] else { throw Self.emptyPassword }
        }
        form.addedAddresses = options.texts("add-address").map(ItemKinds.address)
        form.removedAddresses = options.texts("remove-address")
        try remove(options.texts("remove"), in: &form)
        try ItemKinds.checkNames(fields.map(\.name) + (form.removedFields ?? []))
        try confirmRemoval(options.texts("remove"), of: listed, options)
        form.fields = fields
        try change(listed, form, options)
    }

    private func set(
        _ text: [UInt8],
        in form: inout ItemForm,
        _ fields: inout [ItemForm.Field],
        of item: ListedItem,
        _ options: WordOptions
    ) throws {
        let parts = text.split(
            separator: UInt8(ascii: "="),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let name = String(decoding: parts[0], as: UTF8.self)
        // Without a value it is asked for, so that no list of processes shows it.
        let value = parts.count == 2 ? Array(parts[1]) : try console.askPassword("\(name): ")
        guard parts.count == 2 || !value.isEmpty else {
            throw EverydayFailure(
                "nothing was typed, and nothing was changed; take \(name) away with --remove"
            )
        }
        let plain = String(decoding: value, as: UTF8.self)
        switch name.lowercased() {
        case "title":
            guard !plain.isEmpty else { throw Self.needsTitle }
            form.title = plain
        case "user name", "username", "user": form.userName = plain
        case "password": form.secret = value
        case "text" where item.type == "note": form.secret = value
        case "place", "site": form.place = plain
        case "note": form.note = plain
        case "type": form.type = plain
        case "tags": throw Self.tagsAreNoField
        default:
            // With a kind it is as for --add; without, an old field keeps its own.
            let isTyped = ItemKinds.kind(of: name) != nil
            fields.append(
                isTyped
                    ? try ItemKinds.field(Array("\(name)=".utf8) + value)
                    : .init(name: name, kind: nil, value: value)
            )
        }
    }

    private static let needsTitle = EverydayFailure(
        "an item needs a title, and nothing was changed"
    )
    private static let passwordTwice = EverydayFailure(
        "give the password once: with --set password or with --password-file",
        status: 2
    )
    private static let emptyPassword = EverydayFailure(
        "the password's file is empty, and nothing was changed; take it away with --remove password"
    )
    private static let tagsAreNoField = EverydayFailure.usage(
        "\"keychain tag\" adds tags, and takes them off with --remove"
    )

    /// The fields of `--add`, `--field-file` and `--otp`, none of which the item has yet.
    private func newFields(
        _ options: WordOptions,
        of item: ListedItem
    ) throws -> [ItemForm.Field] {
        let names = ["add", "field-file", "otp"]
        guard names.contains(where: { !options.all($0).isEmpty }) else { return [] }
        let known = try call(ShowItem(item.reference), options).fields
        var fields: [ItemForm.Field] = []
        for text in options.all("add") {
            let name = String(decoding: text.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            // What was hidden, or usually is, must not become visible.
            let kind =
                known.first { $0.name == name }?.kind
                ?? ItemKinds.usualFields[item.type]?.first { $0.name == name }?.kind
            var field = try ItemKinds.field(text, kind: kind ?? "text", needsValue: false)
            if !text.contains(UInt8(ascii: "=")) {
                field.value = try console.askPassword("\(field.name): ")
            }
            field.before = options.text("before")
            fields.append(field)
        }
        fields += try fieldsOfFiles(options)
        let code = ItemForm.Field(name: "one-time code", kind: "otp", value: options["otp"] ?? [])
        if options["otp"] != nil { fields.append(code) }
        for field in fields where known.contains(where: { $0.name == field.name }) {
            try confirm("replace \(field.name) of \(ItemLines.name(item))?", options)
        }
        return fields
    }

    /// Asks before an attachment is removed: of a large one the history may have no room.
    private func confirmRemoval(
        _ names: [String],
        of item: ListedItem,
        _ options: WordOptions
    ) throws {
        guard !names.isEmpty else { return }
        let files = try call(ShowItem(item.reference), options).fields.filter { $0.kind == "file" }
        for file in files where names.contains(file.name) {
            try confirm("delete \(file.name) of \(ItemLines.name(item))?", options)
        }
    }

    /// Takes values away, those that every item has too.
    private func remove(_ names: [String], in form: inout ItemForm) throws {
        form.removedFields = try names.filter { name in
            switch name.lowercased() {
            case "password": try Self.clear(&form.secret, by: [], name)
            case "user name", "username", "user": try Self.clear(&form.userName, by: "", name)
            case "note": try Self.clear(&form.note, by: "", name)
            case "title", "place", "site", "type":
                throw EverydayFailure(
                    "an item cannot be without its \(name); give another one with --set"
                )
            case "tags": throw Self.tagsAreNoField
            default: return true
            }
            return false
        }
    }

    private static func clear<Value>(
        _ value: inout Value?,
        by empty: Value,
        _ name: String
    ) throws(EverydayFailure) {
        guard value == nil else {
            throw EverydayFailure("\(name) cannot be set and removed at once; nothing was changed")
        }
        value = empty
    }

    private func checkAddresses(
        _ removed: [String],
        of item: ListedItem,
        _ options: WordOptions
    ) throws {
        guard !removed.isEmpty else { return }
        let known = try call(ShowItem(item.reference), options).addresses.map(\.text)
        guard let wrong = removed.first(where: { !known.contains($0) }) else { return }
        let others = known.isEmpty ? "" : "; it has " + known.joined(separator: ", ")
        throw EverydayFailure(
            "\(item.title) has no address \(wrong)\(others)",
            status: EverydayFailure.notFoundStatus
        )
    }

    func rename(_ options: WordOptions) throws {
        guard options.names.count == 2 else {
            throw EverydayFailure.usage("give the item's name and its new title")
        }
        guard !options.names[1].isEmpty else { throw Self.needsTitle }
        var form = ItemForm()
        form.title = options.names[1]
        try change(try item(toChange: options), form, options)
    }

    func remove(_ options: WordOptions) throws {
        guard !options.operands.isEmpty else { throw EverydayFailure.usage("name an item") }
        // A name that is wrong is found before anything is deleted.
        let items = try options.names.map { try item(toLose: $0, options) }
        var deleted: [JSONValue] = []
        // Also what was deleted before a failure.
        defer { if options.has("json") { say(JSONValue.list(deleted).text + "\n") } }
        for item in items {
            let name = Printable.text(ItemLines.name(item))
            try confirm("delete \(name)?", options, otherwise: "\(name) was kept")
            _ = try call(RemoveItem(item.reference), options)
            deleted.append(ItemLines.json(item))
            if !options.has("json") { say("deleted \(name)\n") }
        }
    }

    func tag(_ options: WordOptions) throws {
        let tags = Array(options.names.dropFirst())
        guard !tags.isEmpty || !options.all("remove").isEmpty else {
            throw EverydayFailure.usage("give a tag to add, or one to take off with --remove")
        }
        let listed = try item(toChange: options)
        var form = ItemForm()
        form.addedTags = tags
        form.removedTags = options.texts("remove")
        if let wrong = form.removedTags?.first(where: { !listed.tags.contains($0) }) {
            let others =
                listed.tags.isEmpty ? "" : "; it has " + listed.tags.joined(separator: ", ")
            throw EverydayFailure(
                "\(listed.title) has no tag \(wrong)\(others)",
                status: EverydayFailure.notFoundStatus
            )
        }
        try change(listed, form, options)
    }

    func markFavorite(_ options: WordOptions) throws {
        var form = ItemForm()
        form.isFavorite = !options.has("off")
        try change(try item(toChange: options), form, options)
    }

    // MARK: Attachments

    static let attachOptions = WordOptions.Accepted(flags: ["yes"], valued: ["as"])
    static let detachOptions = WordOptions.Accepted(
        flags: ["yes", "force"],
        valued: ["output"],
        letters: ["o": "output"]
    )

    func attach(_ options: WordOptions) throws {
        guard options.names.count == 2 else {
            throw EverydayFailure.usage("give an item and a file")
        }
        let path = options.names[1]
        let name = options.text("as") ?? String(path.split(separator: "/").last ?? "file")
        let listed = try item(toChange: options)
        let known = try call(ShowItem(listed.reference), options)
        if known.fields.contains(where: { $0.name == name }) {
            try confirm("replace \(name) of \(ItemLines.name(listed))?", options)
        }
        var form = ItemForm()
        form.fields = [.init(name: name, kind: "file", value: try read(path))]
        try change(listed, form, options)
    }

    /// Takes an attachment out of an item, into a file if one is named.
    func detach(_ options: WordOptions) throws {
        guard options.names.count == 2 else {
            throw EverydayFailure.usage("give an item and the name of its attachment")
        }
        let listed = try item(toChange: options)
        let name = options.names[1]
        let shown = try call(ShowItem(listed.reference, showsSecrets: true), options)
        guard let field = shown.fields.first(where: { $0.name == name && $0.kind == "file" }) else {
            let files = shown.fields.filter { $0.kind == "file" }.map { "\"\($0.name)\"" }
            let others =
                files.isEmpty ? "" : " \"\(name)\"; it has \(files.joined(separator: ", "))"
            throw EverydayFailure(
                "\(listed.title) has no attachment\(others)",
                status: EverydayFailure.notFoundStatus
            )
        }
        if let path = options.text("output") {
            try writeNew(field.value ?? [], to: path, options)
        } else {
            try confirm("delete \(name) of \(ItemLines.name(listed))?", options)
        }
        var form = ItemForm()
        form.removedFields = [name]
        try change(listed, form, options)
    }
}

/// The types and kinds by which people name things on the command line.
package enum ItemKinds {
    package static let names = ["login", "note", "card", "identity", "ssh-key", "wifi", "passkey"]
    static let kinds = ["text", "secret", "otp", "url", "date", "month", "email", "phone", "file"]

    package static let usualFields: [String: [(name: String, kind: String)]] = [
        "login": [], "note": [],
        "card": [
            ("holder", "text"), ("number", "secret"), ("expires", "month"), ("code", "secret"),
            ("pin", "secret"),
        ],
        "identity": [
            ("first name", "text"), ("last name", "text"), ("email", "email"), ("phone", "phone"),
            ("street", "text"), ("city", "text"), ("postcode", "text"), ("country", "text"),
            ("born", "date"),
        ],
        "ssh-key": [("private key", "secret"), ("public key", "text")],
        "wifi": [("network", "text"), ("security", "text")],
        "passkey": [
            ("relying party", "text"), ("user handle", "text"), ("credential id", "text"),
            ("private key", "secret"),
        ],
    ]

    /// The names of a type's fields, in the order of the questions.
    static func usualNames(of type: String) -> String {
        (usualFields[type] ?? []).map(\.name).joined(separator: ", ")
    }

    /// `NAME=VALUE`, or `NAME:KIND=VALUE`.
    static func field(
        _ text: [UInt8],
        kind: String = "text",
        needsValue: Bool = true
    ) throws(EverydayFailure) -> ItemForm.Field {
        let parts = text.split(
            separator: UInt8(ascii: "="),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2 || !needsValue else {
            throw .usage("a field is given as NAME=VALUE, or as NAME:KIND=VALUE")
        }
        var name = String(decoding: parts[0], as: UTF8.self)
        var kind = kind
        if let named = Self.kind(of: name) {
            kind = named
            name.removeLast(named.count + 1)
        } else if let sign = name.lastIndex(of: ":") {
            let word = name[name.index(after: sign)...]
            throw .usage(
                "\"\(word)\" is no kind of a field; use one of " + kinds.joined(separator: ", ")
            )
        }
        return ItemForm.Field(
            name: name,
            kind: kind,
            value: parts.count == 2 ? Array(parts[1]) : []
        )
    }

    /// The kind behind the last colon of a name.
    static func kind(of name: String) -> String? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1, let kind = parts.last.map(String.init) else { return nil }
        return kinds.contains(kind) ? kind : nil
    }

    static func checkNames(_ names: [String]) throws(EverydayFailure) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw EverydayFailure("the field \"\(name)\" stands twice; nothing was changed")
        }
    }

    /// `URL`, or `URL=RULE` with a rule behind the last sign of equality.
    ///
    /// A query may have such signs of its own. Elsewhere what is behind one must be a rule, which
    /// the daemon checks.
    static func address(_ text: String) -> ShownItem.Address {
        guard let sign = text.lastIndex(of: "=") else { return .init(text: text, match: "domain") }
        let (url, rule) = (text[..<sign], String(text[text.index(after: sign)...]))
        let isRule = ["domain", "host", "start", "exact", "never"].contains(rule)
        guard isRule || !url.contains(where: "?#".contains) else {
            return .init(text: text, match: "domain")
        }
        return .init(text: String(url), match: rule)
    }
}
