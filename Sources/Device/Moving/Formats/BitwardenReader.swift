internal import KSImporting

// Reads Bitwarden's JSON, of a person's vault or an organization's.

enum BitwardenReader {
    static func read(_ file: SourceFile) throws(MovingError) -> ReadEntries {
        guard file.outline?.members["encrypted"]?.bool != false else {
            return try read(file.bytes)
        }
        let contents = try BitwardenEncryption.contents(file)
        let outline = try JSONOutline(contents)
        guard outline.members["encrypted"]?.bool == false else {
            throw .wrongShape(format: "Bitwarden", member: "encrypted")
        }
        return try read(contents)
    }

    private static func read(_ bytes: [UInt8]) throws(MovingError) -> ReadEntries {
        let folders = try names(of: ["folders", "collections"], in: bytes)
        var result = ReadEntries(format: Bitwarden.name, of: bytes)
        var notes = NoteList()
        var scanner = JSONScanner(bytes)
        var hasItems = false
        let entriesMax = EntryFormat.entriesMax
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "items" else { return try scanner.skip() }
            guard scanner.peek() == UInt8(ascii: "[") else {
                throw .wrongShape(format: "Bitwarden", member: name)
            }
            hasItems = true
            try scanner.list { scanner throws(MovingError) in
                result.count += 1
                guard result.count <= entriesMax else { throw .tooManyEntries(max: entriesMax) }
                guard let tree = try scanner.entry(result.count, &notes) else { return }
                notes.begin(result.count, tree["name"].string ?? "")
                var item = BitwardenItem(tree, folders: folders)
                let isTaken = item.read(&notes)
                if isTaken { try result.append(ofFile: item.entry, number: result.count) }
            }
        }
        guard hasItems else { throw .wrongShape(format: "Bitwarden", member: "items") }
        result.notes = notes.notes
        return result
    }

    /// The names of folders and collections by their ids.
    private static func names(
        of members: Set<String>,
        in bytes: [UInt8]
    ) throws(MovingError) -> [String: String] {
        var names: [String: String] = [:]
        var scanner = JSONScanner(bytes)
        try scanner.object { name, scanner throws(MovingError) in
            guard members.contains(name), scanner.peek() == UInt8(ascii: "[") else {
                return try scanner.skip()
            }
            try scanner.list { scanner throws(MovingError) in
                let folder = try scanner.tree()
                guard let id = folder["id"].string, let name = folder["name"].string else { return }
                guard names.count < EntryFormat.entriesMax else { return }
                names[id] = name
            }
        }
        return names
    }
}

/// One item of Bitwarden's, while it is read.
private struct BitwardenItem {
    private let tree: JSONTree
    private let folders: [String: String]
    private(set) var entry = Entry()

    /// What says nothing about the item itself, or is read elsewhere.
    private static let knownMembers: Set<String> = [
        "id", "organizationId", "folderId", "collectionIds", "type", "name", "notes", "favorite",
        "fields", "reprompt", "passwordHistory", "creationDate", "revisionDate", "deletedDate",
        "archivedDate", "object", "key", "login", "secureNote", "card", "identity", "sshKey",
        "attachments", "bankAccount", "driversLicense", "passport",
    ]

    init(_ tree: JSONTree, folders: [String: String]) {
        (self.tree, self.folders) = (tree, folders)
    }

    /// - Returns: whether it is taken.
    mutating func read(_ notes: inout NoteList) -> Bool {
        guard let members = tree.members else { return refuse(.noEntry, "", &notes) }
        guard tree["deletedDate"].isEmpty else { return refuse(.inTrash, "", &notes) }
        guard let type = tree["type"].integer else { return refuse(.unknownType, "", &notes) }
        entry.title = text("name", &notes)
        let note = text("notes", &notes)
        switch type {
        case Bitwarden.Kind.login:
            entry.note = note
            readLogin(&notes)
        case Bitwarden.Kind.note:
            entry.type = "note"
            entry.secret = Array(note.utf8)
        case Bitwarden.Kind.card:
            (entry.type, entry.note) = ("card", note)
            readMembers(of: "card", Bitwarden.card, besides: ["expMonth", "expYear"], &notes)
            readExpiry(&notes)
        case Bitwarden.Kind.identity:
            (entry.type, entry.note) = ("identity", note)
            readMembers(of: "identity", Bitwarden.identity, besides: ["username"], &notes)
            entry.userName = tree["identity"]["username"].string ?? ""
        case Bitwarden.Kind.sshKey:
            (entry.type, entry.note) = ("ssh-key", note)
            readMembers(of: "sshKey", Bitwarden.sshKey, besides: [], &notes)
            repairKey()
        default:
            guard let name = Bitwarden.Kind.others[type] else {
                return refuse(.unknownType, " (type \(type))", &notes)
            }
            (entry.type, entry.note) = ("identity", note)
            notes.add(.otherForm, "the type \(name)", "becomes an identity")
            readMembers(of: name, [], besides: [], &notes)
        }
        readFields(&notes)
        readRest(&notes)
        for member in members
        where !Self.knownMembers.contains(member.name) && !member.value.isEmpty {
            notes.add(.unknownMember, "\"\(member.name)\"")
        }
        return true
    }

    private func refuse(
        _ reason: EntryNote.Reason,
        _ detail: String,
        _ notes: inout NoteList
    ) -> Bool {
        notes.add(reason, "", detail)
        return false
    }

    /// A text of the item; empty where it is missing.
    private func text(_ name: String, _ notes: inout NoteList) -> String {
        Self.text(tree[name], name, &notes)
    }

    private static func text(
        _ value: JSONTree,
        _ name: String,
        _ notes: inout NoteList
    ) -> String {
        if let text = value.string { return text }
        if !value.isEmpty { notes.add(.wrongType, "\"\(name)\"") }
        return ""
    }

    // MARK: Types

    private mutating func readLogin(_ notes: inout NoteList) {
        let login = tree["login"]
        entry.userName = Self.text(login["username"], "username", &notes)
        let password = Self.text(login["password"], "password", &notes)
        if !password.isEmpty { entry.secret = Array(password.utf8) }
        let code = Self.text(login["totp"], "totp", &notes)
        if !code.isEmpty {
            entry.fields.append(OneTimeCodeText.field(Bitwarden.oneTimeCode, code, &notes))
        }
        if let uris = login["uris"].elements {
            for uri in uris { readAddress(uri, &notes) }
        } else if let text = login["uri"].string, !text.isEmpty {
            entry.addresses.append(.init(text))
        }
        for _ in login["fido2Credentials"].elements ?? [] { notes.add(.passkey) }
        let known: Set = [
            "username", "password", "totp", "uris", "uri", "fido2Credentials",
            "passwordRevisionDate", "autofillOnPageLoad",
        ]
        for member in login.members ?? []
        where !known.contains(member.name) && !member.value.isEmpty {
            notes.add(.unknownMember, "\"\(member.name)\"")
        }
    }

    private mutating func readAddress(_ tree: JSONTree, _ notes: inout NoteList) {
        guard let text = tree["uri"].string else {
            if !tree["uri"].isEmpty { notes.add(.wrongType, "\"uri\"") }
            return
        }
        guard !text.isEmpty else { return }
        var match = Entry.Address.usualMatch
        if !tree["match"].isNull {
            let number = tree["match"].integer
            if let known = number.flatMap({ Bitwarden.matches[$0] }) {
                match = known
            } else {
                // Nothing is filled in where the rule is not known.
                match = "never"
                let isExpression = number == Bitwarden.regularExpression
                let rule = isExpression ? " regular expression" : number.map { " \($0)" }
                let part = "the rule\(rule ?? "") of the address \(text)"
                notes.add(rule == nil ? .wrongType : .partNotHeld, part)
            }
        }
        let address = Entry.Address(text, match)
        if !entry.addresses.contains(address) { entry.addresses.append(address) }
    }

    private mutating func readMembers(
        of name: String,
        _ known: [Bitwarden.Member],
        besides others: Set<String>,
        _ notes: inout NoteList
    ) {
        let object = tree[name]
        for member in object.members ?? [] where !member.value.isEmpty {
            let described = known.first { $0.name == member.name }
            guard !others.contains(member.name) else { continue }
            let text = Self.text(member.value, member.name, &notes)
            guard !text.isEmpty else { continue }
            entry.fields.append(
                .init(described?.field ?? member.name, described?.kind ?? "secret", text: text)
            )
        }
    }

    /// Bitwarden has month and year apart.
    private mutating func readExpiry(_ notes: inout NoteList) {
        let card = tree["card"]
        let (month, year) = (card["expMonth"].string ?? "", card["expYear"].string ?? "")
        guard !month.isEmpty || !year.isEmpty else { return }
        if let number = Int(month), (1...12).contains(number), year.utf8.count == 4,
            year.utf8.allSatisfy(\.isDigit)
        {
            let digits = number < 10 ? "0\(number)" : "\(number)"
            entry.fields.append(.init(Bitwarden.expires, "month", text: "\(year)-\(digits)"))
        } else {
            let text = [month, year].filter { !$0.isEmpty }.joined(separator: "/")
            entry.fields.append(.init(Bitwarden.expires, text: text))
        }
    }

    /// OpenSSH takes no carriage returns, and needs the last line's end.
    private mutating func repairKey() {
        guard let index = entry.fields.firstIndex(where: { $0.name == "private key" }) else {
            return
        }
        var key = entry.fields[index].value.filter { $0 != UInt8(ascii: "\r") }
        if key.last != UInt8(ascii: "\n") { key.append(UInt8(ascii: "\n")) }
        entry.fields[index].value = key
    }

    // MARK: What all types have

    private mutating func readFields(_ notes: inout NoteList) {
        for (index, tree) in (tree["fields"].elements ?? []).enumerated() {
            let name = tree["name"].string ?? "field \(index + 1)"
            guard let type = tree["type"].integer ?? (tree["type"].isNull ? 0 : nil),
                (0...2).contains(type)
            else {
                // A linked field has no value of its own.
                notes.add(.partNotHeld, "the field \(name), which only refers to another")
                continue
            }
            guard let text = tree["value"].string ?? (tree["value"].isNull ? "" : nil) else {
                notes.add(.wrongType, "the field \(name)")
                continue
            }
            let isCode = text.lowercased().hasPrefix("otpauth://")
            if isCode {
                entry.fields.append(OneTimeCodeText.field(name, text, &notes))
            } else {
                entry.fields.append(.init(name, type == 1 ? "secret" : "text", text: text))
            }
        }
        if !tree["fields"].isNull, tree["fields"].elements == nil {
            notes.add(.wrongType, "\"fields\"")
        }
    }

    private mutating func readRest(_ notes: inout NoteList) {
        if !tree["favorite"].isNull { entry.isFavorite = tree["favorite"].bool ?? false }
        let ids = [tree["folderId"]] + (tree["collectionIds"].elements ?? [])
        for id in ids.compactMap(\.string) {
            guard let name = folders[id] else {
                notes.add(.partNotHeld, "its folder, which the file does not name")
                continue
            }
            if !entry.tags.contains(name) { entry.tags.append(name) }
        }
        entry.created = time("creationDate", &notes)
        entry.changed = time("revisionDate", &notes)
        for past in tree["passwordHistory"].elements ?? [] {
            guard let password = past["password"].string else {
                notes.add(.wrongType, "an earlier password")
                continue
            }
            let time = past["lastUsedDate"].string.flatMap(Timestamp.milliseconds)
            entry.history.append(.init(value: Array(password.utf8), time: time))
        }
        entry.history.sort { ($0.time ?? .min) > ($1.time ?? .min) }
        if let asks = tree["reprompt"].integer, asks != 0 {
            notes.add(.partNotHeld, "the question for the master password")
        }
        if !tree["archivedDate"].isEmpty {
            notes.add(.partNotHeld, "the mark of an archived entry")
        }
        for attachment in tree["attachments"].elements ?? [] {
            let name = attachment["fileName"].string ?? ""
            notes.add(.partNotHeld, "the attachment \(name), which is not in the file")
        }
    }

    private func time(_ name: String, _ notes: inout NoteList) -> Int64? {
        guard !tree[name].isEmpty else { return nil }
        let time = tree[name].string.flatMap(Timestamp.milliseconds)
        if time == nil { notes.add(.wrongType, "\"\(name)\"") }
        return time
    }
}
