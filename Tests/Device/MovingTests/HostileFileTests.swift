import KSDigests
import KSMoving
import KSTestSupport
import Testing

/// Files that are broken, or made to do harm.
struct HostileFileTests {
    private func read(_ bytes: [UInt8]) -> Result<ReadEntries, MovingError> {
        Result { () throws(MovingError) in try EntryFormat.readFile(SourceFile(bytes)) }
    }

    /// Wherever a file is cut or changed, it is read or has one sentence.
    @Test(arguments: 1...10)
    func `a cut or changed file ends with a sentence`(seed: UInt64) throws {
        var maker = EntryMaker(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let entries = maker.entries(5)
        var faults = 0
        for name in ["keychain-sync", "bitwarden"] {
            let write = try #require(EntryFormat.named(name)?.write)
            let file = try write(entries, TargetFile(time: 0)).files[0]
            for _ in 0..<200 {
                var bytes = file
                let index = Int.random(in: 1..<bytes.count, using: &generator)
                if Bool.random(using: &generator) {
                    bytes.removeLast(bytes.count - index)
                } else {
                    bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
                }
                switch read(bytes) {
                case .success(let read): #expect(read.count <= entries.count)
                case .failure(let error):
                    faults += 1
                    #expect(error.sentence.hasSuffix("."))
                }
            }
        }
        #expect(faults > 100)
    }

    @Test
    func `deep nesting, many values and a huge cell end soon`() throws {
        let deep = Array(
            (#"{"encrypted":false,"items":"# + String(repeating: "[", count: 100_000)).utf8
        )
        #expect(throws: MovingError.tooDeep(max: 32)) {
            try EntryFormat.readFile(SourceFile(deep))
        }
        let numbers = String(repeating: "0,", count: 60_000) + "0"
        let wide = Array(#"{"encrypted":false,"items":[{"type":[\#(numbers)]}]}"#.utf8)
        #expect(throws: MovingError.entryTooLarge(number: 1)) {
            try EntryFormat.readFile(SourceFile(wide))
        }
        let empty = String(repeating: "{},", count: 100_000) + "{}"
        let many = Array(#"{"encrypted":false,"items":[\#(empty)]}"#.utf8)
        #expect(throws: MovingError.tooManyEntries(max: 100_000)) {
            try EntryFormat.readFile(SourceFile(many))
        }
        let cell = String(repeating: "a", count: 4 << 20)
        let huge = Array(
            #"{"encrypted":false,"items":[{"type":1,"name":"n","login":{"password":"\#(cell)"}}]}"#
                .utf8
        )
        let read = try EntryFormat.readFile(SourceFile(huge))
        #expect(read.entries.first?.secret?.count == 4 << 20)
    }

    private func fault(_ text: String) -> MovingError? {
        if case .failure(let error) = read(Array(text.utf8)) { error } else { nil }
    }

    /// Reading takes several times the size of an entry in memory.
    @Test
    func `an entry of more than eight mebibytes is left out, alone`() throws {
        let long = String(repeating: "a", count: 8 << 20)
        for (start, entry, end) in [
            (#"{"encrypted":false,"items":["#, #"{"type":1,"name":"A"}"#, "]}"),
            (#"{"format":"keychain-sync","version":1,"items":["#, #"{"title":"A"}"#, "]}"),
            (
                #"{"version":{"major":1,"minor":0},"exporterRpId":"a","accounts":[{"items":["#,
                #"{"title":"A","credentials":[]}"#, "]}]}"
            ),
        ] {
            let large = #"{"type":1,"title":"\n\#(long)"}"#
            let file = "\(start)\(large),\(entry)\(end)"
            let result = try read(Array(file.utf8)).get()
            #expect(result.entries.map(\.title) == ["A"], "\(start)")
            #expect(result.notes.map(\.reason) == [.tooLarge], "\(start)")
        }
        for quote in ["", "\""] {
            let rows = "n,https://a.example,u,p,\(quote)\(long)\(quote)\nm,https://b.example,u,p,\n"
            let table = try read(Array("name,url,username,password,note\n\(rows)".utf8)).get()
            #expect(table.entries.map(\.title) == ["m"])
            #expect(
                table.notes.map { $0.sentence(of: table.unit) } == [
                    "Row 2: left out: it is longer than any program writes."
                ]
            )
        }
    }

    @Test
    func `a file larger than any of its format ends with a sentence`() {
        let long = String(repeating: "a", count: 8 << 20)
        #expect(
            fault("https://ann:p@h.example\n" + long)
                == .fileTooLarge(format: "git-credentials", max: 8 << 20)
        )
        #expect(
            fault("machine a login b password " + long)
                == .fileTooLarge(format: "netrc", max: 8 << 20)
        )
        #expect(fault(Self.keePass("<Entry><UUID>\(long)a")) == .tooLarge)
    }

    private static func keePass(_ contents: String) -> String {
        "<KeePassFile><Root><Group>\(contents)</Group></Root></KeePassFile>"
    }

    /// Short parts without number, each of which takes a note or a place in a list.
    @Test
    func `parts without number end with a sentence`() throws {
        func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        #expect(
            fault("machine a login b password c " + many("x ", 200_100))
                == .tooManyNotes(max: 200_000)
        )
        let git = "https://ann:p@h.example" + many("\n", 4 << 20)
        #expect(try read(Array(git.utf8)).get().entries.count == 1)
        let passwords = (0...101).map { "machine a login b password \($0)\n" }.joined()
        #expect(fault(passwords) == .entryTooLarge(number: 1))
        #expect(
            fault("name,url,username,password,note" + many(",a", 20_000)) == .unknownLayout
        )
        let members = (0..<10_001).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(fault("{\"a\":{\(members)}}") == .valueTooLarge(line: 1))
        let unknown = (0..<5000).map { "\"\($0)\":0" }.joined(separator: ",")
        let items = many("{\"type\":1,\(unknown)},", 42) + "{}"
        #expect(
            fault("{\"encrypted\":false,\"items\":[\(items)]}") == .tooManyNotes(max: 200_000)
        )
        let values = "<Entry>" + many("<String/>", 30_000) + "</Entry>"
        #expect(fault(Self.keePass(values)) == .tooLarge)
    }

    /// A few bytes of the file are in each entry.
    @Test
    func `names and attachments of many entries end with a sentence`() {
        let name = String(repeating: "n", count: 1 << 20)
        let entries = String(repeating: "<Entry></Entry>", count: 20)
        #expect(
            fault(Self.keePass("<Group><Name>\(name)</Name>\(entries)</Group>")) == .tooLarge
        )
        let links = String(repeating: #"{"id":"a","title":"t"},"#, count: 20) + "{}"
        #expect(
            fault(
                #"{"version":{"major":1},"exporterRpId":"a","accounts":[{"collections":["#
                    + #"{"title":"\#(name)","items":[{"item":"a"}]}],"items":[\#(links)]}]}"#
            ) == .tooLarge
        )
        let bytes = String(repeating: "AAAA", count: 1 << 18)
        let binaries = "<Meta><Binaries><Binary ID=\"0\">\(bytes)</Binary></Binaries></Meta>"
        let reference = "<Entry><Binary><Key>k</Key><Value Ref=\"0\"/></Binary></Entry>"
        let shared = Self.keePass(String(repeating: reference, count: 20))
        #expect(
            fault(shared.replacing("<KeePassFile>", with: "<KeePassFile>" + binaries)) == .tooLarge
        )
    }

    @Test
    func `an attachment larger than any item is left out, alone`() throws {
        let bytes = String(repeating: "AAAA", count: 3 << 20)
        let value = "<Binary><Key>k</Key><Value>\(bytes)</Value></Binary>"
        let title = "<String><Key>Title</Key><Value>A</Value></String>"
        let result = try read(Array(Self.keePass("<Entry>\(title)\(value)</Entry>").utf8)).get()
        #expect(result.entries.map(\.title) == ["A"])
        #expect(
            result.notes.map(\.sentence) == [
                "Entry 1 (A): not held: the attachment k, which is larger than an item may be."
            ]
        )
    }

    /// Beside the files of another implementation, whose derivation asks for little.
    @Test
    func `a database whose derivation asks for too much is refused before it begins`() throws {
        var bytes = try testFile("chacha20-argon2id.kdbx").bytes
        // A number of eight bytes named M: the memory in bytes.
        let name: [UInt8] = [5, 1, 0, 0, 0, UInt8(ascii: "M"), 8, 0, 0, 0]
        let memory = try #require(bytes.firstRange(of: name)).upperBound
        bytes[memory + 4] = 0x10
        // The hash of the header is behind its last field, whose number is zero.
        var end = 12
        while true {
            let field = bytes[end]
            end += 5 + bytes[(end + 1)..<(end + 5)].reversed().reduce(0) { $0 << 8 | Int($1) }
            if field == 0 { break }
        }
        bytes.replaceSubrange(end..<end + 32, with: SHA256.hash(Array(bytes[..<end])))
        #expect(throws: MovingError.tooCostly) {
            try EntryFormat.readFile(SourceFile(bytes, password: Array("correct horse".utf8)))
        }
    }
}
