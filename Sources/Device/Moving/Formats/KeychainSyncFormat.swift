internal import KSBytes
internal import KSImporting

// Our own file: one JSON object with everything, which reads back as it was.
//
// docs/Moving.md describes it. Members that are empty are left out.

extension EntryFormat {
    private static let formatName = "keychain-sync"
    private static let version: Int64 = 1

    static let keychainSync = EntryFormat(
        name: formatName,
        isFormat: { $0.outline?.members["format"]?.string == formatName },
        read: { file throws(MovingError) in try readOwn(file.bytes) },
        write: { entries, target in writeOwn(entries, target.time) }
    )

    private static func writeOwn(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var writer = JSONWriter()
        writer.write("{\"format\":\"\(formatName)\",\n \"version\":\(version),\n \"exported\":")
        writer.write(.time(time))
        writer.write(",\n \"items\":")
        writer.writeLines(entries.lazy.map(value(of:)))
        writer.write("\n}\n")
        var written = WrittenEntries()
        written.files = [writer.bytes]
        return written
    }

    // MARK: Writing

    private static func value(of entry: Entry) -> JSONWriter.Value {
        var members: [(String, JSONWriter.Value)] = [("type", .text(entry.type))]
        func add(_ name: String, _ text: String) {
            if !text.isEmpty { members.append((name, .text(text))) }
        }
        func add(_ name: String, _ values: [JSONWriter.Value]) {
            if !values.isEmpty { members.append((name, .list(values))) }
        }
        add("title", entry.title)
        add("place", entry.place)
        if let realm = entry.realm { members.append(("realm", .text(realm))) }
        add("userName", entry.userName)
        if let secret = entry.secret { members.append(bytes("password", secret)) }
        add("note", entry.note)
        if let isFavorite = entry.isFavorite { members.append(("favorite", .bool(isFavorite))) }
        add("tags", entry.tags.map { .text($0) })
        add(
            "addresses",
            entry.addresses.map { .object([("url", .text($0.text)), ("match", .text($0.match))]) }
        )
        add(
            "fields",
            entry.fields.map { field in
                .object([
                    ("name", .text(field.name)), ("kind", .text(field.kind)),
                    bytes("value", field.value),
                ])
            }
        )
        if entry.created != nil { members.append(("created", .time(entry.created))) }
        if entry.changed != nil { members.append(("changed", .time(entry.changed))) }
        add("history", entry.history.map(value(of:)))
        if let isSynced = entry.isSynced { members.append(("synced", .bool(isSynced))) }
        add("class", entry.itemClass ?? "")
        add("attributes", entry.attributes.map(value(of:)))
        return .object(members)
    }

    private static func value(of earlier: Entry.Earlier) -> JSONWriter.Value {
        var members: [(String, JSONWriter.Value)] = [("what", .text(earlier.what))]
        if earlier.what == "field" {
            members += [("name", .text(earlier.name)), ("kind", .text(earlier.kind))]
        }
        members.append(bytes("value", earlier.value))
        if earlier.time != nil { members.append(("time", .time(earlier.time))) }
        return .object(members)
    }

    private static func value(of attribute: Entry.Attribute) -> JSONWriter.Value {
        var members: [(String, JSONWriter.Value)] = [("name", .text(attribute.name))]
        if let text = attribute.text { members.append(("text", .text(text))) }
        if let data = attribute.data { members.append(("base64", .plain(Base64Text.encode(data)))) }
        if let integer = attribute.integer { members.append(("integer", .number(integer))) }
        if let date = attribute.date { members.append(("date", .text(date))) }
        return .object(members)
    }

    /// Text as it is; other bytes as Base64 under another name.
    private static func bytes(_ name: String, _ bytes: [UInt8]) -> (String, JSONWriter.Value) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return (name + "Base64", .plain(Base64Text.encode(bytes)))
        }
        return (name, .text(text))
    }

    // MARK: Reading

    private static func readOwn(_ bytes: [UInt8]) throws(MovingError) -> ReadEntries {
        let outline = try JSONOutline(bytes)
        guard let written = outline.members["version"]?.integer else {
            throw .wrongShape(format: formatName, member: "version")
        }
        guard written <= version else { throw .newerVersion }
        var result = ReadEntries(format: formatName, of: bytes)
        var notes = NoteList()
        var scanner = JSONScanner(bytes)
        var hasItems = false
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "items" else { return try scanner.skip() }
            guard scanner.peek() == UInt8(ascii: "[") else {
                throw .wrongShape(format: formatName, member: name)
            }
            hasItems = true
            try scanner.list { scanner throws(MovingError) in
                result.count += 1
                guard result.count <= entriesMax else { throw .tooManyEntries(max: entriesMax) }
                guard let tree = try scanner.entry(result.count, &notes) else { return }
                notes.begin(result.count, tree["title"].string ?? "")
                guard let members = tree.members else { return notes.add(.noEntry) }
                try result.append(ofFile: entry(members, &notes), number: result.count)
            }
        }
        guard hasItems else { throw .wrongShape(format: formatName, member: "items") }
        result.notes = notes.notes
        return result
    }

    private static func entry(_ members: [JSONTree.Member], _ notes: inout NoteList) -> Entry {
        var entry = Entry()
        for member in members where !member.value.isNull {
            let isTaken = take(member, into: &entry, &notes)
            if isTaken == nil {
                notes.add(.unknownMember, "\"\(member.name)\"")
            } else if isTaken == false {
                notes.add(.wrongType, "\"\(member.name)\"")
            }
        }
        return entry
    }

    /// - Returns: false for a value of another type; nil for a name that is not known.
    private static func take(
        _ member: JSONTree.Member,
        into entry: inout Entry,
        _ notes: inout NoteList
    ) -> Bool? {
        let value = member.value
        func set(_ path: WritableKeyPath<Entry, String>) -> Bool {
            guard let text = value.string else { return false }
            entry[keyPath: path] = text
            return true
        }
        func set<Part>(_ path: WritableKeyPath<Entry, Part?>, _ part: Part?) -> Bool {
            guard let part else { return false }
            entry[keyPath: path] = part
            return true
        }
        func time(_ path: WritableKeyPath<Entry, Int64?>) -> Bool {
            set(path, value.string.flatMap(Timestamp.milliseconds))
        }
        func list<Part>(
            _ path: WritableKeyPath<Entry, [Part]>,
            _ read: (JSONTree) -> Part?
        ) -> Bool {
            guard let elements = value.elements else { return false }
            let parts = elements.compactMap(read)
            entry[keyPath: path] = parts
            return parts.count == elements.count
        }
        switch member.name {
        case "type": return set(\.type)
        case "title": return set(\.title)
        case "place": return set(\.place)
        case "realm": return set(\.realm, value.string)
        case "userName": return set(\.userName)
        case "password": return set(\.secret, value.string.map { Array($0.utf8) })
        case "passwordBase64": return set(\.secret, value.string.flatMap(Base64Text.decode))
        case "note": return set(\.note)
        case "favorite": return set(\.isFavorite, value.bool)
        case "tags": return list(\.tags) { $0.string }
        case "addresses": return list(\.addresses) { address($0, &notes) }
        case "fields": return list(\.fields, field)
        case "created": return time(\.created)
        case "changed": return time(\.changed)
        case "history": return list(\.history, earlier)
        case "synced": return set(\.isSynced, value.bool)
        case "class": return set(\.itemClass, value.string)
        case "attributes": return list(\.attributes, attribute)
        default: return nil
        }
    }

    private static func address(_ tree: JSONTree, _ notes: inout NoteList) -> Entry.Address? {
        guard let text = tree["url"].string else { return nil }
        if let match = tree["match"].string { return .init(text, match) }
        guard !tree["match"].isNull else { return .init(text) }
        notes.add(.wrongType, "the rule of the address \(text)")
        return .init(text, "exact")
    }

    private static func field(_ tree: JSONTree) -> Entry.Field? {
        guard let name = tree["name"].string, let value = bytes(tree) else { return nil }
        return .init(name, tree["kind"].string ?? "text", value)
    }

    private static func earlier(_ tree: JSONTree) -> Entry.Earlier? {
        guard let what = tree["what"].string, let value = bytes(tree),
            ["password", "title", "note", "field"].contains(what)
        else { return nil }
        return .init(
            what,
            name: tree["name"].string ?? "",
            kind: tree["kind"].string ?? "",
            value: value,
            time: tree["time"].string.flatMap(Timestamp.milliseconds)
        )
    }

    private static func attribute(_ tree: JSONTree) -> Entry.Attribute? {
        guard let name = tree["name"].string else { return nil }
        var attribute = Entry.Attribute(name)
        attribute.text = tree["text"].string
        attribute.data = tree["base64"].string.flatMap(Base64Text.decode)
        attribute.integer = tree["integer"].integer
        attribute.date = tree["date"].string
        let values: [Any?] = [
            attribute.text, attribute.data, attribute.integer, attribute.date,
        ]
        return values.count { $0 != nil } == 1 ? attribute : nil
    }

    private static func bytes(_ tree: JSONTree) -> [UInt8]? {
        tree["valueBase64"].string.map(Base64Text.decode)
            ?? tree["value"].string.map {
                Array($0.utf8)
            }
    }
}
