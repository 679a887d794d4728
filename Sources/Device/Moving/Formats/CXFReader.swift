internal import KSImporting

// Reads FIDO's Credential Exchange Format.

enum CXFReader {
    static func read(_ bytes: [UInt8]) throws(MovingError) -> ReadEntries {
        try checkVersion(bytes)
        var result = ReadEntries(format: CXF.name, of: bytes)
        var notes = NoteList()
        let tags = try tags(bytes)
        let entriesMax = EntryFormat.entriesMax
        var hasItems = false
        try eachAccount(bytes) { name, scanner throws(MovingError) in
            guard name == "items", scanner.peek() == UInt8(ascii: "[") else {
                return try scanner.skip()
            }
            hasItems = true
            try scanner.list { scanner throws(MovingError) in
                result.count += 1
                guard result.count <= entriesMax else { throw .tooManyEntries(max: entriesMax) }
                guard let tree = try scanner.entry(result.count, &notes) else { return }
                notes.begin(result.count, tree["title"].string ?? "")
                guard tree.members != nil else { return notes.add(.noEntry) }
                var item = CXFItem(tree, tags: tags[tree["id"].string ?? ""] ?? [])
                item.read(&notes)
                for entry in [item.entry] + item.passkeys {
                    try result.append(ofFile: entry, number: result.count)
                }
            }
        }
        guard hasItems else { throw .wrongShape(format: CXF.name, member: "accounts") }
        result.notes = notes.notes
        return result
    }

    private static func checkVersion(_ bytes: [UInt8]) throws(MovingError) {
        var version = JSONTree.null
        var scanner = JSONScanner(bytes)
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "version" else { return try scanner.skip() }
            version = try scanner.tree()
        }
        try scanner.end()
        guard let major = version["major"].integer else {
            throw .wrongShape(format: CXF.name, member: "version")
        }
        guard major <= CXF.major else { throw .newerVersion }
    }

    private static func eachAccount(
        _ bytes: [UInt8],
        _ body: (String, inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        var scanner = JSONScanner(bytes)
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "accounts" else { return try scanner.skip() }
            guard scanner.peek() == UInt8(ascii: "[") else {
                throw .wrongShape(format: CXF.name, member: name)
            }
            try scanner.list { scanner throws(MovingError) in
                guard scanner.peek() == UInt8(ascii: "{") else {
                    throw .wrongShape(format: CXF.name, member: "accounts")
                }
                try scanner.object(body)
            }
        }
    }

    /// The names of the collections that each item is in.
    private static func tags(_ bytes: [UInt8]) throws(MovingError) -> [String: [String]] {
        var tags: [String: [String]] = [:]
        try eachAccount(bytes) { name, scanner throws(MovingError) in
            guard name == "collections", scanner.peek() == UInt8(ascii: "[") else {
                return try scanner.skip()
            }
            try scanner.list { scanner throws(MovingError) in
                add(try scanner.tree(), within: "", to: &tags)
            }
        }
        return tags
    }

    /// Goes no deeper than the scanner does.
    private static func add(
        _ collection: JSONTree,
        within path: String,
        to tags: inout [String: [String]]
    ) {
        let name = path + (collection["title"].string ?? "")
        for link in collection["items"].elements ?? [] {
            guard let item = link["item"].string ?? link.string else { continue }
            if tags[item]?.contains(name) != true { tags[item, default: []].append(name) }
        }
        for part in collection["subCollections"].elements ?? [] {
            add(part, within: name + "/", to: &tags)
        }
    }
}

/// One item, while it is read.
private struct CXFItem {
    private let tree: JSONTree
    private(set) var entry = Entry()
    /// Passkeys of an item that is more than a passkey.
    private(set) var passkeys: [Entry] = []
    /// The type of the credential that says what the entry is.
    private var leading = ""

    private static let knownMembers: Set = [
        "id", "creationAt", "modifiedAt", "title", "subtitle", "favorite", "scope", "credentials",
        "tags", "extensions",
    ]

    init(_ tree: JSONTree, tags: [String]) {
        self.tree = tree
        entry.tags = tags.filter { !$0.isEmpty }
    }

    mutating func read(_ notes: inout NoteList) {
        entry.title = tree["title"].string ?? ""
        if !tree["favorite"].isNull { entry.isFavorite = tree["favorite"].bool ?? false }
        // Whole seconds.
        entry.created = time("creationAt", &notes)
        entry.changed = time("modifiedAt", &notes)
        for tag in (tree["tags"].elements ?? []).compactMap(\.string)
        where !tag.isEmpty { entry.tags.append(tag) }
        entry.tags = entry.tags.distinct
        readScope(&notes)
        let credentials = tree["credentials"].elements ?? []
        let types = Set(credentials.compactMap { $0["type"].string })
        leading = CXF.order.first { types.contains($0) } ?? ""
        // A note may have a code too.
        if leading == "totp", credentials.first?["type"].string == "note" { leading = "note" }
        entry.type = CXF.entryTypes[leading] ?? "note"
        for credential in credentials { read(credential, &notes) }
        if let subtitle = tree["subtitle"].string, !subtitle.isEmpty {
            entry.fields.append(.init(CXF.subtitle, text: subtitle))
        }
        if !tree["extensions"].isEmpty { notes.add(.unknownMember, "\"extensions\"") }
        for member in tree.members ?? []
        where !Self.knownMembers.contains(member.name) && !member.value.isEmpty {
            notes.add(.unknownMember, "\"\(member.name)\"")
        }
    }

    private func time(_ name: String, _ notes: inout NoteList) -> Int64? {
        guard !tree[name].isNull else { return nil }
        guard let seconds = tree[name].integer, abs(seconds) < 1 << 40 else {
            notes.add(.wrongType, "\"\(name)\"")
            return nil
        }
        return seconds * 1000
    }

    private mutating func readScope(_ notes: inout NoteList) {
        let scope = tree["scope"]
        for url in scope["urls"].elements ?? [] {
            guard let text = url.string, !text.isEmpty else { continue }
            entry.addresses.append(.init(text))
        }
        entry.addresses = entry.addresses.distinct
        for app in scope["androidApps"].elements ?? [] {
            guard let bundle = app["bundleId"].string else {
                notes.add(.wrongType, "an Android app")
                continue
            }
            let certificate = app["certificate"]
            // Chrome's addresses of apps have such a fingerprint.
            if certificate["hashAlg"].string == "sha512",
                let fingerprint = certificate["fingerprint"].string
            {
                entry.addresses.append(.init("android://\(fingerprint)@\(bundle)/"))
            } else {
                entry.addresses.append(.init("androidapp://\(bundle)"))
                if !certificate.isEmpty {
                    notes.add(.partNotHeld, "the certificate of the app \(bundle)")
                }
            }
        }
    }

    // MARK: Credentials

    private mutating func read(_ credential: JSONTree, _ notes: inout NoteList) {
        guard let type = credential["type"].string else {
            return notes.add(.wrongType, "a credential")
        }
        if let members = CXF.members[type] {
            return readMembers(credential, type, members, besides: [], &notes)
        }
        switch type {
        case "basic-auth":
            readMembers(credential, type, [], besides: ["username", "password"], &notes)
            setUserName(value(credential["username"], "the user name", &notes))
            setSecret(value(credential["password"], "the password", &notes), type, "password")
        case "api-key":
            readMembers(credential, type, CXF.apiKey, besides: ["username", "key"], &notes)
            setUserName(value(credential["username"], "the user name", &notes))
            setSecret(value(credential["key"], "the key", &notes), type, "API key")
        case "wifi":
            readMembers(credential, type, CXF.wifi, besides: ["passphrase"], &notes)
            let passphrase = value(credential["passphrase"], "the passphrase", &notes)
            setSecret(passphrase, type, "Wi-Fi password")
        case "generated-password":
            readMembers(credential, type, [], besides: ["password"], &notes)
            setSecret(credential["password"].string ?? "", type, "generated password")
        case "note":
            readMembers(credential, type, [], besides: ["content"], &notes)
            addNote(value(credential["content"], "the note", &notes))
        case "ssh-key": readKey(credential, &notes)
        case "totp": readCode(credential, &notes)
        case "passkey": readPasskey(credential, &notes)
        case "custom-fields": readFields(credential, &notes)
        case "file":
            let name = credential["name"].string ?? ""
            notes.add(.partNotHeld, "the attachment \(name), which is not in the file")
        case "item-reference": notes.add(.partNotHeld, "a reference to another entry")
        default:
            entry.fields.append(
                .init(CXF.otherPrefix + type, "secret", text: JSONWriter.Value(credential).text)
            )
            notes.add(.otherForm, "the credential \(type)", "is kept as hidden JSON")
        }
    }

    private mutating func setUserName(_ name: String) {
        guard !name.isEmpty, name != entry.userName else { return }
        if entry.userName.isEmpty {
            entry.userName = name
        } else {
            entry.fields.append(.init("further user name", text: name))
        }
    }

    private mutating func setSecret(_ secret: String, _ type: String, _ name: String) {
        guard !secret.isEmpty else { return }
        if type == leading, entry.secret == nil {
            entry.secret = Array(secret.utf8)
        } else {
            let name = type == leading ? "further \(name)" : name
            entry.fields.append(.init(name, "secret", text: secret))
        }
    }

    private mutating func addNote(_ text: String) {
        if entry.type == "note", entry.secret == nil {
            entry.secret = Array(text.utf8)
        } else if !text.isEmpty {
            entry.note += entry.note.isEmpty ? text : "\n\n" + text
        }
    }

    /// The value of an editable field, which some programs write as a plain text.
    private func value(_ tree: JSONTree, _ part: String, _ notes: inout NoteList) -> String {
        if let text = tree.string { return text }
        guard let members = tree.members else {
            if !tree.isEmpty { notes.add(.wrongType, part) }
            return ""
        }
        if let label = tree["label"].string, !label.isEmpty {
            notes.add(.otherForm, part, "is called \(label) there")
        }
        for member in members where !member.value.isEmpty {
            guard !["id", "fieldType", "value", "label"].contains(member.name) else { continue }
            notes.add(.unknownMember, "\"\(member.name)\" of \(part)")
        }
        if let text = tree["value"].string { return text }
        if !tree["value"].isEmpty { notes.add(.wrongType, part) }
        return ""
    }

    private mutating func readMembers(
        _ credential: JSONTree,
        _ type: String,
        _ known: [CXF.Member],
        besides others: Set<String>,
        _ notes: inout NoteList
    ) {
        for member in credential.members ?? [] {
            guard !member.value.isEmpty, member.name != "type", !others.contains(member.name)
            else { continue }
            guard let described = known.first(where: { $0.name == member.name }) else {
                notes.add(.unknownMember, "\"\(member.name)\" of the credential \(type)")
                continue
            }
            let text = value(member.value, "the field \(described.field)", &notes)
            guard !text.isEmpty else { continue }
            guard member.name == "streetAddress" else {
                entry.fields.append(.init(described.field, described.kind, text: text))
                continue
            }
            let lines = text.split(
                separator: "\n",
                maxSplits: CXF.streetLines - 1,
                omittingEmptySubsequences: false
            )
            for (index, line) in lines.enumerated() where !line.isEmpty {
                entry.fields.append(.init(CXF.street(index), text: String(line)))
            }
        }
    }

    private mutating func readFields(_ credential: JSONTree, _ notes: inout NoteList) {
        readMembers(credential, "custom-fields", [], besides: ["id", "label", "fields"], &notes)
        let section = credential["label"].string ?? ""
        for (index, tree) in (credential["fields"].elements ?? []).enumerated() {
            var name = tree["label"].string ?? ""
            if name.isEmpty { name = "field \(index + 1)" }
            if !section.isEmpty { name = "\(section): \(name)" }
            guard let text = tree["value"].string else {
                notes.add(.wrongType, "the field \(name)")
                continue
            }
            if !tree["extensions"].isEmpty {
                notes.add(.unknownMember, "\"extensions\" of the field \(name)")
            }
            if text.lowercased().hasPrefix("otpauth://") {
                entry.fields.append(OneTimeCodeText.field(name, text, &notes))
            } else {
                let kind = CXF.kinds[tree["fieldType"].string ?? ""] ?? "text"
                entry.fields.append(.init(name, kind, text: text))
            }
        }
    }

    private mutating func readKey(_ credential: JSONTree, _ notes: inout NoteList) {
        if let text = credential["privateKey"].string {
            if let der = Base64URLText.decode(text) {
                entry.fields.append(
                    .init(CXF.privateKey, "secret", text: PrivateKeyText.pem(der))
                )
                if credential["keyType"].string == "ssh-ed25519" {
                    notes.add(
                        .otherForm,
                        "the private key",
                        "is in PKCS#8, which OpenSSH does not read for Ed25519"
                    )
                }
            } else {
                entry.fields.append(.init(CXF.privateKey, "secret", text: text))
                notes.add(.otherForm, "the private key", "is no Base64, and is kept as it is")
            }
        }
        readMembers(credential, "ssh-key", CXF.sshKey, besides: ["privateKey"], &notes)
    }

    private mutating func readCode(_ credential: JSONTree, _ notes: inout NoteList) {
        readMembers(
            credential,
            "totp",
            [],
            besides: ["secret", "period", "digits", "algorithm", "username", "issuer"],
            &notes
        )
        let (user, issuer) = (credential["username"].string, credential["issuer"].string)
        let label = [issuer, user].compactMap { $0.map(PercentText.encode) }
        var url = "otpauth://totp/\(label.joined(separator: ":"))?secret="
        url += PercentText.encode(credential["secret"].string ?? "")
        if let issuer { url += "&issuer=\(PercentText.encode(issuer))" }
        if let algorithm = credential["algorithm"].string {
            url += "&algorithm=\(PercentText.encode(algorithm.uppercased()))"
        }
        if let digits = credential["digits"].integer { url += "&digits=\(digits)" }
        if let period = credential["period"].integer { url += "&period=\(period)" }
        let count = entry.oneTimeCodes.count
        let name = count == 0 ? CXF.oneTimeCode : "\(CXF.oneTimeCode) \(count + 1)"
        entry.fields.append(OneTimeCodeText.field(name, url, &notes))
    }

    /// A passkey is kept whole, though nothing signs with it here.
    private mutating func readPasskey(_ credential: JSONTree, _ notes: inout NoteList) {
        let (userName, fields) = Passkey.parts(credential, besides: ["type"])
        let isOwn =
            leading == "passkey" && entry.userName.isEmpty
            && !entry.fields.contains { $0.name == "credential id" }
        guard !isOwn else {
            entry.userName = userName
            entry.fields += fields
            return
        }
        let passkey = Passkey.entry(beside: entry, userName, fields)
        passkeys.append(passkey)
        notes.add(.otherForm, "the passkey", "becomes an item of its own")
    }
}
