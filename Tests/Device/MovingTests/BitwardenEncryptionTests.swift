import KSMoving
import Testing

/// Bitwarden's JSON that a password encrypts.
struct BitwardenEncryptionTests {
    private static let password = "correct horse"

    private func fault(_ file: SourceFile) throws -> MovingError {
        try #require(throws: MovingError.self) { try EntryFormat.readFile(file) }
    }

    private func changed(_ file: SourceFile, _ old: String, _ new: String) throws -> SourceFile {
        let text = String(decoding: file.bytes, as: UTF8.self)
        try #require(text.contains(old))
        return SourceFile(
            Array(text.replacing(old, with: new).utf8),
            password: file.password
        )
    }

    @Test(arguments: ["bitwarden-pbkdf2.json", "bitwarden-argon2.json"])
    func `a file of another implementation opens with its password alone`(name: String) throws {
        let read = try EntryFormat.readFile(testFile(name, password: Self.password))
        #expect(read.format == "bitwarden" && read.notes.isEmpty && read.count == 1)
        let entry = try #require(read.entries.first)
        #expect(entry.title == "Mail" && entry.userName == "ann" && entry.note == "ümläut")
        #expect(entry.secretText == "pw-1")
        #expect(try fault(testFile(name)) == .passwordNeeded)
        #expect(try fault(testFile(name, password: "correct horses")) == .wrongPassword)
        #expect(try fault(testFile(name, password: "")) == .wrongPassword)
        let format = "bitwarden-encrypted"
        let named = try EntryFormat.readFile(
            testFile(name, password: Self.password),
            format: format
        )
        #expect(named.entries == read.entries)
    }

    @Test
    func `what is written opens again, and twice nothing is equal`() throws {
        var maker = EntryMaker(seed: 7)
        let entries = maker.entries(30)
        let format = try #require(EntryFormat.named("bitwarden-encrypted"))
        #expect(format.isEncrypted && !format.takesKeyFile)
        let write = try #require(format.write)
        let plain = try #require(EntryFormat.named("bitwarden")?.write)
        let target = TargetFile(time: 5, password: Array(Self.password.utf8))
        let (first, second) = (try write(entries, target), try write(entries, target))
        #expect(first.files[0] != second.files[0])
        let text = String(decoding: first.files[0], as: UTF8.self)
        #expect(text.contains("\"kdfType\":1") && !text.contains("Title"))
        let read = try EntryFormat.readFile(SourceFile(first.files[0], password: target.password))
        let same = try EntryFormat.readFile(SourceFile(plain(entries, target).files[0]))
        #expect(read.entries == same.entries && !read.entries.isEmpty)
        for password in [nil, []] as [[UInt8]?] {
            #expect(throws: MovingError.emptyPassword) {
                try write(entries, TargetFile(time: 5, password: password))
            }
        }
        #expect(throws: MovingError.noKeyFile(format: "Bitwarden")) {
            try write(entries, TargetFile(time: 5, password: [1], keyFile: [2]))
        }
    }

    @Test
    func `a changed file and one that asks for too much end with a sentence`() throws {
        let argon2 = try testFile("bitwarden-argon2.json", password: Self.password)
        let pbkdf2 = try testFile("bitwarden-pbkdf2.json", password: Self.password)
        let costs = [
            (argon2, "\"kdfMemory\": 16", "\"kdfMemory\": 64000"),
            (argon2, "\"kdfMemory\": 16", "\"kdfMemory\": -1"),
            (argon2, "\"kdfMemory\": 16", "\"kdfMemory\": 9223372036854775807"),
            (argon2, "\"kdfIterations\": 2", "\"kdfIterations\": 5000000"),
            (pbkdf2, "\"kdfIterations\": 5000", "\"kdfIterations\": 2000000000"),
        ]
        for (file, old, new) in costs {
            #expect(try fault(changed(file, old, new)) == .tooCostly, "\(new)")
        }
        let shapes = [
            (argon2, "\"kdfType\": 1", "\"kdfType\": 2", "kdfType"),
            (argon2, "\"kdfIterations\": 2", "\"kdfIterations\": 0", "kdfType"),
            (argon2, "\"kdfMemory\": 16", "\"kdfMemory\": null", "kdfMemory"),
            (argon2, "\"data\": \"2.", "\"data\": \"1.", "data"),
            (argon2, "\"data\": \"2.", "\"data\": \"2.!", "data"),
        ]
        for (file, old, new, member) in shapes {
            let wrong = MovingError.wrongShape(format: "Bitwarden", member: member)
            #expect(try fault(changed(file, old, new)) == wrong, "\(new)")
        }
        // A bit of the data, and of its tag.
        let text = String(decoding: argon2.bytes, as: UTF8.self)
        for place in ["data\": \"2.", "|"] {
            let parts = try #require(text.ranges(of: place).last)
            var bytes = Array(text.utf8)
            let index = text.utf8.distance(from: text.startIndex, to: parts.upperBound)
            bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let file = SourceFile(bytes, password: argon2.password)
            #expect(try fault(file) == .damaged, "\(place)")
        }
        let salt = try changed(argon2, "\"salt\"", "\"sale\"")
        #expect(try fault(salt) == .encryptedForAccount)
    }
}
