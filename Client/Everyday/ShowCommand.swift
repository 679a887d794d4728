package import KSAgent
internal import KSBytes
internal import KSFiles
internal import KSScreens
internal import Glibc

// `show`: an item as people read it.
extension Everyday {
    static let showOptions = WordOptions.Accepted(
        flags: ["secrets", "force"],
        valued: ["field", "output"],
        letters: ["f": "field", "o": "output"]
    )

    func show(_ options: WordOptions) throws {
        guard options["output"] == nil || options["field"] != nil else {
            throw EverydayFailure.usage("-o needs --field, whose value it writes")
        }
        let listed = try item(options)
        guard options.text("field") == nil else { return try showField(of: listed, options) }
        let showsSecrets = options.has("secrets")
        let item = try call(ShowItem(listed.reference, showsSecrets: showsSecrets), options)
        if options.has("json") {
            say(item.json.text + "\n")
        } else {
            say(ItemPage.text(item, hasColors: console.hasColors))
        }
    }

    /// Prints one value and nothing else, for scripts; or writes it into a file.
    ///
    /// With `--json` it prints an object with the value, or with the file.
    private func showField(of listed: ListedItem, _ options: WordOptions) throws {
        guard let name = options.text("field") else { return }
        let item = try call(ShowItem(listed.reference, showsSecrets: true), options)
        guard let value = item.value(of: name) else {
            throw EverydayFailure(
                "\(listed.title) has no field \"\(name)\"; it has \(item.fieldNames)",
                status: EverydayFailure.notFoundStatus
            )
        }
        if let path = options.text("output") {
            try writeNew(value, to: path, options)
            guard options.has("json") else { return }
            return answer([
                ("field", .text(name)), ("file", .text(path)),
                ("bytes", .number(Int64(value.count))),
            ])
        }
        guard !options.has("json") else {
            return answer([("field", .text(name)), ("value", .bytes(value))])
        }
        let isText = String(validating: value, as: UTF8.self) != nil
        guard isText || !console.isShown else {
            throw EverydayFailure("\"\(name)\" is no text; write it into a file with -o FILE")
        }
        let isFile = item.fields.contains { $0.name == name && $0.kind == "file" }
        console.write(isFile ? value : value + Array("\n".utf8), to: .output)
    }

    /// Writes a file that only its user may read; one that is there only with `--force`.
    func writeNew(_ bytes: [UInt8], to path: String, _ options: WordOptions) throws {
        // A pipe or a terminal has nothing to lose; a link may lead anywhere.
        guard console.resolve(path) == nil || options.has("force") || path.hasPrefix("/dev/") else {
            throw EverydayFailure("\(path) is there already; replace it with --force")
        }
        // An old file keeps its permissions, and others may read it.
        if !path.hasPrefix("/dev/") { _ = unsafe chmod(path, 0o600) }
        try write(bytes, to: path)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        do throws(FileError) {
            try console.write(bytes, toFile: path)
        } catch {
            throw EverydayFailure("\(path) cannot be written: \(error.text)")
        }
    }

    package func read(_ path: String) throws -> [UInt8] {
        do throws(FileError) {
            return try console.read(path)
        } catch {
            throw EverydayFailure("\(path) cannot be read: \(error.text)")
        }
    }
}

extension ShownItem {
    /// What people call its secret.
    package var secretName: String { ItemLines.secretName(ofType: type) }

    private var isPassword: Bool { byteCount == nil }

    /// The names of the values that every item may have, beside its own fields.
    package var commonNames: [String] { ["title", "user name", secretName, "place", "note"] }

    /// A value by the name that people use; an own field comes first.
    package func value(of name: String) -> [UInt8]? {
        if let field = fields.first(where: { $0.name == name })
            ?? fields.first(where: { $0.name.lowercased() == name.lowercased() })
        {
            return field.value
        }
        switch name.lowercased() {
        case "title": return Array(title.utf8)
        case "user name", "username", "user", "account": return Array(userName.utf8)
        case "password" where isPassword: return secret
        case "secret", secretName: return secret
        case "place", "site", "server", "service": return Array(place.utf8)
        case "realm" where !realm.isEmpty: return Array(realm.utf8)
        case "path" where !path.isEmpty: return Array(path.utf8)
        case "note", "notes", "comment": return Array(note.utf8)
        default: return nil
        }
    }

    /// What may be asked for, in words.
    package var fieldNames: String {
        let values = [
            title.isEmpty, userName.isEmpty, !hasSecret, place.isEmpty, note.isEmpty,
        ]
        let common = zip(commonNames, values).filter { !$0.1 }.map(\.0)
        let site = (path.isEmpty ? [] : ["path"]) + (realm.isEmpty ? [] : ["realm"])
        return (common + site + fields.map(\.name)).map { "\"\($0)\"" }.joined(separator: ", ")
    }

    package var json: JSONValue {
        .object([
            ("reference", .text(String(hexadecimal: reference))),
            ("item", code.map { .text($0) } ?? .null), ("class", .text(self.class)),
            ("type", .text(type)), ("title", .text(title)), ("userName", .text(userName)),
            ("place", .text(place)), ("scheme", .text(scheme)), ("path", .text(path)),
            ("realm", .text(realm)),
            ("password", isPassword ? secret.map { JSONValue.bytes($0) } ?? .null : .null),
            ("hasPassword", .bool(hasSecret && isPassword)),
            ("bytes", byteCount.map { .number($0) } ?? .null), ("note", .text(note)),
            ("tags", .list(tags.map { .text($0) })),
            (
                "addresses",
                .list(
                    addresses.map {
                        .object([("url", .text($0.text)), ("match", .text($0.match))])
                    }
                )
            ),
            ("fields", .list(fields.map(\.json))), ("favorite", .bool(isFavorite)),
            ("synced", .bool(isSynced)), ("history", .number(historyCount)),
            ("conflicts", .list(conflicts.map { .text($0) })),
            ("created", .date(secondsSince2001: created?.secondsSince2001 ?? 0)),
            ("changed", .date(secondsSince2001: changed?.secondsSince2001 ?? 0)),
        ])
    }
}

extension ShownItem.Field {
    fileprivate var json: JSONValue {
        .object([
            ("name", .text(name)), ("kind", .text(kind)),
            ("value", value.map { JSONValue.bytes($0) } ?? .null), ("bytes", .number(byteCount)),
        ])
    }
}

/// An item on a terminal: a line for each value, its name first.
enum ItemPage {
    private static let hidden = "••••••••"

    static func text(_ item: ShownItem, hasColors: Bool = false) -> String {
        func styled(_ text: String, _ style: Style) -> String {
            hasColors ? style.colored(text) : text
        }
        var head = styled(Printable.text(item.title.isEmpty ? "(no title)" : item.title), .bold)
        head +=
            "  ("
            + ([item.type] + (item.isFavorite ? ["favorite"] : [])
            + [item.isSynced ? "synced" : "on this device only"]).joined(separator: ", ") + ")"
        var rows: [(String, String)] = []
        if !item.userName.isEmpty { rows.append(("user name", item.userName)) }
        if item.hasSecret {
            rows.append((item.secretName, item.byteCount.map(size) ?? shown(item.secret)))
        }
        if !item.place.isEmpty, item.place != item.title { rows.append(("place", item.place)) }
        // Those that nearly all sites have say nothing.
        let isUsual = ["", "https"].contains(item.scheme)
        for (name, value) in [
            ("scheme", isUsual ? "" : item.scheme), ("path", item.path), ("realm", item.realm),
        ] where !value.isEmpty {
            rows.append((name, value))
        }
        for address in item.addresses {
            let rule = address.match == "domain" ? "" : "  (\(address.match))"
            rows.append(("address", address.text + rule))
        }
        for field in item.fields { rows.append((field.name, value(of: field))) }
        if !item.note.isEmpty { rows.append(("note", item.note)) }
        if !item.tags.isEmpty { rows.append(("tags", item.tags.joined(separator: ", "))) }
        if let changed = item.changed?.secondsSince2001, changed != 0 {
            rows.append(("changed", Moment(secondsSince2001: changed).short))
        }
        if item.historyCount > 0 {
            let count =
                item.historyCount == 1 ? "1 earlier value" : "\(item.historyCount) earlier values"
            rows.append(("history", "\(count)  (keychain history shows and numbers them)"))
        }
        let width = rows.map { TextWidth.columns(of: Printable.text($0.0)) }.max() ?? 0
        var lines = rows.map { name, value in
            let name = Printable.text(name)
            let padding = String(repeating: " ", count: width - TextWidth.columns(of: name))
            return "  \(styled(name, .dim))\(padding)  \(text(of: value, width))\n"
        }.joined()
        if !item.conflicts.isEmpty {
            let names = item.conflicts.map { Printable.text($0) }.joined(separator: ", ")
            let sentence = "! changed on two devices at once: \(names)"
            lines += "  \(styled(sentence, Style(color: .yellow)))\n"
        }
        return head + "\n" + lines
    }

    /// Further lines of a value stand under the first.
    private static func text(of value: String, _ width: Int) -> String {
        let margin = String(repeating: " ", count: width + 4)
        return Printable.lines(value).joined(separator: "\n" + margin)
    }

    private static func shown(_ secret: [UInt8]?) -> String {
        guard let secret else { return hidden + "  (--secrets shows it)" }
        return String(validating: secret, as: UTF8.self) ?? "\(secret.count) bytes that are no text"
    }

    private static func value(of field: ShownItem.Field) -> String {
        switch field.kind {
        case "file": "file, \(size(field.byteCount))"
        case "otp" where field.value == nil: hidden + "  (keychain totp shows the code)"
        default:
            field.value.map { String(validating: $0, as: UTF8.self) ?? "\($0.count) bytes" }
                ?? hidden
        }
    }

    static func size(_ bytes: Int64) -> String {
        bytes < 1024 ? "\(bytes) bytes" : bytes < 1 << 20 ? "\((bytes + 512) >> 10) KiB" : "1 MiB"
    }
}
