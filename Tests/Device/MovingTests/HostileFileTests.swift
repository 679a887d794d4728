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
}
