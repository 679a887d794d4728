import Foundation
import KSArchives
import KSMoving
import Testing

/// 1Password's 1PUX and Proton Pass's ZIP.
struct ArchiveTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Archives")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    private func read(_ name: String) throws -> ReadEntries {
        try EntryFormat.readFile(SourceFile(try bytes(name), name: name))
    }

    private func entry(_ title: String, _ read: ReadEntries) throws -> Entry {
        try #require(read.entries.first { $0.title == title })
    }

    @Test
    func `a login of 1Password comes with all kinds of values, its history and its files`() throws {
        let read = try read("onepassword.1pux")
        #expect(read.format == "1pux" && read.count == 13 && read.entries.count == 12)
        let mail = try entry("Mail", read)
        #expect(mail.type == "login" && mail.userName == "ann" && mail.secretText == "pw")
        #expect(mail.note == "first\nsecond" && mail.isFavorite == true)
        #expect(mail.tags == ["Personal", "work"])
        #expect(
            mail.addresses.map(\.text)
                == ["https://mail.example/login", "https://mail.example:8443"]
        )
        #expect(mail.created == 1_700_000_000_000 && mail.changed == 1_700_000_100_000)
        #expect(mail.history.map(\.value) == [Array("old".utf8), Array("older".utf8)])
        #expect(mail.history[0].time == 1_650_000_000_000)
        let fields = Dictionary(uniqueKeysWithValues: mail.fields.map { ($0.name, $0) })
        #expect(fields["one-time code"]?.kind == "otp" && fields["pin"]?.kind == "secret")
        #expect(fields["mail"]?.kind == "email" && fields["plain"]?.text == "x")
        #expect(fields["More: since"]?.text == "2023-11-14")
        #expect(fields["More: until"]?.text == "2027-05")
        #expect(fields["More: secret"]?.kind == "secret")
        #expect(fields["More: home: postcode"]?.text == "89073")
        #expect(fields["a.txt"]?.isFile == true && fields["a.txt"]?.text == "paper")
        #expect(fields["large.bin"] == nil && fields["gone.txt"] == nil)
    }

    @Test
    func `the types of 1Password become ours, and what is not taken is named`() throws {
        let read = try read("onepassword.1pux")
        #expect(
            read.entries.map(\.type) == [
                "login", "card", "note", "identity", "password", "note", "wifi", "login",
                "ssh-key", "login", "note", "login",
            ]
        )
        #expect(
            try entry("Card", read).fields.map(\.name)
                == ["holder", "brand", "number", "code", "expires"]
        )
        #expect(try entry("Note", read).secretText == "text")
        #expect(try entry("Ann", read).fields.first { $0.name == "born" }?.text == "1980-01-01")
        #expect(try entry("Ann", read).fields.contains { $0.name == "street" })
        #expect(try entry("Alone", read).secretText == "lonely")
        #expect(try entry("Net", read).secretText == "wpw")
        let server = try entry("Server", read)
        #expect(server.userName == "root" && server.secretText == "spw")
        #expect(server.addresses.map(\.text) == ["ssh://s.example"])
        let key = try entry("Key", read).fields
        #expect(key.map(\.name) == ["private key", "public key", "fingerprint"])
        #expect(key[0].text?.contains("\r") == false && key[0].text?.hasSuffix("\n") == true)
        #expect(try entry("Put away", read).tags == ["Personal", "archived"])
        #expect(try entry("Shared", read).tags == ["Team"])
        let sentences = read.notes.filter(\.reason.isLoss).map(\.sentence)
        for part in [
            "the attachment large.bin, which is larger", "gone.txt, which is not in the file",
            "the field More: other, which refers", "\"hologram\" of the field More: new",
            "(Gone): left out: it is in the trash", "\"novelty\"",
        ] {
            #expect(sentences.contains { $0.contains(part) }, "\(part)")
        }
        #expect(sentences.count == 6 && read.leftOutCount == 1)
        #expect(read.notes.contains { $0.sentence.contains("becomes the tag archived") })
    }

    /// Names are compared and never used: the file is an attachment of this name.
    @Test
    func `a name that leads out of the archive is only a name`() throws {
        let paper = try entry("Paper", try read("onepassword.1pux"))
        #expect(paper.fields.map(\.name) == ["../../etc/passwd"])
        #expect(paper.fields[0].text == "root")
    }

    @Test
    func `Proton Pass's entries come with their fields, passkeys and files`() throws {
        let read = try read("protonpass.zip")
        #expect(read.format == "protonpass-zip" && read.count == 11 && read.leftOutCount == 2)
        #expect(
            read.entries.map(\.type) == [
                "login", "passkey", "login", "login", "note", "card", "identity", "ssh-key",
                "wifi", "note",
            ]
        )
        let mail = read.entries[0]
        #expect(mail.userName == "ann" && mail.secretText == "pw" && mail.isFavorite == true)
        #expect(mail.note == "note of Mail" && mail.tags == ["Personal"])
        #expect(
            mail.fields.map(\.name)
                == ["email", "one-time code", "pin", "shown", "code", "day", "a/b.txt"]
        )
        #expect(
            mail.fields.map(\.kind) == ["email", "otp", "secret", "text", "otp", "date", "file"]
        )
        let passkey = read.entries[1]
        #expect(passkey.title == "Mail" && passkey.userName == "ann")
        #expect(passkey.fields.first { $0.name == "relying party" }?.text == "mail.example")
        #expect(passkey.fields.first { $0.name == "passkey content" }?.text == "\"Zm9v\"")
        #expect(read.entries[2].userName == "a@b.example" && read.entries[2].secret == nil)
        #expect(read.entries[3].userName == "x@alias.example")
        #expect(read.entries[4].secretText == "note of Note")
        #expect(
            read.entries[5].fields.map(\.name) == ["holder", "number", "code", "pin", "expires"]
        )
        #expect(
            read.entries[6].fields.map(\.name)
                == ["full name", "email", "social security number", "desk", "Club: number"]
        )
        #expect(read.entries[8].secretText == "wpw")
        #expect(read.entries[8].fields.map(\.text) == ["net", "WPA2"])
        #expect(read.entries[9].fields.map(\.name) == ["S: f"])
    }

    @Test(arguments: [
        ("protonpass-encrypted.zip", MovingError.encryptedForProgram("Proton Pass")),
        ("bomb.1pux", .archive(.tooLarge)), ("lie.1pux", .archive(.tooLarge)),
    ])
    func `an archive that cannot be taken ends with a sentence`(
        _ name: String,
        _ error: MovingError
    ) {
        #expect(throws: error) { try read(name) }
        #expect(error.sentence.hasSuffix("."))
    }

    @Test
    func `a cut or changed archive ends with a sentence`() throws {
        for name in ["onepassword.1pux", "protonpass.zip"] {
            let whole = try bytes(name)
            for step in 1..<60 {
                var bytes = whole
                if step % 2 == 0 {
                    bytes.removeLast(whole.count * step / 60)
                } else {
                    for place in stride(from: step, to: bytes.count, by: 997) { bytes[place] ^= 8 }
                }
                do throws(MovingError) {
                    let read = try EntryFormat.readFile(SourceFile(bytes, name: name))
                    #expect(read.count <= 13)
                } catch {
                    #expect(error.sentence.hasSuffix("."))
                }
            }
        }
    }
}
