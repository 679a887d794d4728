import KSMoving
import Testing

/// What is read from a `pass` folder and from a Secret Service, apart from the reading.
struct SourceTests {
    private func pass(_ path: String, _ contents: String) throws -> Entry {
        var entries = PassEntries()
        entries.add(path, Array(contents.utf8))
        return try #require(entries.result.entries.first)
    }

    @Test
    func `a file of pass has the password first, then fields, codes and a note`() throws {
        let entry = try pass(
            "web/mail.example",
            "p: w\r\nLogin: ann\nurl: https://mail.example/in\nURL: mail.example\nuser: other\n"
                + "pin: 1\n\notp: JBSWY3DPEHPK3PXP\n"
                + "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP\nend\n\n"
        )
        #expect(entry.title == "mail.example" && entry.tags == ["web"])
        #expect(entry.secretText == "p: w" && entry.userName == "ann")
        #expect(entry.addresses.map(\.text) == ["https://mail.example/in", "mail.example"])
        #expect(entry.fields.map(\.name) == ["one-time code", "one-time code 2"])
        #expect(entry.fields.allSatisfy { $0.kind == "otp" })
        #expect(entry.note == "user: other\npin: 1\n\nend")
    }

    @Test(
        arguments: [
            ("github.com/ann", "github.com", "ann", ["github.com"], []),
            ("work/git/github.com/ann", "github.com", "ann", ["github.com"], ["work/git"]),
            ("a.example:8443", "a.example:8443", "", ["a.example:8443"], []),
            ("a.example/deep/er", "er", "", [], ["a.example/deep"]),
            ("bank/my card", "my card", "", [], ["bank"]), ("v1. draft", "v1. draft", "", [], []),
        ] as [(String, String, String, [String], [String])]
    )
    func `a path says title, site, user name and tag`(
        _ path: String,
        _ title: String,
        _ user: String,
        _ addresses: [String],
        _ tags: [String]
    ) throws {
        let entry = try pass(path, "pw\n")
        #expect(entry.title == title && entry.userName == user)
        #expect(entry.addresses.map(\.text) == addresses && entry.tags == tags)
    }

    @Test
    func `keys, bytes and what is left out are told`() throws {
        #expect(try pass("k", "-----BEGIN RSA PRIVATE KEY-----\nA").type == "ssh-key")
        #expect(try pass("o", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP").secret == nil)
        var entries = PassEntries()
        entries.add("dir/blob.bin", [0xFF, 0])
        let faults: [PassEntries.Fault] = [
            .notDecrypted, .noPassphrase, .noSecretKey, .outside, .linkedFolder, .tooLarge,
        ]
        for fault in faults { entries.leaveOut("x", fault) }
        let read = entries.result
        #expect(read.count == 7 && read.leftOutCount == 6 && read.numbers == [1])
        #expect(read.entries[0].fields.map(\.name) == ["blob.bin"])
        #expect(read.entries[0].fields[0].isFile && read.entries[0].tags == ["dir"])
        #expect(read.notes.allSatisfy { $0.sentence.hasSuffix(".") })
    }

    private func item(_ label: String, _ attributes: [String: String]) throws -> Entry {
        var item = SecretServiceEntries.Item()
        (item.label, item.attributes, item.secret) = (label, attributes, Array("pw".utf8))
        (item.created, item.modified) = (1_700_000_000, 1_700_000_100)
        var entries = SecretServiceEntries()
        entries.add(item)
        return try #require(entries.result.entries.first)
    }

    @Test
    func `items of known schemas get their site, user name, service or network`() throws {
        let git = try item(
            "Git: https://h.example/",
            [
                "xdg:schema": "org.gnome.keyring.NetworkPassword", "user": "ann",
                "protocol": "https", "server": "h.example", "port": "8443", "object": "a/b",
            ]
        )
        #expect(git.type == "login" && git.userName == "ann" && git.fields.isEmpty)
        #expect(git.addresses.map(\.text) == ["https://h.example:8443/a/b"])
        #expect(git.created == 1_700_000_000_000 && git.changed == 1_700_000_100_000)
        let python = try item(
            "Password for 'bob' on 'svc'",
            ["service": "svc", "username": "bob", "application": "Python keyring library"]
        )
        #expect(python.title == "svc" && python.userName == "bob")
        #expect(python.fields.map(\.name) == ["label", "application"])
        let chrome = try item(
            "Chrome Safe Storage",
            [
                "application": "chrome",
                "xdg:schema": "chrome_libsecret_os_crypt_password_v2",
            ]
        )
        #expect(chrome.title == "Chrome Safe Storage" && chrome.type == "password")
        #expect(chrome.fields.map(\.name) == ["schema", "application"])
        let docker = try item(
            "reg.example",
            [
                "xdg:schema": "io.docker.Credentials", "server": "https://reg.example",
                "username": "u", "docker_cli": "1", "label": "Docker Credentials",
            ]
        )
        #expect(docker.addresses.map(\.text) == ["https://reg.example"] && docker.fields.isEmpty)
        let wifi = try item(
            "Network secret for Home/802-11-wireless-security/psk",
            ["setting-name": "802-11-wireless-security", "setting-key": "psk"]
        )
        #expect(wifi.type == "wifi" && wifi.title == "Home")
    }

    @Test
    func `what is locked is named, and its hashed attributes are not taken`() {
        var entries = SecretServiceEntries()
        entries.leaveOut(collection: "Work")
        var item = SecretServiceEntries.Item()
        item.attributes = ["gkr:compat:hashed:user": "abc"]
        item.secret = [1]
        entries.add(item)
        item.attributes = [:]
        item.secret = nil
        entries.add(item)
        let read = entries.result
        #expect(read.entries.isEmpty && read.count == 3 && read.leftOutCount == 3)
        #expect(
            read.notes[0].sentence == "Entry 1 (Work): left out: this collection is locked;"
                + " unlock it, and import again."
        )
    }
}
