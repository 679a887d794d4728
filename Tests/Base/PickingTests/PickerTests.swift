import KSPicking
import KSScreens
import Testing

struct PickerTests {
    static let entries = (0..<100).map { index in
        PickEntry(
            id: "\(index)",
            title: "title \(index)",
            subtitle: "user \(index)",
            site: "site\(index).example",
            isFavorite: index == 0,
            hasCode: index == 1
        )
    }

    /// Finds the text in titles, as it is.
    static func matches(_ query: String) -> [PickMatch] {
        entries.compactMap { entry in
            guard !query.isEmpty else { return PickMatch(id: entry.id) }
            guard let range = entry.title.firstRange(of: query) else { return nil }
            let start = entry.title[..<range.lowerBound].count
            return PickMatch(id: entry.id, titleRanges: [start..<(start + query.count)])
        }
    }

    static func picker(rows: Int = 12, columns: Int = 80) -> Picker {
        Picker(entries: entries, rows: rows, columns: columns, seconds: 1000, match: matches)
    }

    static let fields = [
        PickField("user", .text("ada")), PickField("password", .secret),
        PickField("code", .code("123456", periodSeconds: 30, endsAtSeconds: 1020)),
        PickField("notes", .text("first\nsecond")),
    ]

    /// Shows the fields of the first item.
    static func pickerWithFields() -> Picker {
        var picker = picker()
        #expect(picker.handle(.tab) == [.loadDetails(id: "0")])
        #expect(picker.handle(.details(id: "0", fields)) == [])
        return picker
    }

    @Test
    func `the list shows what fits, with its flags, and marks the selected item`() {
        let lines = Self.picker().frame.lines.map(\.text)
        #expect(lines.count == 12)
        #expect(lines[0].hasSuffix("100/100"))
        #expect(lines[1].hasPrefix("> *  title 0 "))
        #expect(lines[1].contains("user 0 ") && lines[1].contains("site0.example"))
        #expect(lines[2].hasPrefix("   # title 1 "))
        #expect(lines[10].hasPrefix("     title 9 "))
        #expect(lines[11].contains("Enter copy"))
    }

    @Test
    func `what is typed or pasted filters the list`() {
        var picker = Self.picker()
        for character in "title 4" { #expect(picker.handle(.character(character)) == []) }
        #expect(picker.frame.lines[0].text.contains("Find: title 4 "))
        #expect(picker.frame.lines[0].text.hasSuffix(" 11/100"))
        #expect(picker.frame.cursor == .init(row: 0, column: 13))
        _ = picker.handle(.backspace)
        #expect(picker.frame.lines[0].text.hasSuffix("100/100"))
        _ = picker.handle(.control("w"))
        #expect(picker.frame.lines[0].text.contains("Find:  "))
        _ = picker.handle(.paste("title\n99"))
        #expect(picker.frame.lines[0].text.hasSuffix(" 1/100"))
        _ = picker.handle(.control("u"))
        _ = picker.handle(.paste(String(repeating: "x", count: 300)))
        #expect(picker.frame.lines[1].text.contains("No item matches."))
        #expect(picker.handle(.enter) == [] && picker.handle(.tab) == [])
        #expect(picker.handle(.escape) == [])
        #expect(picker.handle(.enter) == [.copy(id: "0", field: nil)])
    }

    @Test
    func `a matched part is marked without colours too`() {
        var picker = Self.picker()
        _ = picker.handle(.paste("tle 7"))
        let pieces = picker.frame.lines[2].pieces
        #expect(pieces.contains { $0.text == "tle 7" && $0.style.isUnderlined })
        #expect(picker.frame.lines[2].text.contains("title 70"))
    }

    @Test
    func `Esc clears the filter, and then leaves`() {
        var picker = Self.picker()
        _ = picker.handle(.character("7"))
        #expect(picker.handle(.escape) == [])
        #expect(picker.handle(.escape) == [.quit])
        #expect(picker.handle(.control("d")) == [.quit])
    }

    @Test(arguments: [
        ([Keystroke.down, .down, .up], "1"), ([.control("n"), .control("n"), .control("p")], "1"),
        ([.up], "0"), ([.pageDown], "10"), ([.pageDown, .pageDown, .pageUp], "10"), ([.end], "99"),
        ([.end, .down], "99"), ([.end, .home], "0"), ([.pageDown, .character("7")], "7"),
    ])
    func `keys move the selection within the list`(keys: [Keystroke], id: String) {
        var picker = Self.picker()
        for key in keys { #expect(picker.handle(key) == []) }
        #expect(picker.handle(.enter) == [.copy(id: id, field: nil)])
        let marked = picker.frame.lines.dropFirst().filter { $0.text.hasPrefix(">") }
        #expect(marked.count == 1 && marked.allSatisfy { $0.text.contains("title \(id) ") })
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `the selected item is in sight at any size, and no line too wide`(seed: UInt64) {
        var random = SystemRandomNumberGeneratorOfSeed(state: seed)
        var picker = Self.picker()
        var rows = 12
        var columns = 80
        for _ in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                rows = Int.random(in: 1...30, using: &random)
                columns = Int.random(in: 1...100, using: &random)
                #expect(picker.handle(.resized(rows: rows, columns: columns)) == [])
            case 1: _ = picker.handle(.character(Bool.random(using: &random) ? "1" : "t"))
            case 2: _ = picker.handle(.backspace)
            default:
                let keys: [Keystroke] = [.up, .down, .down, .pageDown, .pageUp, .end, .home]
                _ = picker.handle(keys.randomElement(using: &random) ?? .up)
            }
            let lines = picker.frame.lines
            #expect(lines.count <= max(2, rows))
            if rows > 2 {
                let isEmpty = lines[1].text.contains("No item")
                #expect(isEmpty || lines.count { $0.text.hasPrefix(">") } == 1 || columns < 2)
            }
            for line in lines { #expect(line.cut(to: columns).columns <= columns) }
        }
    }

    @Test
    func `fields are loaded, shown and copied`() {
        var picker = Self.pickerWithFields()
        let lines = picker.frame.lines.map(\.text)
        #expect(lines[0] == "title 0")
        #expect(lines[1] == "> user      ada")
        #expect(lines[2] == "  password  ••••••••")
        #expect(lines[3] == "  code      123 456  [#######...] 20 s")
        #expect(lines[4] == "  notes     first …")
        #expect(picker.handle(.enter) == [.copy(id: "0", field: 0)])
        _ = picker.handle(.end)
        #expect(picker.frame.lines[4].text == "> notes     first")
        #expect(picker.frame.lines[5].text == "            second")
        #expect(picker.handle(.enter) == [.copy(id: "0", field: 3)])
        #expect(picker.handle(.escape) == [])
        #expect(picker.handle(.escape) == [.quit])
    }

    @Test
    func `a secret is shown on demand, until another field is selected`() {
        var picker = Self.pickerWithFields()
        #expect(picker.handle(.character("s")) == [])
        _ = picker.handle(.down)
        #expect(picker.handle(.character("s")) == [.reveal(id: "0", field: 1)])
        let shown = PickEvent.revealed(id: "0", field: 1, text: "geheim")
        #expect(picker.handle(shown) == [])
        #expect(picker.frame.lines[2].text == "> password  geheim")
        #expect(picker.handle(.character("s")) == [])
        #expect(picker.frame.lines[2].text == "> password  ••••••••")
        for key in [Keystroke.down, .escape, .character("e")] {
            var other = picker
            #expect(other.handle(shown) == [])
            _ = other.handle(key)
            #expect(!other.frame.lines.contains { $0.text.contains("geheim") })
        }
        // A late answer shows nothing that the user has left.
        _ = picker.handle(.up)
        _ = picker.handle(shown)
        #expect(!picker.frame.lines.contains { $0.text.contains("geheim") })
    }

    @Test
    func `a secret that is shown is hidden after half a minute`() {
        var picker = Self.pickerWithFields()
        _ = picker.handle(.down)
        _ = picker.handle(.tick(seconds: 1001))
        _ = picker.handle(.revealed(id: "0", field: 1, text: "geheim"))
        #expect(picker.secondsToNextTick == 1)
        _ = picker.handle(.tick(seconds: 1030))
        #expect(picker.frame.lines[2].text == "> password  geheim")
        _ = picker.handle(.tick(seconds: 1031))
        #expect(picker.frame.lines[2].text == "> password  ••••••••")
    }

    @Test
    func `words of the command line filter the list from the start`() {
        let picker = Picker(
            entries: Self.entries,
            query: "title 42",
            rows: 12,
            columns: 80,
            seconds: 1000,
            match: Self.matches
        )
        #expect(picker.frame.lines[0].text.contains("title 42"))
        #expect(picker.frame.lines[0].text.hasSuffix("1/100"))
    }

    @Test
    func `a code counts down, and is loaded again at its end`() {
        var picker = Self.pickerWithFields()
        #expect(picker.secondsToNextTick == 1)
        #expect(picker.handle(.tick(seconds: 1019)) == [])
        #expect(picker.frame.lines[3].text == "  code      123 456  [#.........] 1 s")
        #expect(picker.handle(.tick(seconds: 1020)) == [.loadDetails(id: "0")])
        let next = PickField("code", .code("00000", periodSeconds: 30, endsAtSeconds: 1050))
        _ = picker.handle(.details(id: "0", [next]))
        #expect(picker.frame.lines[1].text == "> code  00000  [##########] 30 s")
        #expect(picker.handle(.tick(seconds: 1021)) == [])
        _ = picker.handle(.escape)
        #expect(picker.secondsToNextTick == nil)
    }

    @Test
    func `e and Ctrl-E edit, and the list keeps its place afterwards`() {
        var picker = Self.picker()
        _ = picker.handle(.pageDown)
        #expect(picker.handle(.control("e")) == [.edit(id: "10")])
        let changed = [PickEntry(id: "new", title: "new")] + Self.entries
        #expect(picker.handle(.entries(changed)) == [])
        #expect(picker.handle(.enter) == [.copy(id: "10", field: nil)])
        var other = Self.pickerWithFields()
        #expect(other.handle(.character("e")) == [.edit(id: "0")])
        // The item that was shown is gone.
        _ = other.handle(.entries(Array(Self.entries.dropFirst())))
        #expect(other.frame.lines[0].text.hasPrefix("Find:"))
    }

    @Test
    func `a new password is generated only after a yes`() {
        var picker = Self.pickerWithFields()
        for (key, wanted) in [
            (Keystroke.character("n"), []), (.enter, []), (.character("y"), ["0"]),
        ] {
            #expect(picker.handle(.character("g")) == [])
            #expect(picker.frame.lines.last?.text == "New password for title 0? (y/n)")
            #expect(picker.handle(key) == wanted.map { PickAction.generate(id: $0) })
        }
        var list = Self.picker()
        #expect(list.handle(.control("g")) == [])
        #expect(list.handle(.character("y")) == [.generate(id: "0")])
    }

    @Test
    func `results stand in the last line until the next key`() {
        var picker = Self.picker()
        _ = picker.handle(.done("Copied."))
        #expect(picker.frame.lines.last?.text == "Copied.")
        _ = picker.handle(.failed("The keychain is locked."))
        #expect(picker.frame.lines.last?.text == "! The keychain is locked.")
        _ = picker.handle(.down)
        #expect(picker.frame.lines.last?.text.contains("Enter copy") == true)
        _ = picker.handle(.pasteTooLong)
        #expect(picker.frame.lines.last?.text.hasPrefix("! ") == true)
    }

    @Test
    func `a question mark shows the keys, but not within a search`() {
        var picker = Self.picker()
        _ = picker.handle(.character("?"))
        #expect(picker.frame.lines[0].text == "Keys")
        #expect(picker.handle(.escape) == [])
        #expect(picker.frame.lines[0].text.hasPrefix("Find:"))
        _ = picker.handle(.character("t"))
        _ = picker.handle(.character("?"))
        #expect(picker.frame.lines[0].text.contains("t?"))
    }

    @Test
    func `an item cannot write on the terminal, and no items are said to be none`() {
        let evil = [PickEntry(id: "1", title: "a\u{1B}[2Jb\nc")]
        let picker = Picker(entries: evil, rows: 5, columns: 40, seconds: 0) { _ in
            [PickMatch(id: "1", titleRanges: [0..<1])]
        }
        #expect(picker.frame.lines[1].text.contains("a␛[2Jb␊c"))
        let none = Picker(entries: [], rows: 5, columns: 40, seconds: 0) { _ in [] }
        #expect(none.frame.lines[1].text.contains("There are no items yet."))
    }
}

/// SplitMix64 (Steele et al., 2014).
struct SystemRandomNumberGeneratorOfSeed: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
