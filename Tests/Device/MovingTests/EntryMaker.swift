import KSMoving
import KSTestSupport

/// Entries of every type with every part, which repeat from their seed.
struct EntryMaker {
    private var generator: SeededGenerator
    private var count = 0
    /// What makes readers and writers stumble.
    private static let texts = [
        "plain", "comma, \"quote\" and ; semicolon", "two\nlines", "carriage\r\nreturn",
        "  blanks  ",
        "=SUM(A1)", "ümläut 𝄞 \u{301}", "\\ \u{8}\u{1F}", "{\"json\":[1]}", "-",
    ]
    static let types = ["login", "note", "card", "identity", "ssh-key", "wifi", "password"]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    /// A text that no other has.
    mutating func text() -> String {
        count += 1
        return "\(pick(Self.texts)) \(count)"
    }

    private mutating func time() -> Int64 {
        Int64.random(in: 1_000_000_000_000..<1_900_000_000_000, using: &generator) / 1000 * 1000
    }

    mutating func entry() -> Entry {
        var entry = Entry()
        entry.type = pick(Self.types)
        count += 1
        entry.title = "Title \(count)"
        if chance(70) { entry.userName = text() }
        if chance(80) { entry.secret = Array(text().utf8) }
        if chance(50) { entry.note = text() }
        entry.isFavorite = chance(30)
        if entry.type == "login" { addAddresses(&entry) }
        for _ in 0..<pick([0, 0, 1, 2]) { entry.tags.append("tag \(pick([1, 2, 3, 4])) \(count)") }
        entry.tags = Array(Set(entry.tags)).sorted()
        if chance(40) {
            entry.fields.append(
                .init("one-time code", "otp", text: "otpauth://totp/?secret=JBSWY3DPEHPK3PXP")
            )
        }
        for _ in 0..<pick([0, 1, 3]) {
            let kind = pick(["text", "secret", "url", "date", "email"])
            entry.fields.append(.init("field \(count)", kind, text: text()))
        }
        if chance(20) { entry.fields.append(.init("file \(count).bin", "file", [0, 255, 10, 13])) }
        if chance(80) { (entry.created, entry.changed) = (time(), time()) }
        for _ in 0..<pick([0, 0, 1, 2]) {
            entry.history.append(.init(value: Array(text().utf8), time: time()))
        }
        entry.history.sort { ($0.time ?? 0) > ($1.time ?? 0) }
        return entry
    }

    private mutating func addAddresses(_ entry: inout Entry) {
        for _ in 0..<pick([1, 1, 2, 3]) {
            let match = pick(["domain", "domain", "host", "start", "exact", "never"])
            count += 1
            let path = pick(["", "/", "/login?a=1,b"])
            entry.addresses.append(.init("https://site\(count).example:8443\(path)", match))
        }
    }

    mutating func entries(_ count: Int) -> EntryList {
        var entries: EntryList = []
        for _ in 0..<count { entries.append(entry()) }
        return entries
    }
}
