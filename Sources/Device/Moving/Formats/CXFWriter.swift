internal import KSOneTimeCodes

// Writes FIDO's Credential Exchange Format.

enum CXFWriter {
    fileprivate typealias Value = JSONWriter.Value

    static func write(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var items: [Value] = []
        for (index, entry) in entries.enumerated() {
            notes.begin(index + 1, entry.shownTitle)
            guard entry.isHeldElsewhere(&notes) else { continue }
            items.append(CXFWritten(entry, id: id(index + 1), &notes).item)
        }
        var writer = JSONWriter()
        writer.write("{\"version\":{\"major\":1,\"minor\":0},\n")
        writer.write(" \"exporterRpId\":\"localhost\",\n")
        writer.write(" \"exporterDisplayName\":\"Keychain Sync\",\n \"timestamp\":")
        writer.write(.number(time / 1000))
        writer.write(",\n \"accounts\":[{\"id\":")
        writer.write(.text(id(0)))
        writer.write(",\"username\":\"\",\"email\":\"\",\"collections\":[],\n \"items\":")
        writer.writeLines(items)
        writer.write("}]}\n")
        var written = WrittenEntries()
        written.files = [writer.bytes]
        written.notes = notes.notes
        return written
    }

    /// A name that is unique within the file.
    private static func id(_ number: Int) -> String {
        Base64URLText.encode((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }
}

/// One item, while it is written.
private struct CXFWritten {
    typealias Value = JSONWriter.Value

    private let entry: Entry
    private(set) var item: Value = .null
    private var credentials: [Value] = []
    /// The fields that have a member of their own.
    private var placed: Set<Int> = []

    init(_ entry: Entry, id: String, _ notes: inout NoteList) {
        self.entry = entry
        var members: [(String, Value)] = [("id", .text(id))]
        if let created = entry.created { members.append(("creationAt", .number(created / 1000))) }
        if let changed = entry.changed { members.append(("modifiedAt", .number(changed / 1000))) }
        members.append(("title", .text(entry.shownTitle)))
        if let text = take(CXF.subtitle), !text.isEmpty {
            members.append(("subtitle", .text(text)))
        }
        if let isFavorite = entry.isFavorite { members.append(("favorite", .bool(isFavorite))) }
        if let scope = scope(&notes) { members.append(("scope", scope)) }
        writeMain(&notes)
        writeCodes(&notes)
        writeOthers()
        if !entry.note.isEmpty { addNote(entry.note) }
        writeFields(&notes)
        noteRest(&notes)
        members.append(("credentials", .list(credentials)))
        if !entry.tags.isEmpty { members.append(("tags", .list(entry.tags.map { .text($0) }))) }
        item = .object(members)
    }

    // MARK: Parts

    private mutating func add(_ type: String, _ members: [(String, Value)]) {
        credentials.append(.object([("type", .text(type))] + members))
    }

    private mutating func addNote(_ text: String) {
        add("note", [("content", editable("string", text))])
    }

    private func editable(_ type: String, _ text: String, label: String? = nil) -> Value {
        var members: [(String, Value)] = [("fieldType", .text(type)), ("value", .text(text))]
        if let label { members.append(("label", .text(label))) }
        return .object(members)
    }

    /// The text of the first field of this name, which then has its place.
    private mutating func take(_ name: String) -> String? {
        guard
            let index = entry.fields.indices.first(where: {
                entry.fields[$0].name == name && !entry.fields[$0].isFile && !placed.contains($0)
            }), let text = entry.fields[index].text
        else { return nil }
        placed.insert(index)
        return text
    }

    private func peek(_ name: String) -> String? {
        entry.fields.first { $0.name == name && !$0.isFile }?.text
    }

    /// The members whose fields the entry has, each in a form that its type allows.
    private mutating func members(
        _ known: [CXF.Member],
        texts: Set<String> = []
    ) -> [(String, Value)] {
        known.compactMap { member in
            guard let text = peek(member.field), !text.isEmpty, isValid(text, member.type) else {
                return nil
            }
            guard take(member.field) != nil else { return nil }
            if texts.contains(member.name) { return (member.name, .text(text)) }
            return (member.name, editable(member.type, text))
        }
    }

    /// Whether the format's type has such values: others stay among the custom fields.
    private func isValid(_ text: String, _ type: String) -> Bool {
        let bytes = Array(text.utf8)
        func areDigits(_ range: Range<Int>) -> Bool {
            bytes.count >= range.upperBound && bytes[range].allSatisfy(\.isDigit)
        }
        func areLetters(_ bytes: ArraySlice<UInt8>) -> Bool {
            bytes.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        }
        let dash = UInt8(ascii: "-")
        switch type {
        case "year-month":
            return bytes.count == 7 && areDigits(0..<4) && bytes[4] == dash && areDigits(5..<7)
        case "date":
            return bytes.count == 10 && areDigits(0..<4) && bytes[4] == dash && areDigits(5..<7)
                && bytes[7] == dash && areDigits(8..<10)
        case "country-code": return bytes.count == 2 && areLetters(bytes[...])
        case "subdivision-code":
            return (4...6).contains(bytes.count) && areLetters(bytes[..<2]) && bytes[2] == dash
        case "boolean": return text == "true" || text == "false"
        default: return true
        }
    }

    // MARK: Types

    private mutating func writeMain(_ notes: inout NoteList) {
        switch entry.type {
        case "note":
            // The first note is the text, also an empty one.
            if entry.secret != nil || !entry.note.isEmpty || !entry.oneTimeCodes.isEmpty {
                addNote(entry.secretText ?? "")
            }
        case "card":
            if let members = CXF.members["credit-card"] {
                add("credit-card", self.members(members))
            }
        case "identity": writeIdentity()
        case "ssh-key": writeKey(&notes)
        case "wifi":
            var members = members(CXF.wifi)
            if let text = entry.secretText, !text.isEmpty {
                members.append(("passphrase", editable("concealed-string", text)))
            }
            add("wifi", members)
        case "passkey": writePasskey(&notes)
        case "password": writePassword(&notes)
        default: writeLogin()
        }
    }

    private mutating func writeLogin() {
        var members: [(String, Value)] = []
        if !entry.userName.isEmpty {
            members.append(("username", editable("string", entry.userName)))
        }
        if let text = entry.secretText {
            members.append(("password", editable("concealed-string", text)))
        }
        add("basic-auth", members)
    }

    private mutating func writePassword(_ notes: inout NoteList) {
        let isKey = CXF.apiKey.contains { peek($0.field)?.isEmpty == false }
        guard isKey || entry.userName.isEmpty else {
            notes.add(.otherForm, "the entry", "becomes a login, since it has a user name")
            return writeLogin()
        }
        let text = entry.secretText ?? ""
        guard isKey else { return add("generated-password", [("password", .text(text))]) }
        var members: [(String, Value)] = [("key", editable("concealed-string", text))]
        if !entry.userName.isEmpty {
            members.append(("username", editable("string", entry.userName)))
        }
        add("api-key", members + self.members(CXF.apiKey))
    }

    private mutating func writeIdentity() {
        let count = credentials.count
        defer { if credentials.count == count { add("person-name", []) } }
        let lines = (0..<CXF.streetLines).map { peek(CXF.street($0)) ?? "" }
        for type in CXF.order {
            guard CXF.entryTypes[type] == "identity", let known = CXF.members[type] else {
                continue
            }
            guard type == "address", lines.allSatisfy({ !$0.contains("\n") }),
                let last = lines.lastIndex(where: { !$0.isEmpty })
            else {
                let members = members(known)
                if !members.isEmpty { add(type, members) }
                continue
            }
            for index in 0...last { _ = take(CXF.street(index)) }
            let street = editable("string", lines[...last].joined(separator: "\n"))
            add(type, [("streetAddress", street)] + members(known))
        }
    }

    /// The format takes PKCS#8 alone; a key in another form stays among the custom fields.
    private mutating func writeKey(_ notes: inout NoteList) {
        let text = peek(CXF.privateKey) ?? ""
        let own = OpenSSHKey(text)
        guard let der = PrivateKeyText.der(text) ?? own?.der,
            let type = peek("key type") ?? own?.type, !type.isEmpty
        else {
            return notes.add(.otherForm, "the key", "becomes fields, since it is no PKCS#8")
        }
        _ = take(CXF.privateKey)
        var key: [(String, Value)] = [("privateKey", .text(Base64URLText.encode(der)))]
        if let own {
            notes.add(.otherForm, "the private key", "is written as PKCS#8")
            if peek("key type") == nil { key.append(("keyType", .text(own.type))) }
            if peek("comment") == nil, !own.comment.isEmpty {
                key.append(("keyComment", .text(own.comment)))
            }
        }
        add("ssh-key", key + members(CXF.sshKey, texts: CXF.sshKeyTexts))
    }

    private mutating func writePasskey(_ notes: inout NoteList) {
        let needed = ["credential id", "relying party", CXF.privateKey]
        guard needed.allSatisfy({ peek($0)?.isEmpty == false }) else {
            notes.add(.otherForm, "the passkey", "is not whole, and becomes fields")
            return
        }
        var members = members(CXF.passkey, texts: Set(CXF.passkey.map(\.name)))
        members = members.map { member in
            guard member.0 == "key", case .text(let text) = member.1,
                let der = PrivateKeyText.der(text)
            else { return member }
            return ("key", .text(Base64URLText.encode(der)))
        }
        members.append(("username", .text(entry.userName)))
        // The format wants these two also where they say nothing.
        for name in ["userDisplayName", "userHandle"]
        where !members.contains(where: { $0.0 == name }) { members.append((name, .text(""))) }
        for index in entry.fields.indices where !placed.contains(index) {
            let field = entry.fields[index]
            guard field.name.hasPrefix(CXF.passkeyPrefix), let tree = tree(field) else { continue }
            placed.insert(index)
            members.append((String(field.name.dropFirst(CXF.passkeyPrefix.count)), .init(tree)))
        }
        var names: Set<String> = ["type"]
        add("passkey", members.reversed().filter { names.insert($0.0).inserted }.reversed())
    }

    /// What a reader has kept as JSON.
    private func tree(_ field: Entry.Field) -> JSONTree? {
        guard field.kind == "secret" else { return nil }
        var scanner = JSONScanner(field.value)
        // Text that is no JSON stays a custom field.
        guard let tree = try? scanner.tree(), (try? scanner.end()) != nil else { return nil }
        return tree
    }

    private mutating func writeOthers() {
        for (index, field) in entry.fields.enumerated()
        where field.name.hasPrefix(CXF.otherPrefix) && !placed.contains(index) {
            guard let tree = tree(field), let type = tree["type"].string,
                field.name == CXF.otherPrefix + type
            else { continue }
            placed.insert(index)
            credentials.append(.init(tree))
        }
    }

    private mutating func writeCodes(_ notes: inout NoteList) {
        var count = 0
        for (index, field) in entry.fields.enumerated()
        where field.kind == "otp" && !placed.contains(index) {
            // A wrong code stays a custom field.
            guard let url = field.text, let code = try? OneTimeCode(url), !code.isSteam,
                let start = code.url.firstRange(of: "secret=")
            else {
                notes.add(.otherForm, "the code \(field.name)", "becomes a hidden field")
                continue
            }
            placed.insert(index)
            let secret = code.url[start.upperBound...].prefix { $0 != "&" }
            var members: [(String, Value)] = [
                ("secret", .text(String(secret))), ("period", .number(Int64(code.periodSeconds))),
                ("digits", .number(Int64(code.digits))),
                ("algorithm", .text(code.algorithm.rawValue.lowercased())),
            ]
            if let account = code.account { members.append(("username", .text(account))) }
            if let issuer = code.issuer { members.append(("issuer", .text(issuer))) }
            add("totp", members)
            // The format has no names of codes: a reader numbers them.
            count += 1
            let name = CXF.oneTimeCode + (count == 1 ? "" : " \(count)")
            if field.name != name { notes.add(.renamed, "the code \(field.name)", name) }
        }
    }

    private mutating func writeFields(_ notes: inout NoteList) {
        var fields: [Value] = []
        if !["login", "passkey", "password"].contains(entry.type), !entry.userName.isEmpty {
            fields.append(editable("string", entry.userName, label: "user name"))
            notes.add(.otherForm, "the user name", "becomes a field")
        }
        if !["login", "note", "wifi", "password"].contains(entry.type),
            let text = entry.secretText, !text.isEmpty
        {
            fields.append(editable("concealed-string", text, label: "password"))
            notes.add(.otherForm, "the password", "becomes a field")
        }
        for (index, field) in entry.fields.enumerated() where !placed.contains(index) {
            guard !field.isFile, let text = field.text else {
                notes.add(.partNotHeld, "the attachment \(field.name)")
                continue
            }
            let wanted = CXF.kinds.first { $0.value == field.kind }?.key ?? "string"
            let type = isValid(text, wanted) ? wanted : "string"
            let isTold = ["text", "secret", "otp"].contains(field.kind) || type != "string"
            if !isTold {
                notes.add(.otherForm, "the field \(field.name)", "is text, not a \(field.kind)")
            }
            let shown = field.kind == "otp" ? "concealed-string" : type
            fields.append(editable(shown, text, label: field.name))
        }
        guard !fields.isEmpty else { return }
        add("custom-fields", [("fields", .list(fields))])
    }

    // MARK: What all types have

    private func scope(_ notes: inout NoteList) -> Value? {
        var (urls, apps): ([Value], [Value]) = ([], [])
        for link in entry.links {
            guard link.match != "never" else {
                notes.add(.partNotHeld, "the address \(link.text), which is never filled in")
                continue
            }
            if link.match != Entry.Address.usualMatch {
                notes.add(.partNotHeld, "the rule \(link.match) of the address \(link.text)")
            }
            if let app = app(link.text) { apps.append(app) } else { urls.append(.text(link.text)) }
        }
        guard !urls.isEmpty || !apps.isEmpty else { return nil }
        return .object([("urls", .list(urls)), ("androidApps", .list(apps))])
    }

    private func app(_ address: String) -> Value? {
        if address.hasPrefix("androidapp://") {
            return .object([("bundleId", .text(String(address.dropFirst(13))))])
        }
        guard address.hasPrefix("android://"), address.hasSuffix("/") else { return nil }
        let parts = address.dropFirst(10).dropLast().split(separator: "@")
        guard parts.count == 2 else { return nil }
        let certificate = Value.object([
            ("fingerprint", .text(String(parts[0]))), ("hashAlg", .text("sha512")),
        ])
        return .object([("bundleId", .text(String(parts[1]))), ("certificate", certificate)])
    }

    private func noteRest(_ notes: inout NoteList) {
        if entry.realm?.isEmpty == false { notes.add(.partNotHeld, "the realm") }
        for part in entry.appleParts { notes.add(.partNotHeld, part) }
        let count = entry.history.count
        guard count > 0 else { return }
        notes.add(.partNotHeld, "\(count) earlier \(count == 1 ? "value" : "values")")
    }
}
