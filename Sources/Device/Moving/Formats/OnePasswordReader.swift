internal import KSImporting

// Reads 1Password's export, 1PUX.

enum OnePasswordReader {
    static func read(_ file: SourceFile) throws(MovingError) -> ReadEntries {
        let data =
            file.isJSON
            ? file.bytes : try ExportArchive.bytes(file, where: { $0 == OnePassword.data })
        guard let data else {
            throw .wrongShape(format: OnePassword.name, member: OnePassword.data)
        }
        var result = ReadEntries(format: OnePassword.name, of: data)
        var attachments: [ExportArchive.Attachment] = []
        try read(data, &result, &attachments)
        try ExportArchive.add(attachments, of: file, to: &result)
        return result
    }

    private static func read(
        _ data: [UInt8],
        _ result: inout ReadEntries,
        _ attachments: inout [ExportArchive.Attachment]
    ) throws(MovingError) {
        var names: [String] = []
        try eachVault(data) { member, scanner throws(MovingError) in
            guard member == "attrs" else { return try scanner.skip() }
            names.append(try scanner.tree()["name"].string ?? "")
        }
        var notes = NoteList()
        var vault = -1
        let entriesMax = EntryFormat.entriesMax
        try eachVault(data, begin: { vault += 1 }) { member, scanner throws(MovingError) in
            guard member == "items", scanner.peek() == UInt8(ascii: "[") else {
                return try scanner.skip()
            }
            try scanner.list { scanner throws(MovingError) in
                result.count += 1
                guard result.count <= entriesMax else { throw .tooManyEntries(max: entriesMax) }
                guard var tree = try scanner.entry(result.count, &notes) else { return }
                // Earlier exports have another object around.
                if tree["item"].members != nil { tree = tree["item"] }
                var item = OnePasswordItem(tree)
                notes.begin(result.count, item.entry.title)
                guard item.read(&notes) else { return }
                // A single vault says nothing.
                if names.count > 1, vault < names.count, !names[vault].isEmpty {
                    item.entry.tags.insert(names[vault], at: 0)
                }
                attachments += item.documents.map { name, id in
                    ExportArchive.Attachment(
                        entry: result.entries.count,
                        number: result.count,
                        name: name,
                        paths: ["files/\(id)__\(name)"],
                        prefix: id.isEmpty ? nil : "files/\(id)__"
                    )
                }
                try result.append(ofFile: item.entry, number: result.count)
            }
        }
        guard vault >= 0 else {
            throw .wrongShape(format: OnePassword.name, member: "accounts")
        }
        result.notes = notes.notes
    }

    private static func eachVault(
        _ data: [UInt8],
        begin: () -> Void = {},
        _ body: (String, inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        var scanner = JSONScanner(data)
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "accounts" else { return try scanner.skip() }
            try scanner.list { scanner throws(MovingError) in
                try scanner.object { name, scanner throws(MovingError) in
                    guard name == "vaults" else { return try scanner.skip() }
                    try scanner.list { scanner throws(MovingError) in
                        begin()
                        try scanner.object(body)
                    }
                }
            }
        }
        try scanner.end()
    }
}

/// One item, while it is read.
private struct OnePasswordItem {
    private let tree: JSONTree
    var entry = Entry()
    /// The names and ids of its files.
    private(set) var documents: [(name: String, id: String)] = []

    init(_ tree: JSONTree) {
        self.tree = tree
        entry.title = tree["overview"]["title"].string ?? ""
    }

    /// - Returns: whether it is taken.
    mutating func read(_ notes: inout NoteList) -> Bool {
        guard tree.members != nil else {
            notes.add(.noEntry)
            return false
        }
        guard tree["trashed"].bool != true, tree["state"].string != "deleted" else {
            notes.add(.inTrash)
            return false
        }
        let category = tree["categoryUuid"].string ?? ""
        let known = OnePassword.categories[category]
        entry.type = known?.type ?? "note"
        if let name = known?.name {
            let article = "aeiou".contains(entry.type.prefix(1)) ? "an" : "a"
            notes.add(.otherForm, "the type \(name)", "becomes \(article) \(entry.type)")
        } else if known == nil {
            notes.add(.otherForm, "the type \(category)", "is not known, and becomes a note")
        }
        readOverview(&notes)
        readDetails(&notes)
        noteRest(&notes)
        return true
    }

    private mutating func readOverview(_ notes: inout NoteList) {
        let overview = tree["overview"]
        for url in overview["urls"].elements ?? [] { addAddress(url["url"], url["label"], &notes) }
        addAddress(overview["url"], .null, &notes)
        entry.tags = (overview["tags"].elements ?? []).compactMap(\.string)
        if let index = tree["favIndex"].integer { entry.isFavorite = index != 0 }
        if tree["state"].string == "archived" {
            if !entry.tags.contains("archived") { entry.tags.append("archived") }
            notes.add(.otherForm, "the mark of an archived entry", "becomes the tag archived")
        }
        entry.created = time(tree["createdAt"])
        entry.changed = time(tree["updatedAt"])
    }

    private mutating func addAddress(
        _ url: JSONTree,
        _ label: JSONTree,
        _ notes: inout NoteList
    ) {
        guard let text = url.string, !text.isEmpty,
            !entry.addresses.contains(where: { $0.text == text })
        else { return }
        entry.addresses.append(.init(text))
        if let label = label.string, !["", "website", "url"].contains(label.lowercased()) {
            notes.add(.otherForm, "the address \(text)", "is called \(label) there")
        }
    }

    /// Seconds since 1970 there.
    private func time(_ tree: JSONTree) -> Int64? {
        guard let seconds = tree.integer, seconds > 0, seconds < 1 << 40 else { return nil }
        return seconds * 1000
    }

    // MARK: Details

    private mutating func readDetails(_ notes: inout NoteList) {
        let details = tree["details"]
        let note = details["notesPlain"].string ?? ""
        if entry.type == "note", !note.isEmpty || details["sections"].isEmpty {
            entry.secret = Array(note.utf8)
        } else {
            entry.note = note
        }
        if let password = details["password"].string, !password.isEmpty {
            setSecret(password, name: "password")
        }
        for field in details["loginFields"].elements ?? [] { readFormField(field) }
        for section in details["sections"].elements ?? [] {
            let title = section["title"].string ?? ""
            for field in section["fields"].elements ?? [] { readField(field, in: title, &notes) }
        }
        let document = details["documentAttributes"]
        if let name = document["fileName"].string {
            documents.append((name, document["documentId"].string ?? ""))
        }
        for past in details["passwordHistory"].elements ?? [] {
            guard let password = past["value"].string else {
                notes.add(.wrongType, "an earlier password")
                continue
            }
            entry.history.append(.init(value: Array(password.utf8), time: time(past["time"])))
        }
        entry.history.sort { ($0.time ?? .min) > ($1.time ?? .min) }
    }

    private mutating func setSecret(_ text: String, name: String) {
        if entry.secret == nil {
            entry.secret = Array(text.utf8)
        } else {
            entry.fields.append(.init(name, "secret", text: text))
        }
    }

    private mutating func readFormField(_ field: JSONTree) {
        guard let text = field["value"].string, !text.isEmpty else { return }
        let designation = field["designation"].string ?? ""
        if designation == "username", entry.userName.isEmpty {
            entry.userName = text
        } else if designation == "password" {
            setSecret(text, name: "password")
        } else {
            let names = [field["name"].string, field["id"].string, designation]
            let name = names.lazy.compactMap(\.self).first { !$0.isEmpty } ?? "field"
            let kind = OnePassword.formKinds[field["fieldType"].string ?? ""] ?? "text"
            entry.fields.append(.init(name, kind, text: text))
        }
    }

    private mutating func readField(
        _ field: JSONTree,
        in section: String,
        _ notes: inout NoteList
    ) {
        let id = field["id"].string ?? ""
        var name = field["title"].string ?? ""
        if name.isEmpty { name = id.isEmpty ? "field" : id }
        if !section.isEmpty { name = "\(section): \(name)" }
        for value in field["value"].members ?? [] where !value.value.isEmpty {
            if OnePassword.texts.contains(value.name), let text = value.value.string {
                readText(text, id, name, OnePassword.valueKinds[value.name] ?? "text")
            } else {
                readValue(value, id, name, &notes)
            }
        }
        if field["value"].members == nil, !field["value"].isEmpty {
            notes.add(.wrongType, "the field \(name)")
        }
    }

    private mutating func readText(_ text: String, _ id: String, _ name: String, _ kind: String) {
        if OnePassword.secretIDs.contains(id), ["login", "password", "wifi"].contains(entry.type),
            entry.secret == nil
        {
            entry.secret = Array(text.utf8)
        } else if OnePassword.userNameIDs.contains(id), entry.userName.isEmpty {
            entry.userName = text
        } else if id == "url" || id == "hostname", entry.type == "login",
            !entry.addresses.contains(where: { $0.text == text })
        {
            entry.addresses.append(.init(text))
        } else {
            addField(text, id, name, kind)
        }
    }

    private mutating func addField(_ text: String, _ id: String, _ name: String, _ kind: String) {
        let usual = OnePassword.fields[entry.type]?[id]
        if let usual, !entry.fields.contains(where: { $0.name == usual.name }) {
            entry.fields.append(.init(usual.name, usual.kind, text: text))
        } else {
            entry.fields.append(.init(name, kind, text: text))
        }
    }

    private mutating func readValue(
        _ value: JSONTree.Member,
        _ id: String,
        _ name: String,
        _ notes: inout NoteList
    ) {
        let tree = value.value
        switch value.name {
        case "totp":
            guard let text = tree.string else { return notes.add(.wrongType, "the field \(name)") }
            let count = entry.oneTimeCodes.count
            let shown = count == 0 ? "one-time code" : name
            entry.fields.append(OneTimeCodeText.field(shown, text, &notes))
        case "email":
            guard let text = tree["email_address"].string ?? tree.string else {
                if tree["email_address"].isEmpty { return }
                return notes.add(.wrongType, "the field \(name)")
            }
            if !text.isEmpty { addField(text, id, name, "email") }
            if !tree["provider"].isEmpty {
                notes.add(.partNotHeld, "the provider of the field \(name)")
            }
        case "date":
            guard let time = tree.integer, abs(time) < 1 << 40,
                let text = Timestamp.text(time * 1000)
            else { return notes.add(.wrongType, "the field \(name)") }
            addField(String(text.prefix(10)), id, name, "date")
        case "monthYear":
            guard let number = tree.integer, (1...12).contains(number % 100),
                (1000...9999).contains(number / 100)
            else { return notes.add(.wrongType, "the field \(name)") }
            let month = number % 100
            addField("\(number / 100)-\(month < 10 ? "0" : "")\(month)", id, name, "month")
        case "address":
            let isOwn = id == "address" && entry.type == "identity"
            for (member, part) in OnePassword.address {
                guard let text = tree[member].string, !text.isEmpty else { continue }
                entry.fields.append(.init(isOwn ? part : "\(name): \(part)", text: text))
            }
        case "file":
            guard let file = tree["fileName"].string else {
                return notes.add(.wrongType, "the field \(name)")
            }
            documents.append((file, tree["documentId"].string ?? ""))
        case "sshKey": readKey(tree)
        case "reference":
            notes.add(.partNotHeld, "the field \(name), which refers to another entry")
        default:
            if let text = tree.string {
                addField(text, id, name, "text")
            } else {
                notes.add(.unknownMember, "\"\(value.name)\" of the field \(name)")
            }
        }
    }

    private mutating func readKey(_ tree: JSONTree) {
        let metadata = tree["metadata"]
        let key = tree["privateKey"].string ?? metadata["privateKey"].string ?? ""
        if !key.isEmpty {
            entry.fields.append(.init("private key", "secret", SSHKeyText.repaired(key)))
        }
        for (member, name) in [("publicKey", "public key"), ("fingerprint", "fingerprint")] {
            guard let text = metadata[member].string, !text.isEmpty else { continue }
            entry.fields.append(.init(name, text: text))
        }
    }

    private func noteRest(_ notes: inout NoteList) {
        func note(_ tree: JSONTree, _ known: Set<String>) {
            for member in tree.members ?? []
            where !known.contains(member.name) && !member.value.isEmpty {
                notes.add(.unknownMember, "\"\(member.name)\"")
            }
        }
        note(tree, OnePassword.itemMembers)
        note(tree["overview"], OnePassword.overviewMembers)
        note(tree["details"], OnePassword.detailMembers)
    }
}

/// A key in the form that OpenSSH takes.
enum SSHKeyText {
    /// Without carriage returns, and with the last line's end.
    static func repaired(_ text: String) -> [UInt8] {
        var key = Array(text.utf8).filter { $0 != UInt8(ascii: "\r") }
        if key.last != UInt8(ascii: "\n") { key.append(UInt8(ascii: "\n")) }
        return key
    }
}
