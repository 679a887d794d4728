internal import KSFileCiphers
internal import KSImporting
internal import KSKeePass

/// Makes one of KeePass's entries of an entry, and names what it does not hold.
struct KeePassEntryWriter {
    private(set) var written = KeePassEntry()
    /// The names of the groups around it.
    private(set) var path: [String] = []
    private let entry: Entry
    private let time: Int64
    /// The names of values that are taken.
    private var names: Set<String>
    /// The name that each field got.
    private var fieldNames: [Entry.Field: String] = [:]

    private static let codeName = "otp"

    /// - Returns: nil if the entry cannot be held at all.
    init?(_ entry: Entry, _ time: Int64, _ notes: inout NoteList) {
        (self.entry, self.time) = (entry, time)
        names = KeePassEntryReader.standardNames.union([Self.codeName])
        guard entry.isHeldElsewhere(&notes) else { return nil }
        if !["login", "note"].contains(entry.type) {
            notes.add(.otherForm, "the type \(entry.type)", "becomes an entry with fields")
        }
        addCommon(&notes)
        addFields(&notes)
        addTags(&notes)
        addHistory(&notes)
        noteRest(&notes)
    }

    // MARK: Parts

    private mutating func addCommon(_ notes: inout NoteList) {
        let isNote = entry.type == "note"
        let texts = [isNote ? entry.secretText ?? "" : "", entry.note].filter { !$0.isEmpty }
        if texts.count > 1 {
            notes.add(.otherForm, "the note beside its text", "becomes part of the text")
        }
        let links = entry.links
        // What a reader makes of it.
        let becomesNote =
            !texts.isEmpty && entry.userName.isEmpty && links.isEmpty
            && (isNote || entry.secret?.isEmpty != false) && entry.fields.allSatisfy(\.isFile)
        if isNote, !becomesNote {
            notes.add(.otherForm, "the note", "becomes an entry with a text")
        } else if entry.type == "login", becomesNote {
            notes.add(.otherForm, "the login", "becomes a note, since it has a text alone")
        }
        written.values = [
            .init("Title", Array(entry.shownTitle.utf8)),
            .init("UserName", Array(entry.userName.utf8)),
            .init("Password", isNote ? [] : entry.secret ?? [], isProtected: true),
            .init("URL", Array((links.first?.text ?? "").utf8)),
            .init("Notes", Array(texts.joined(separator: "\n").utf8)),
        ]
        for (name, value) in zip(["title", "user name", "", "address", "note"], written.values) {
            let text = String(decoding: value.value, as: UTF8.self)
            guard !value.isProtected, !KeePassEntry.isName(text) else { continue }
            notes.add(.otherForm, "the \(name)", "is hidden for its control characters")
        }
        for (index, link) in links.enumerated() {
            if index > 0 {
                let name = "\(KeePassEntryReader.addressName)_\(index)"
                names.insert(name)
                written.values.append(.init(name, Array(link.text.utf8)))
            }
            if link.match != Entry.Address.usualMatch {
                notes.add(.partNotHeld, "the rule \(link.match) of the address \(link.text)")
            }
        }
        let changed = entry.changed ?? time
        written.created = KeePassEntry.time(entry.created ?? changed)
        written.changed = KeePassEntry.time(changed)
    }

    private mutating func addFields(_ notes: inout NoteList) {
        let code =
            entry.oneTimeCodes.first { $0.name == Bitwarden.oneTimeCode }
            ?? entry.oneTimeCodes.first
        var isCodeWritten = false
        for field in entry.fields {
            if field.isFile {
                addAttachment(field, &notes)
            } else if field == code, !isCodeWritten {
                isCodeWritten = true
                fieldNames[field] = Self.codeName
                written.values.append(.init(Self.codeName, field.value, isProtected: true))
                if field.name != Bitwarden.oneTimeCode {
                    notes.add(.renamed, "the code \(field.name)", Self.codeName)
                }
            } else if !written.expires, let time = Self.expiry(field) {
                (written.expires, written.expiry) = (true, KeePassEntry.time(time))
            } else {
                addField(field, &notes)
            }
        }
    }

    /// The time of a field that a reader makes of an entry's end, in milliseconds since 1970.
    private static func expiry(_ field: Entry.Field) -> Int64? {
        guard field.name == KeePassEntryReader.expires, let text = field.text,
            let time = Timestamp.milliseconds(field.kind == "date" ? text + "T00:00:00Z" : text),
            KeePassEntryReader.expiry(time) == field
        else { return nil }
        return time
    }

    private mutating func addField(_ field: Entry.Field, _ notes: inout NoteList) {
        let name = unique(field.name)
        fieldNames[field] = name
        written.values.append(.init(name, field.value, isProtected: field.isHidden))
        if name != field.name { notes.add(.renamed, "the field \(field.name)", name) }
        if !["text", "secret", "otp"].contains(field.kind) {
            notes.add(.otherForm, "the field \(field.name)", "is text, not a \(field.kind)")
        }
        if !field.isHidden, let text = field.text, !KeePassEntry.isName(text) {
            notes.add(.otherForm, "the field \(field.name)", "is hidden for its control characters")
        }
    }

    private mutating func addAttachment(_ field: Entry.Field, _ notes: inout NoteList) {
        let base = Self.name(field.name)
        var (name, number) = (base, 2)
        while written.attachments.contains(where: { $0.name == name }) {
            name = "\(number) \(base)"
            number += 1
        }
        if name != field.name { notes.add(.renamed, "the attachment \(field.name)", name) }
        written.attachments.append(.init(name, field.value))
    }

    /// The first tag is the group, as a folder is elsewhere.
    private mutating func addTags(_ notes: inout NoteList) {
        var tags: [String] = []
        for (index, given) in entry.tags.enumerated() {
            let name = Self.name(given)
            let parts = name.split(separator: "/").map { String($0) }
            if index == 0, !parts.isEmpty, !parts.contains("Recycle Bin") {
                path = parts.joined(separator: "/") == name ? parts : [name]
                if name != given { notes.add(.renamed, "the tag \(given)", name) }
                continue
            }
            let tag = String(name.map { ";,".contains($0) ? " " : $0 })
            if tag != given { notes.add(.renamed, "the tag \(given)", tag) }
            tags.append(tag)
        }
        written.tags = tags.joined(separator: ";")
    }

    /// The values of each earlier moment, made by going back from the present ones.
    private mutating func addHistory(_ notes: inout NoteList) {
        var version = written
        var versions: [KeePassEntry] = []
        var lost = 0
        for earlier in entry.history {
            guard let name = valueName(of: earlier) else {
                lost += 1
                continue
            }
            let isProtected = ["password", "field"].contains(earlier.what) && name != "Notes"
            if let index = version.values.firstIndex(where: { $0.name == name }) {
                version.values[index].value = earlier.value
            } else {
                version.values.append(
                    .init(name, earlier.value, isProtected: isProtected && earlier.kind != "text")
                )
            }
            version.changed = KeePassEntry.time(earlier.time ?? entry.created ?? time)
            versions.append(version)
        }
        written.history = versions.reversed()
        if lost > 0 {
            notes.add(.partNotHeld, lost == 1 ? "an earlier value" : "\(lost) earlier values")
        }
    }

    private func valueName(of earlier: Entry.Earlier) -> String? {
        switch earlier.what {
        case "password": return entry.type == "note" ? "Notes" : "Password"
        case "title": return "Title"
        case "note": return entry.type == "note" ? nil : "Notes"
        case "field":
            guard earlier.kind != "file" else { return nil }
            let field = entry.fields.first { $0.name == earlier.name && !$0.isFile }
            if let field, let name = fieldNames[field] { return name }
            let isFree = !names.contains(earlier.name) && KeePassEntry.isName(earlier.name)
            return isFree && !earlier.name.isEmpty ? earlier.name : nil
        default: return nil
        }
    }

    private func noteRest(_ notes: inout NoteList) {
        if entry.isFavorite == true { notes.add(.partNotHeld, "the mark of a favorite") }
        if entry.realm?.isEmpty == false { notes.add(.partNotHeld, "the realm") }
        for part in entry.appleParts { notes.add(.partNotHeld, part) }
    }

    // MARK: Names

    private static func name(_ text: String) -> String {
        KeePassEntry.isName(text)
            ? text : String(text.map { KeePassEntry.isName(String($0)) ? $0 : " " })
    }

    private mutating func unique(_ given: String) -> String {
        let base = given.isEmpty ? "field" : Self.name(given)
        var name = base
        if names.contains(name) || name.hasPrefix(KeePassEntryReader.addressName) {
            name = "\(base) (field)"
        }
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base) \(number)"
            number += 1
        }
        return name
    }
}

extension EntryFormat {
    /// Writes a database of version 4.
    static func writeKeePass(
        _ entries: EntryList,
        _ target: TargetFile
    ) throws(MovingError) -> WrittenEntries {
        guard let password = target.password, !password.isEmpty else { throw .emptyPassword }
        var notes = NoteList()
        var contents = KeePassContents { index in
            // What the format does not hold is known from the first time.
            var known = NoteList()
            return KeePassEntryWriter(entries[index], target.time, &known)?.written ?? .init()
        }
        for (index, entry) in entries.enumerated() {
            notes.begin(index + 1, entry.shownTitle)
            guard let writer = KeePassEntryWriter(entry, target.time, &notes) else { continue }
            contents.add(writer.written, index, in: writer.path)
        }
        var derivation = KeePassWriter.usual
        if target.isCheap { (derivation.memoryKiB, derivation.passes) = (64, 1) }
        let writer = KeePassWriter(
            key: KeePassKey(password: password, keyFile: target.keyFile),
            derivation: derivation,
            random: target.random
        )
        var written = WrittenEntries()
        do throws(KeePassError) {
            written.files = [try writer.write(contents, time: target.time)]
        } catch {
            throw .tooCostly
        }
        written.notes = notes.notes
        return written
    }
}
