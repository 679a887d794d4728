import Foundation
import KSMoving
import Testing

/// What of an entry each format gives back, as docs/Moving.md says it.
///
/// Run with `WRITE_DOCS=1` in the environment, the test writes the table again.
struct SurvivalTests {
    /// A kind of data: an entry that has it, and the part of an entry that is about it.
    private struct Kind: Sendable {
        let name: String
        let entry: Entry
        let part: @Sendable (Entry) -> [String]
    }

    private static let time: Int64 = 1_795_842_602_000

    private static let kinds: [Kind] = {
        var kinds: [Kind] = []
        func add(
            _ name: String,
            _ set: (inout Entry) -> Void,
            _ part: @escaping @Sendable (Entry) -> [String]
        ) {
            var entry = Entry()
            let id = "kind\(kinds.count)"
            (entry.title, entry.userName, entry.secret) = (id, id, Array("pw \(id)".utf8))
            entry.addresses = [.init("https://\(id).example")]
            set(&entry)
            kinds.append(Kind(name: name, entry: entry, part: part))
        }
        @Sendable
        func fields(_ entry: Entry) -> [String] {
            entry.fields.map { "\($0.name) \($0.kind) \($0.text ?? "bytes")" }
        }
        @Sendable
        func all(_ entry: Entry) -> [String] {
            [entry.type, entry.secretText ?? "", entry.note] + fields(entry)
        }
        add("title", { _ in }, { [$0.title] })
        add("user name and password", { _ in }, { [$0.userName, $0.secretText ?? ""] })
        add("a login without a password", { $0.secret = nil }, { [$0.userName] })
        add("address", { _ in }, { [$0.addresses.first?.text.withoutSlash ?? ""] })
        add("path of an address", { $0.addresses[0].text += "/a/b" }) { [$0.addresses[0].text] }
        add("further addresses", { $0.addresses.append(.init("https://two.example/x")) }) {
            $0.addresses.map(\.text)
        }
        add("rule of an address", { $0.addresses[0].match = "exact" }) {
            $0.addresses.map(\.match)
        }
        add("no address at all", { $0.addresses = [] }, { [$0.userName, $0.secretText ?? ""] })
        add("note", { $0.note = "one\ntwo, \"three\"" }, { [$0.note] })
        let code = "otpauth://totp/?secret=NBSWY3DP"
        add("one-time code", { $0.fields = [.init("one-time code", "otp", text: code)] }, fields)
        add(
            "further one-time codes",
            { entry in
                let other = "otpauth://totp/?secret=MFRGGZDF"
                entry.fields = [
                    .init("one-time code", "otp", text: code), .init("other", "otp", text: other),
                ]
            },
            fields
        )
        add("text field", { $0.fields = [.init("branch", text: "North")] }, fields)
        add("hidden field", { $0.fields = [.init("pin", "secret", text: "17")] }, fields)
        add(
            "field of another kind",
            { $0.fields = [.init("since", "date", text: "2020-02-02")] },
            fields
        )
        add("attachment", { $0.fields = [.init("a.txt", "file", [0, 255])] }, fields)
        add("tag", { $0.tags = ["Work"] }, { $0.tags })
        add("further tags", { $0.tags = ["Work", "Old"] }, { $0.tags })
        add("favorite", { $0.isFavorite = true }, { ["\($0.isFavorite ?? false)"] })
        add("realm", { $0.realm = "Staff" }, { [$0.realm ?? "none"] })
        add("times", { ($0.created, $0.changed) = (1_500_000_000_000, 1_600_000_000_000) }) {
            ["\($0.created ?? 0) \($0.changed ?? 0)"]
        }
        add(
            "earlier passwords",
            { entry in
                entry.history = [.init(value: Array("old".utf8), time: 1_500_000_000_000)]
            },
            { $0.history.map { "\($0.what) \($0.value)" } }
        )
        add(
            "earlier titles and notes",
            { entry in
                entry.history = [.init("title", value: Array("old".utf8), time: 1_500_000_000_000)]
            },
            { $0.history.map { "\($0.what) \($0.value)" } }
        )
        func type(_ type: String, _ fields: [Entry.Field], secret: String? = nil) {
            add(
                "an entry of the type \(type)",
                { entry in
                    (entry.type, entry.fields, entry.addresses, entry.userName) = (
                        type, fields, [], ""
                    )
                    entry.secret = secret.map { Array($0.utf8) }
                },
                all
            )
        }
        type("note", [], secret: "the text")
        type(
            "card",
            [.init("number", "secret", text: "4111"), .init("expires", "month", text: "2027-05")]
        )
        type("identity", [.init("first name", text: "Ada")])
        let names = ["private key", "public key", "fingerprint"]
        type(
            "ssh-key",
            names.map { .init($0, $0.hasPrefix("private") ? "secret" : "text", text: "k\n") }
        )
        type("wifi", [], secret: "radio")
        add(
            "path, kind or service of keychain's own",
            { entry in
                entry.itemClass = "genp"
                entry.place = "a service"
                entry.addresses = []
            },
            { [$0.place] }
        )
        return kinds
    }()

    /// One word for what happens to a kind of data.
    private func outcome(
        _ kind: Kind,
        _ number: Int,
        _ written: WrittenEntries,
        _ read: [Entry],
        format: String
    ) -> String {
        let notes = written.notes.filter { $0.entry == number }
        if notes.contains(where: \.reason.isOfEntry) { return "left out" }
        let id = kind.entry.title
        let found = read.first { entry in
            entry.title == id || entry.userName == id
                || entry.addresses.contains { $0.text.contains("//\(id).") }
        }
        guard let found else {
            Issue.record("\(kind.name) is gone from \(format) without a word")
            return "gone"
        }
        if kind.part(found) == kind.part(kind.entry) { return "whole" }
        if notes.contains(where: { !$0.reason.isLoss }) { return "changed" }
        if !notes.isEmpty { return "named" }
        if !written.unheld.isEmpty { return "never" }
        Issue.record("\(kind.name) changes in \(format) without a word: \(kind.part(found))")
        return "changed silently"
    }

    private func column(_ format: EntryFormat) throws -> [String] {
        let write = try #require(format.write)
        let password = format.isEncrypted ? Array("a password".utf8) : nil
        let entries = EntryList(Self.kinds.map(\.entry))
        let written = try write(entries, TargetFile(time: Self.time, password: password))
        let read = try written.files.flatMap { file in
            let source = SourceFile(file, password: password)
            return try EntryFormat.readFile(source).entries
        }
        return Self.kinds.enumerated().map { index, kind in
            outcome(kind, index + 1, written, read, format: format.name)
        }
    }

    /// The table, in Markdown.
    private func table() throws -> String {
        let formats = EntryFormat.all.filter { $0.write != nil }
        let columns = try formats.map(column)
        var lines = ["| | " + formats.map(\.name).joined(separator: " | ") + " |"]
        lines.append("|" + String(repeating: "---|", count: formats.count + 1))
        for (index, kind) in Self.kinds.enumerated() {
            let cells = columns.map { $0[index] }
            lines.append("| \(kind.name) | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    @Test
    func `the page says of each kind of data and each format what survives`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "docs/Moving.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let marks = ["<!-- survival, by SurvivalTests -->\n\n", "\n\n<!-- end -->"]
        let start = try #require(page.range(of: marks[0])).upperBound
        let end = try #require(page.range(of: marks[1], range: start..<page.endIndex)).lowerBound
        let table = try table()
        if ProcessInfo.processInfo.environment["WRITE_DOCS"] != nil {
            let whole = page[..<start] + table + page[end...]
            try String(whole).write(to: path, atomically: true, encoding: .utf8)
        } else {
            #expect(page[start..<end] == table[...], "run this test with WRITE_DOCS=1")
        }
    }
}

extension String {
    /// Without the sign that Chromium's addresses end with.
    fileprivate var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
