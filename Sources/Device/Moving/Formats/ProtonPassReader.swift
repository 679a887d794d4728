internal import KSImporting

// Reads Proton Pass's ZIP, or the JSON file in it.

enum ProtonPassReader {
    static func read(_ file: SourceFile) throws(MovingError) -> ReadEntries {
        var attachments: [ExportArchive.Attachment] = []
        let data =
            file.isJSON ? file.bytes : try ExportArchive.bytes(file, where: ProtonPass.isData)
        guard let data else { throw .encryptedForProgram("Proton Pass") }
        var result = ReadEntries(format: ProtonPass.name, of: data)
        try read(data, &result, &attachments)
        try ExportArchive.add(attachments, of: file, to: &result)
        return result
    }

    private static func read(
        _ data: [UInt8],
        _ result: inout ReadEntries,
        _ attachments: inout [ExportArchive.Attachment]
    ) throws(MovingError) {
        guard try JSONOutline(data).members["encrypted"]?.bool != true else {
            throw .encryptedForProgram("Proton Pass")
        }
        var names: [String] = []
        try eachVault(data, begin: { names.append("") }) { member, scanner throws(MovingError) in
            guard member == "name" else { return try scanner.skip() }
            names[names.count - 1] = try scanner.tree().string ?? ""
        }
        var notes = NoteList()
        var vault = -1
        var hasItems = false
        let entriesMax = EntryFormat.entriesMax
        try eachVault(data, begin: { vault += 1 }) { member, scanner throws(MovingError) in
            guard member == "items", scanner.peek() == UInt8(ascii: "[") else {
                return try scanner.skip()
            }
            hasItems = true
            try scanner.list { scanner throws(MovingError) in
                result.count += 1
                guard result.count <= entriesMax else { throw .tooManyEntries(max: entriesMax) }
                guard let tree = try scanner.entry(result.count, &notes) else { return }
                var item = ProtonPassItem(tree)
                notes.begin(result.count, item.entry.title)
                guard item.read(&notes) else { return }
                if names.count > 1, !names[vault].isEmpty { item.entry.tags = [names[vault]] }
                attachments += item.files.map { name in
                    let stored = name.map { "/\\".contains($0) ? "_" : $0 }
                    return ExportArchive.Attachment(
                        entry: result.entries.count,
                        number: result.count,
                        name: name,
                        paths: ["Proton Pass/files/", "files/"].map { $0 + String(stored) }
                    )
                }
                try result.append(ofFile: item.entry, number: result.count)
                for passkey in item.passkeys {
                    try result.append(
                        ofFile: Passkey.entry(beside: item.entry, passkey.userName, passkey.fields),
                        number: result.count
                    )
                    notes.add(.otherForm, "the passkey", "becomes an item of its own")
                }
            }
        }
        guard hasItems || names.isEmpty else {
            throw .wrongShape(format: "Proton Pass", member: "vaults")
        }
        result.notes = notes.notes
    }

    private static func eachVault(
        _ data: [UInt8],
        begin: () -> Void,
        _ body: (String, inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        var scanner = JSONScanner(data)
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "vaults" else { return try scanner.skip() }
            try scanner.object { _, scanner throws(MovingError) in
                begin()
                try scanner.object(body)
            }
        }
        try scanner.end()
    }
}

/// One item, while it is read.
private struct ProtonPassItem {
    private let tree: JSONTree
    var entry = Entry()
    private(set) var files: [String] = []
    private(set) var passkeys: [(userName: String, fields: [Entry.Field])] = []

    init(_ tree: JSONTree) {
        self.tree = tree
        entry.title = tree["data"]["metadata"]["name"].string ?? ""
    }

    private var data: JSONTree { tree["data"] }
    private var content: JSONTree { data["content"] }

    /// - Returns: whether it is taken.
    mutating func read(_ notes: inout NoteList) -> Bool {
        guard tree.members != nil, data.members != nil else {
            notes.add(.noEntry)
            return false
        }
        guard tree["state"].integer != ProtonPass.trashed else {
            notes.add(.inTrash)
            return false
        }
        entry.note = data["metadata"]["note"].string ?? ""
        if let isPinned = tree["pinned"].bool { entry.isFavorite = isPinned }
        entry.created = time("createTime")
        entry.changed = time("modifyTime")
        var extras = data["extraFields"].elements ?? []
        guard readContent(&extras, &notes) else { return false }
        for field in extras { readField(field, in: "", &notes) }
        for section in (content["sections"].elements ?? [])
            + (content["extraSections"].elements ?? [])
        {
            let name = section["sectionName"].string ?? ""
            for field in section["sectionFields"].elements ?? [] {
                readField(field, in: name, &notes)
            }
        }
        for file in tree["files"].elements ?? [] {
            if let name = file.string, !name.isEmpty { files.append(name) }
        }
        noteRest(&notes)
        return true
    }

    /// Seconds since 1970 there.
    private func time(_ name: String) -> Int64? {
        guard let seconds = tree[name].integer, seconds > 0, seconds < 1 << 40 else { return nil }
        return seconds * 1000
    }

    // MARK: Types

    /// - Returns: whether the type is known.
    private mutating func readContent(
        _ extras: inout [JSONTree],
        _ notes: inout NoteList
    ) -> Bool {
        let type = data["type"].string ?? ""
        switch type {
        case "login": readLogin(&notes)
        case "alias":
            entry.userName = tree["aliasEmail"].string ?? ""
            notes.add(.otherForm, "the alias", "becomes a login")
        case "note", "custom":
            entry.type = "note"
            (entry.secret, entry.note) = (Array(entry.note.utf8), "")
            readMembers([], besides: ["sections"], &notes)
            if type == "custom" { notes.add(.otherForm, "the type custom", "becomes a note") }
        case "creditCard":
            entry.type = "card"
            readMembers(ProtonPass.card, besides: ["expirationDate"], &notes)
            readExpiry()
        case "identity":
            entry.type = "identity"
            readMembers(
                ProtonPass.identity,
                besides: ProtonPass.identityExtras.union(["extraSections"]),
                &notes
            )
            for list in ProtonPass.identityExtras.sorted() {
                extras += content[list].elements ?? []
            }
        case "sshKey":
            entry.type = "ssh-key"
            if let key = content["privateKey"].string, !key.isEmpty {
                entry.fields.append(.init("private key", "secret", SSHKeyText.repaired(key)))
            }
            readMembers(ProtonPass.key, besides: ["privateKey", "sections"], &notes)
        case "wifi":
            entry.type = "wifi"
            setSecret()
            readMembers(ProtonPass.wifi, besides: ["password", "security", "sections"], &notes)
            if let number = content["security"].integer, number != 0 {
                let text = ProtonPass.security[number] ?? String(number)
                entry.fields.append(.init("security", text: text))
            }
        default:
            notes.add(.unknownType, "", type.isEmpty ? "" : " (\(type))")
            return false
        }
        return true
    }

    private mutating func setSecret() {
        if let text = content["password"].string, !text.isEmpty { entry.secret = Array(text.utf8) }
    }

    private mutating func readLogin(_ notes: inout NoteList) {
        let (user, email) = (content["itemUsername"].string, content["itemEmail"].string)
        let names = [user, email].compactMap(\.self).filter { !$0.isEmpty }
        entry.userName = names.first ?? ""
        setSecret()
        if names.count > 1 { entry.fields.append(.init("email", "email", text: names[1])) }
        if let code = content["totpUri"].string, !code.isEmpty {
            entry.fields.append(OneTimeCodeText.field("one-time code", code, &notes))
        }
        for url in content["urls"].elements ?? [] {
            guard let text = url.string, !text.isEmpty else { continue }
            entry.addresses.append(.init(text))
        }
        entry.addresses = entry.addresses.distinct
        passkeys = (content["passkeys"].elements ?? []).map { passkey in
            let parts = Passkey.parts(passkey, besides: ["userName"])
            return (passkey["userName"].string ?? parts.userName, parts.fields)
        }
        readMembers(
            [],
            besides: ["itemUsername", "itemEmail", "password", "totpUri", "urls", "passkeys"],
            &notes
        )
    }

    private mutating func readMembers(
        _ known: [ProtonPass.Member],
        besides others: Set<String>,
        _ notes: inout NoteList
    ) {
        for member in content.members ?? []
        where !member.value.isEmpty && !others.contains(member.name) {
            guard let described = known.first(where: { $0.name == member.name }) else {
                notes.add(.unknownMember, "\"\(member.name)\"")
                continue
            }
            guard let text = member.value.string else {
                notes.add(.wrongType, "\"\(member.name)\"")
                continue
            }
            // A card's type of no name.
            if case .number("0") = member.value { continue }
            entry.fields.append(.init(described.field, described.kind, text: text))
        }
    }

    /// `YYYY-MM`, or `MMYYYY` in earlier exports.
    private mutating func readExpiry() {
        guard let text = content["expirationDate"].string, !text.isEmpty else { return }
        let digits = text.utf8.filter(\.isDigit)
        if text.utf8.count == 7, digits.count == 6, text.dropFirst(4).first == "-" {
            entry.fields.append(.init("expires", "month", text: text))
        } else if text.utf8.count == 6, digits.count == 6 {
            entry.fields.append(
                .init("expires", "month", text: "\(text.suffix(4))-\(text.prefix(2))")
            )
        } else {
            entry.fields.append(.init("expires", text: text))
        }
    }

    private mutating func readField(
        _ field: JSONTree,
        in section: String,
        _ notes: inout NoteList
    ) {
        var name = field["fieldName"].string ?? ""
        if name.isEmpty { name = "field" }
        if !section.isEmpty { name = "\(section): \(name)" }
        let data = field["data"]
        let type = field["type"].string ?? "text"
        let texts = ["content", "totpUri", "timestamp"].map { data[$0] }
        guard let text = texts.lazy.compactMap(\.string).first else {
            if !data.isEmpty { notes.add(.wrongType, "the field \(name)") }
            return
        }
        switch type {
        case "totp":
            guard !text.isEmpty else { return }
            entry.fields.append(OneTimeCodeText.field(name, text, &notes))
        case "hidden": entry.fields.append(.init(name, "secret", text: text))
        case "timestamp":
            // A moment in UTC, of which people see the day.
            let isMidnight = text.hasSuffix("T00:00:00.000Z") || text.utf8.count == 10
            entry.fields.append(
                isMidnight
                    ? .init(name, "date", text: String(text.prefix(10))) : .init(name, text: text)
            )
        default: entry.fields.append(.init(name, text: text))
        }
    }

    private func noteRest(_ notes: inout NoteList) {
        func note(_ tree: JSONTree, _ known: Set<String>) {
            for member in tree.members ?? []
            where !known.contains(member.name) && !member.value.isEmpty {
                notes.add(.unknownMember, "\"\(member.name)\"")
            }
        }
        note(tree, ProtonPass.itemMembers)
        note(data, ProtonPass.dataMembers)
        // Which Android apps it is filled into.
        if !data["platformSpecific"].isEmpty { notes.add(.partNotHeld, "its Android apps") }
    }
}
