import KSMoving
import Testing

/// Databases that our writer makes, read back.
struct KeePassWritingTests {
    private static let time: Int64 = 1_795_842_602_000
    private static let password = Array("correct horse".utf8)

    private func written(_ entries: EntryList, _ target: TargetFile) throws -> WrittenEntries {
        let write = try #require(EntryFormat.named("kdbx")?.write)
        return try write(entries, target)
    }

    private func target(seed: UInt64) -> TargetFile {
        var target = TargetFile(
            time: Self.time,
            password: Self.password,
            random: SeededSource(seed: seed)
        )
        target.isCheap = true
        return target
    }

    /// Of every entry each part comes back, or is in the report.
    @Test(arguments: 1...20)
    func `a database gives back what it holds, and the rest is named`(seed: UInt64) throws {
        var maker = EntryMaker(seed: seed)
        let entries = maker.entries(60)
        let file = try written(entries, target(seed: seed))
        #expect(try written(entries, target(seed: seed)).files == file.files)
        #expect(try written(entries, target(seed: seed + 1)).files != file.files)
        let read = try EntryFormat.readFile(
            SourceFile(file.files[0], password: Self.password)
        )
        #expect(read.notes.isEmpty && read.remarks.isEmpty && read.count == entries.count)
        var (held, named) = (0, 0)
        for (index, before) in entries.enumerated() {
            let notes = file.notes.filter { $0.entry == index + 1 }
            // Groups change the order.
            let after = try #require(read.entries.first { $0.title == before.title })
            func compare<Part: Equatable>(_ one: Part, _ other: Part, _ name: String) {
                if one == other {
                    held += 1
                } else if notes.isEmpty {
                    Issue.record("\(name) of entry \(index + 1) is lost: \(one) \(other)")
                } else {
                    named += 1
                }
            }
            compare(before.userName, after.userName, "user name")
            compare(before.addresses, after.addresses, "addresses")
            compare(before.fields.sorted, after.fields.sorted, "fields")
            compare(before.tags, after.tags, "tags")
            compare(before.created ?? Self.time, after.created ?? 0, "creation")
            compare(before.changed ?? Self.time, after.changed ?? 0, "change")
            let isMerged = after.type == "note" && before.type != "note"
            compare(before.type, isMerged ? before.type : after.type, "type")
            compare(
                [before.secret ?? [], Array(before.note.utf8)].filter { !$0.isEmpty },
                [after.secret ?? [], Array(after.note.utf8)].filter { !$0.isEmpty },
                "secret and note"
            )
            compare(before.history.count, after.history.count, "history")
        }
        #expect(held > 400 && named > 20, "\(held) held, \(named) named")
    }

    @Test
    func `earlier values of all kinds come back in their order`() throws {
        var entry = Entry()
        (entry.title, entry.secret, entry.note) = ("t", Array("p3".utf8), "n2")
        entry.userName = "u\u{1}\r\n\u{FFFF}"
        entry.addresses = [.init("https://a.example")]
        entry.fields = [.init("pin", "secret", text: "2"), .init("otp", "text", text: "x")]
        entry.fields.append(.init("Title", "secret", text: "y"))
        (entry.created, entry.changed) = (1_000_000, 9_000_000)
        entry.history = [
            .init(value: Array("p2".utf8), time: 8_000_000),
            .init("field", name: "pin", kind: "secret", value: Array("1".utf8), time: 7_000_000),
            .init("title", value: Array("s".utf8), time: 6_000_000),
            .init("note", value: Array("n1".utf8), time: 5_000_000),
            .init(value: Array("p1".utf8), time: 4_000_000),
            .init("field", name: "gone", kind: "text", value: Array("g".utf8), time: 3_000_000),
        ]
        let file = try written([entry], target(seed: 1))
        // The user name is hidden, since XML has no such characters.
        #expect(file.notes.map(\.reason) == [.otherForm, .renamed, .renamed])
        let read = try EntryFormat.readFile(SourceFile(file.files[0], password: Self.password))
        let after = try #require(read.entries.first)
        #expect(after.userName == entry.userName && after.note == "n2" && after.title == "t")
        #expect(after.fields.map(\.name) == ["pin", "otp (field)", "Title (field)"])
        func texts(_ entry: Entry) -> [String] {
            entry.history.map {
                "\($0.what) \($0.name) \(String(decoding: $0.value, as: UTF8.self))"
            }
        }
        #expect(texts(after).sorted() == texts(entry).sorted(), "\(texts(after))")
        #expect(
            texts(after).filter { $0.hasPrefix("password") } == ["password  p2", "password  p1"]
        )
    }

    @Test
    func `a key file closes a database too, and no password is refused`() throws {
        var entry = Entry()
        (entry.title, entry.secret) = ("t", Array("p".utf8))
        var target = target(seed: 1)
        target.keyFile = Array("any file".utf8)
        let bytes = try written([entry], target).files[0]
        let both = SourceFile(bytes, password: Self.password, keyFile: target.keyFile)
        #expect(try EntryFormat.readFile(both).entries.count == 1)
        #expect(throws: MovingError.wrongPassword) {
            try EntryFormat.readFile(SourceFile(bytes, password: Self.password))
        }
        target.password = []
        let empty = target
        #expect(throws: MovingError.emptyPassword) { try written([entry], empty) }
    }

    /// A password is asked for only when the file does not open without.
    @Test
    func `a password is asked for once, and only where it is needed`() throws {
        var entry = Entry()
        entry.title = "t"
        let bytes = try written([entry], target(seed: 1)).files[0]
        var asked = 0
        let read = try EntryFormat.readFile(SourceFile(bytes), format: nil) {
            asked += 1
            return Self.password
        }
        #expect(read.count == 1 && asked == 1)
        #expect(throws: MovingError.wrongPassword) {
            try EntryFormat.readFile(SourceFile(bytes), format: nil) {
                asked += 1
                return [1]
            }
        }
        #expect(asked == 2)
        let given = SourceFile(bytes, password: [2])
        #expect(throws: MovingError.wrongPassword) {
            try EntryFormat.readFile(given, format: nil) { Self.password }
        }
    }

    @Test
    func `a database of KeePass 1 is refused before anybody types a password`() {
        let first: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A, 0x65, 0xFB, 0x4B, 0xB5]
        let file = SourceFile(first + [UInt8](repeating: 0, count: 200))
        #expect(throws: MovingError.firstKeePass) {
            try EntryFormat.readFile(file, format: nil) {
                Issue.record("asked")
                return [1]
            }
        }
    }

    @Test
    func `texts with control characters are named, since programs hide them`() throws {
        var entry = Entry()
        (entry.title, entry.userName, entry.note) = ("a\u{8}", "b", "c\u{1F}")
        entry.secret = Array("d\u{8}".utf8)
        let file = try written([entry], target(seed: 1))
        #expect(file.notes.map(\.part) == ["the title", "the note"] && !file.notes.hasLoss)
    }

    /// Seventy megabytes of zeros in less than one.
    @Test
    func `what grows beyond its bound is refused`() throws {
        var entry = Entry()
        (entry.title, entry.secret) = ("t", Array("p".utf8))
        entry.fields = [.init("zeros", "file", [UInt8](repeating: 0, count: 70 << 20))]
        let bytes = try written([entry], target(seed: 1)).files[0]
        #expect(bytes.count < 1 << 20)
        #expect(throws: MovingError.tooLarge) {
            try EntryFormat.readFile(SourceFile(bytes, password: Self.password))
        }
    }
}

extension [Entry.Field] {
    fileprivate var sorted: [Entry.Field] { sorted { $0.name < $1.name } }
}
