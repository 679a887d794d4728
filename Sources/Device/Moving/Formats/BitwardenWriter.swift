// Writes Bitwarden's unencrypted JSON.

enum BitwardenWriter {
    private typealias Value = JSONWriter.Value

    static func write(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var folders: [String] = []
        var items: [Value] = []
        for (index, entry) in entries.enumerated() {
            notes.begin(index + 1, entry.shownTitle)
            guard entry.isHeldElsewhere(&notes) else { continue }
            var folder: Value = .null
            if let tag = entry.tags.first {
                let place = folders.firstIndex(of: tag) ?? folders.count
                if place == folders.count { folders.append(tag) }
                folder = .text(id(0, place + 1))
            }
            var item = BitwardenWritten(entry, &notes)
            item.members += [("folderId", folder)]
            items.append(.object([("id", .text(id(1, index + 1)))] + item.members))
        }
        var writer = JSONWriter()
        writer.write("{\"encrypted\":false,\n \"folders\":")
        writer.writeLines(
            folders.enumerated().map { index, name in
                .object([("id", .text(id(0, index + 1))), ("name", .text(name))])
            }
        )
        writer.write(",\n \"items\":")
        writer.writeLines(items)
        writer.write("\n}\n")
        var written = WrittenEntries()
        written.files = [writer.bytes]
        written.notes = notes.notes
        return written
    }

    /// A name in the form of a UUID, which Bitwarden replaces when it imports.
    private static func id(_ kind: Int, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-000\(kind)-4000-8000-"
            + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

/// One item of Bitwarden's, while it is written.
private struct BitwardenWritten {
    typealias Value = JSONWriter.Value

    private let entry: Entry
    var members: [(String, Value)] = []
    /// The fields that have a member of their own.
    private var placed: Set<Int> = []

    init(_ entry: Entry, _ notes: inout NoteList) {
        self.entry = entry
        let type = kind
        members = [
            ("organizationId", .null), ("collectionIds", .null), ("type", .number(type)),
            ("reprompt", .number(0)), ("name", .text(entry.shownTitle)),
            ("favorite", .bool(entry.isFavorite ?? false)),
        ]
        let own = member(of: type, &notes)
        members.append(("notes", notesValue(type)))
        members.append(("fields", .list(customFields(&notes))))
        members.append(own)
        members.append(("passwordHistory", history(&notes)))
        members += [
            ("creationDate", .time(entry.created)), ("revisionDate", .time(entry.changed)),
            ("deletedDate", .null),
        ]
        noteRest(type, &notes)
    }

    /// Bitwarden takes a key only with its public half and its fingerprint.
    private var isWholeKey: Bool {
        Bitwarden.sshKey.allSatisfy { member in
            entry.fields.contains { $0.name == member.field && $0.text?.isEmpty == false }
        }
    }

    private var kind: Int64 {
        switch entry.type {
        case "note": Bitwarden.Kind.note
        case "card": Bitwarden.Kind.card
        case "identity": Bitwarden.Kind.identity
        case "ssh-key": isWholeKey ? Bitwarden.Kind.sshKey : Bitwarden.Kind.note
        default: Bitwarden.Kind.login
        }
    }

    private func notesValue(_ type: Int64) -> Value {
        let texts = [entry.type == "note" ? entry.secretText ?? "" : "", entry.note]
        let text = texts.filter { !$0.isEmpty }.joined(separator: "\n")
        return text.isEmpty ? .null : .text(text)
    }

    // MARK: Types

    private mutating func member(of type: Int64, _ notes: inout NoteList) -> (String, Value) {
        switch type {
        case Bitwarden.Kind.note: return ("secureNote", .object([("type", .number(0))]))
        case Bitwarden.Kind.card:
            return ("card", .object(placedMembers(Bitwarden.card) + expiry()))
        case Bitwarden.Kind.identity:
            let user = entry.userName.isEmpty ? Value.null : .text(entry.userName)
            return (
                "identity", .object(placedMembers(Bitwarden.identity) + [("username", user)])
            )
        case Bitwarden.Kind.sshKey:
            return ("sshKey", .object(placedMembers(Bitwarden.sshKey)))
        default: return ("login", .object(login(&notes)))
        }
    }

    private mutating func placedMembers(_ known: [Bitwarden.Member]) -> [(String, Value)] {
        known.map { member in
            guard let index = index(of: member.field), let text = entry.fields[index].text else {
                return (member.name, .null)
            }
            placed.insert(index)
            return (member.name, .text(text))
        }
    }

    private func index(of field: String) -> Int? {
        entry.fields.firstIndex { $0.name == field && !$0.isFile && $0.kind != "otp" }
    }

    private mutating func expiry() -> [(String, Value)] {
        guard let index = index(of: Bitwarden.expires), entry.fields[index].kind == "month",
            let parts = entry.fields[index].text?.split(separator: "-"), parts.count == 2,
            let month = Int(parts[1])
        else { return [("expMonth", .null), ("expYear", .null)] }
        placed.insert(index)
        return [("expMonth", .text(String(month))), ("expYear", .text(String(parts[0])))]
    }

    private mutating func login(_ notes: inout NoteList) -> [(String, Value)] {
        if entry.type != "login" {
            notes.add(.otherForm, "the type \(entry.type)", "becomes a login")
        }
        let uris = entry.links.map { link -> Value in
            var match = Value.null
            if let number = Bitwarden.matches.first(where: { $0.value == link.match })?.key {
                if link.match != Entry.Address.usualMatch { match = .number(number) }
            } else {
                match = .number(Bitwarden.exact)
                notes.add(.partNotHeld, "the rule \(link.match) of the address \(link.text)")
            }
            return .object([("match", match), ("uri", .text(link.text))])
        }
        var code = Value.null
        if let index = entry.fields.firstIndex(where: { $0.kind == "otp" }),
            let text = entry.fields[index].text
        {
            placed.insert(index)
            code = .text(OneTimeCodeText.bitwardenText(text))
        }
        let user = entry.userName.isEmpty ? Value.null : .text(entry.userName)
        return [
            ("uris", .list(uris)), ("username", user), ("password", .text(entry.secretText)),
            ("totp", code),
        ]
    }

    // MARK: What all types have

    private func customFields(_ notes: inout NoteList) -> [Value] {
        entry.fields.enumerated().compactMap { index, field in
            guard !placed.contains(index) else { return nil }
            guard !field.isFile, let text = field.text else {
                notes.add(.partNotHeld, "the attachment \(field.name)")
                return nil
            }
            if !["text", "secret", "otp"].contains(field.kind) {
                notes.add(.otherForm, "the field \(field.name)", "is text, not a \(field.kind)")
            }
            return .object([
                ("name", .text(field.name)), ("value", .text(text)),
                ("type", .number(field.isHidden ? 1 : 0)),
            ])
        }
    }

    private func history(_ notes: inout NoteList) -> Value {
        var others = 0
        let past = entry.history.compactMap { earlier -> Value? in
            guard earlier.what == "password", entry.type != "note",
                let text = String(validating: earlier.value, as: UTF8.self)
            else {
                others += 1
                return nil
            }
            let time = earlier.time ?? entry.changed ?? 0
            return .object([("lastUsedDate", .time(time)), ("password", .text(text))])
        }
        if others > 0 {
            let values = others == 1 ? "value" : "values"
            notes.add(.partNotHeld, "\(others) earlier \(values) beside passwords")
        }
        return past.isEmpty ? .null : .list(past)
    }

    private func noteRest(_ type: Int64, _ notes: inout NoteList) {
        for part in entry.appleParts { notes.add(.partNotHeld, part) }
        for tag in entry.tags.dropFirst() { notes.add(.partNotHeld, "the tag \(tag)") }
        if entry.realm?.isEmpty == false { notes.add(.partNotHeld, "the realm") }
        if entry.type == "ssh-key", type == Bitwarden.Kind.note {
            notes.add(.otherForm, "the key", "becomes a note, since it has no fingerprint")
        }
        if entry.type == "note", !entry.note.isEmpty {
            notes.add(.otherForm, "the note beside its text", "becomes part of the text")
        }
        guard type != Bitwarden.Kind.login else { return }
        for link in entry.links { notes.add(.partNotHeld, "the address \(link.text)") }
        if type != Bitwarden.Kind.identity, !entry.userName.isEmpty {
            notes.add(.partNotHeld, "the user name")
        }
        if type != Bitwarden.Kind.note, entry.secret?.isEmpty == false {
            notes.add(.partNotHeld, "the password")
        } else if entry.type == "ssh-key", entry.secret?.isEmpty == false {
            notes.add(.partNotHeld, "the password")
        }
    }
}
