internal import KSBytes
internal import KSImporting
internal import KSKeePass

/// Makes an entry of one of KeePass's, without its group and with its references as they are.
struct KeePassEntryReader {
    private(set) var entry = Entry()

    static let standardNames: Set = ["Title", "UserName", "Password", "URL", "Notes"]
    static let addressName = "KP2A_URL"
    static let expires = "expires"
    /// From the year 1 to 1970.
    static let secondsOfYear1: Int64 = 62_135_596_800

    init(_ source: KeePassEntry, _ notes: inout NoteList) {
        entry.title = Self.text(source, "Title", &notes)
        entry.userName = Self.text(source, "UserName", &notes)
        entry.note = Self.text(source, "Notes", &notes)
        if let password = source["Password"], !password.isEmpty { entry.secret = password }
        entry.addresses = Self.addresses(source)
        entry.fields = Self.fields(source, &notes)
        var bytesLeft = EntryFormat.entryBytesMax
        for attachment in source.attachments {
            if let bytes = attachment.bytes, bytes.count > bytesLeft {
                let rest = ", which is larger than an item may be"
                notes.add(.partNotHeld, "the attachment \(attachment.name)", rest)
            } else if let bytes = attachment.bytes {
                bytesLeft -= bytes.count
                entry.fields.append(.init(attachment.name, "file", bytes))
            } else {
                let rest = ", which the file does not contain"
                notes.add(.partNotHeld, "the attachment \(attachment.name)", rest)
            }
        }
        if source.expires {
            if let expiry = Self.time(source.expiry).flatMap(Self.expiry) {
                entry.fields.append(expiry)
            } else {
                notes.add(.wrongType, "the expiry")
            }
        }
        for part in source.others.sorted() { notes.add(.partNotHeld, part) }
        entry.tags = Self.tags(source.tags)
        entry.created = Self.time(source.created)
        entry.changed = Self.time(source.changed)
        makeNote()
        readHistory(source, &notes)
    }

    /// An entry that has a text alone is a note.
    private mutating func makeNote() {
        guard entry.userName.isEmpty, entry.secret == nil, entry.addresses.isEmpty,
            !entry.note.isEmpty, entry.fields.allSatisfy(\.isFile)
        else { return }
        (entry.type, entry.secret, entry.note) = ("note", Array(entry.note.utf8), "")
    }

    private static func text(
        _ source: KeePassEntry,
        _ name: String,
        _ notes: inout NoteList
    ) -> String {
        guard let value = source[name] else { return "" }
        if let text = String(validating: value, as: UTF8.self) { return text }
        notes.add(.otherForm, "its \(name)", "is no text everywhere")
        return String(decoding: value, as: UTF8.self)
    }

    private static func addresses(_ source: KeePassEntry) -> [Entry.Address] {
        let values = source.values.filter { $0.name == "URL" } + source.values.filter(isAddress)
        return values.map { String(decoding: $0.value, as: UTF8.self) }
            .filter { !$0.isEmpty }.map { Entry.Address($0) }
    }

    private static func isAddress(_ value: KeePassEntry.Value) -> Bool {
        value.name == addressName || value.name.hasPrefix(addressName + "_")
    }

    static func tags(_ text: String) -> [String] {
        var tags: [String] = []
        // Of a hostile list, the last tag is the rest.
        for part in text.split(maxSplits: 10_000, whereSeparator: { ";,".contains($0) }) {
            let start = part.drop(while: \.isWhitespace)
            let tag = String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
            if !tag.isEmpty { tags.append(tag) }
        }
        return tags.distinct
    }

    /// Milliseconds since 1970 of a time in either form; nil for any other text.
    static func time(_ text: String) -> Int64? {
        if let time = Timestamp.milliseconds(text) { return time }
        guard let bytes = Base64Text.decode(text), bytes.count == 8 else { return nil }
        let seconds = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Up to the year 9999.
        guard seconds < 315_537_897_600 else { return nil }
        return (Int64(seconds) - secondsOfYear1) * 1000
    }

    /// The field with the end of an entry: a date, or a text if it ends within a day.
    ///
    /// `time`: milliseconds since 1970.
    static func expiry(_ time: Int64) -> Entry.Field? {
        guard let text = Timestamp.text(time, withMilliseconds: false) else { return nil }
        return text.hasSuffix("T00:00:00Z")
            ? .init(expires, "date", text: String(text.prefix(10))) : .init(expires, text: text)
    }

    // MARK: Fields

    private static func fields(
        _ source: KeePassEntry,
        _ notes: inout NoteList
    ) -> [Entry.Field] {
        var fields: [Entry.Field] = []
        let code = KeePassCode(source)
        if let url = code.url { fields.append(.init(Bitwarden.oneTimeCode, "otp", text: url)) }
        for value in source.values {
            guard !standardNames.contains(value.name), !isAddress(value),
                code.url == nil || !code.names.contains(value.name)
            else { continue }
            guard !KeePassCode.isSeed(value.name) || value.value.isEmpty else {
                notes.add(.otherForm, "the \(value.name)", "is kept as text, which makes no codes")
                fields.append(.init(value.name, "secret", value.value))
                continue
            }
            let text = String(validating: value.value, as: UTF8.self)
            let isCode = text?.lowercased().hasPrefix("otpauth://") == true
            if let text, isCode || value.name == KeePassCode.name, !text.isEmpty {
                fields.append(OneTimeCodeText.field(value.name, text, &notes))
            } else {
                fields.append(
                    .init(value.name, value.isProtected ? "secret" : "text", value.value)
                )
            }
        }
        return fields
    }

    // MARK: History

    private static let plurals = [
        "address": "addresses", "expiry": "expiries", "list of tags": "lists of tags",
    ]

    private mutating func readHistory(_ source: KeePassEntry, _ notes: inout NoteList) {
        var lost: [String: Int] = [:]
        // What is wrong in an earlier version is in the present one, too.
        var ignored = NoteList()
        var versions = source.history.map { version in
            (version, Self.fields(version, &ignored), Self.time(version.changed))
        }
        versions.append((source, entry.fields.filter { !$0.isFile }, entry.changed))
        // When each value was set, by its name.
        var times: [String: Int64?] = [:]
        var earlier: [Entry.Earlier] = []
        for (older, newer) in zip(versions, versions.dropFirst()) {
            func isChanged(_ name: String) -> Bool {
                if times[name] == nil { times[name] = .some(older.2) }
                guard let value = older.0[name], !value.isEmpty else {
                    times[name] = .some(newer.2)
                    return false
                }
                return value != newer.0[name]
            }
            for (name, what) in [("Password", "password"), ("Title", "title"), ("Notes", "note")]
            where isChanged(name) {
                let isText = name == "Notes" && entry.type == "note"
                earlier.append(
                    .init(
                        isText ? "password" : what,
                        value: older.0[name] ?? [],
                        time: times[name] ?? nil
                    )
                )
                times[name] = .some(newer.2)
            }
            for (name, part) in [("UserName", "user name"), ("URL", "address")]
            where isChanged(name) { lost[part, default: 0] += 1 }
            let (old, new) = (older.0, newer.0)
            if old.expires, !new.expires || old.expiry != new.expiry {
                lost["expiry", default: 0] += 1
            }
            let tags = Set(Self.tags(old.tags))
            if !tags.isEmpty, tags != Set(Self.tags(new.tags)) {
                lost["list of tags", default: 0] += 1
            }
            let newerFields = Set(newer.1)
            for field in older.1 where !newerFields.contains(field) {
                earlier.append(
                    .init(
                        "field",
                        name: field.name,
                        kind: field.kind,
                        value: field.value,
                        time: older.2
                    )
                )
            }
            for attachment in older.0.attachments where !newer.0.attachments.contains(attachment) {
                lost["attachment", default: 0] += 1
            }
        }
        entry.history = earlier.reversed()
        for (part, count) in lost.sorted(by: { $0.key < $1.key }) {
            let parts = Self.plurals[part] ?? part + "s"
            notes.add(.partNotHeld, count == 1 ? "an earlier \(part)" : "\(count) earlier \(parts)")
        }
    }
}

/// The one-time code of an entry, in any of the forms that programs write.
private struct KeePassCode {
    /// KeePassXC's own value.
    static let name = "otp"
    private static let seed = "TOTP Seed"
    private static let settings = "TOTP Settings"
    private static let time = "TimeOtp-"
    /// Of codes that count instead (HOTP), which no item makes.
    private static let counting = "HmacOtp-"

    /// The code as items keep it; nil without one, or for one that does not work here.
    private(set) var url: String?
    /// The values of which it is made.
    private(set) var names: Set<String> = []

    /// Whether a value is the secret of codes, which not every program protects.
    static func isSeed(_ name: String) -> Bool {
        name == seed || [time, counting].contains { name.hasPrefix($0 + "Secret") }
    }

    init(_ source: KeePassEntry) {
        func text(_ name: String) -> String? {
            source[name].flatMap { String(validating: $0, as: UTF8.self) }
        }
        if let code = text(Self.name), let url = OneTimeCodeText.url(code) {
            (self.url, names) = (url, [Self.name])
        } else if let seed = text(Self.seed) {
            names = [Self.seed, Self.settings]
            url = OneTimeCodeText.url(Self.address(seed: seed, text(Self.settings) ?? ""))
        } else {
            readTimeOtp(text)
        }
    }

    /// Of the plug-in KeeTrayTOTP: `30;6`, and `30;S` for Steam.
    private static func address(seed: String, _ settings: String) -> String {
        let parts = settings.split(separator: ";", omittingEmptySubsequences: false)
        var url = "otpauth://totp/?secret=\(seed.filter { $0.isLetter || $0.isNumber })"
        if let period = parts.first, !period.isEmpty { url += "&period=\(period)" }
        if parts.count > 1 {
            url += parts[1] == "S" ? "&encoder=steam" : "&digits=\(parts[1])"
        }
        return url
    }

    /// Of KeePass 2.47 and later.
    private mutating func readTimeOtp(_ text: (String) -> String?) {
        let forms: [(String, (String) -> [UInt8]?)] = [
            ("Secret", { Array($0.utf8) }),
            ("Secret-Hex", { [UInt8](hexadecimal: $0.filter { !$0.isWhitespace }.utf8) }),
            ("Secret-Base64", { Base64Text.decode($0) }),
        ]
        var secret: String?
        if let given = text(Self.time + "Secret-Base32") {
            secret = given.filter { $0.isLetter || $0.isNumber }
        } else {
            for (form, bytes) in forms {
                guard let value = text(Self.time + form), let bytes = bytes(value) else { continue }
                secret = String(base32: bytes)
                break
            }
        }
        guard let secret, !secret.isEmpty else { return }
        var url = "otpauth://totp/?secret=\(secret)"
        if let digits = text(Self.time + "Length") { url += "&digits=\(digits)" }
        if let period = text(Self.time + "Period") { url += "&period=\(period)" }
        if let algorithm = text(Self.time + "Algorithm") { url += "&algorithm=\(algorithm)" }
        self.url = OneTimeCodeText.url(url)
        names = Set(
            ["Secret", "Secret-Hex", "Secret-Base32", "Secret-Base64", "Length", "Period"]
                .map { Self.time + $0 } + [Self.time + "Algorithm"]
        )
    }
}
