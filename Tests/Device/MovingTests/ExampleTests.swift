import Foundation
import KSImporting
import KSMoving
import Testing

/// The export that the demo imports has all the difficulties that an importer meets.
struct ExampleTests {
    private let bytes: [UInt8]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        bytes = [UInt8](try Data(contentsOf: root.appending(path: "Examples/chrome-passwords.csv")))
    }

    @Test
    func `it has a thousand rows, and each of the hard kinds`() throws {
        let read = try EntryFormat.readFile(SourceFile(bytes))
        #expect(read.format == "chrome" && read.count == 1_000 && read.notes.isEmpty)
        #expect(read.entries.count { $0.secret == nil } == 7)
        #expect(read.entries.count { $0.addresses.isEmpty } == 4)
        let placing = EntryPlacing(read)
        #expect(placing.repeated.count == 20)
        #expect(placing.entries.count == 980 - placing.notes.leftOutCount)
        #expect(
            read.entries.count { $0.addresses.first?.text.hasPrefix("android://") == true } == 25
        )
        #expect(read.entries.count { $0.note.utf8.count > 4_000 } == 5)
        #expect(read.entries.contains { $0.note.contains("\n") && $0.note.contains("\"") })
        #expect(read.entries.contains { $0.userName.isEmpty })
        #expect(read.entries.contains { $0.title.contains("パスワード") })
    }

    /// The rows below the header, as text.
    private func rows() throws -> [[String]] {
        var parser = CSVParser(bytes)
        var rows: [[String]] = []
        while let record = parser.next() {
            guard case .success(let row) = record else {
                Issue.record("\(record)")
                continue
            }
            rows.append(try row.fields.map { try #require(String(validating: $0, as: UTF8.self)) })
        }
        #expect(rows.first == ["name", "url", "username", "password", "note"])
        return Array(rows.dropFirst())
    }

    @Test
    func `the example has as many difficult rows of each kind as its generator promises`() throws {
        let rows = try rows()
        #expect(rows.count == 1_000)
        #expect(rows.allSatisfy { $0.count == 5 })
        func count(_ isSo: (String) -> Bool) -> Int { rows.count { $0.contains(where: isSo) } }
        #expect(count { $0.unicodeScalars.contains { !$0.isASCII } } == 411)
        for text in ["Grüße", "пароль", "密码", "κλειδί", "パスワード", "🔑 key", "سر"] {
            #expect(count { $0.contains(text) } >= 20, "\(text)")
        }
        #expect(count { $0.contains("\"") } == 306)
        #expect(count { $0.contains(",") } == 306)
        #expect(count { $0.contains("\n") } == 78)
        #expect((0..<5).map { field in rows.count { $0[field].isEmpty } } == [42, 4, 109, 7, 746])
        #expect(rows.count { $0[4].utf8.count >= 4_096 && $0[4].utf8.count < 4_200 } == 5)
        #expect(rows.count - Set(rows).count == 20)
    }

    @Test
    func `the password that the demo looks for is there once`() throws {
        let secret = Array("correct horse battery staple 7".utf8)
        let holders = EntryPlacing(try EntryFormat.readFile(SourceFile(bytes))).entries.filter {
            $0.secret == secret
        }
        #expect(holders.map(\.place) == ["demo.example.org"])
        #expect(holders.map(\.userName) == ["ada"])
        #expect(String(decoding: bytes, as: UTF8.self).ranges(of: "battery staple 7").count == 1)
    }

    @Test
    func `all that it names are example domains`() throws {
        for entry in try EntryFormat.readFile(SourceFile(bytes)).entries {
            for address in entry.addresses {
                #expect(address.text.contains(".example."), "\(entry.title)")
            }
        }
    }
}
