import KSMoving
import KSTestSupport
import Testing

/// FIDO's Credential Exchange Format 1.0.
struct CXFTests {
    private static let time: Int64 = 1_795_842_602_000

    private static let passkey = #"""
        {"type":"passkey","credentialId":"Zm9v-_8","rpId":"a.example","username":"ann",\#
        "userDisplayName":"Ann","userHandle":"dXNlcg","key":"MIGH_-x",\#
        "fido2Extensions":{"hmacCredentials":{"algorithm":"hmac-sha256","credWithUV":"AA",\#
        "credWithoutUV":"BB"},"largeBlob":{"uncompressedSize":1e2,"data":"CC"},"payments":false},\#
        "novelty":[1,null]}
        """#

    private static func file(_ items: String, collections: String = "[]") -> String {
        #"""
        {"version":{"major":1,"minor":0},"exporterRpId":"x.example","exporterDisplayName":"X",
         "timestamp":1795842602,"accounts":[{"id":"AA","username":"","email":"",
         "collections":\#(collections),"items":[\#(items)]}]}
        """#
    }

    private func read(_ text: String) throws -> ReadEntries {
        try EntryFormat.readFile(SourceFile(Array(text.utf8)))
    }

    private func written(_ entries: EntryList) throws -> WrittenEntries {
        let write = try #require(EntryFormat.named("cxf")?.write)
        return try write(entries, TargetFile(time: Self.time))
    }

    @Test
    func `an item comes with all its credentials, its scope and its collections`() throws {
        let item = #"""
            {"id":"SQ","creationAt":1700000000,"modifiedAt":1700000100,"title":"Mail",
             "favorite":true,"tags":["own"],"scope":{"urls":["https://mail.example/login"],
              "androidApps":[{"bundleId":"com.mail","certificate":{"fingerprint":"F","hashAlg":
              "sha512"}},{"bundleId":"com.two",
               "certificate":{"fingerprint":"G","hashAlg":"sha256"}}]},
             "credentials":[
              {"type":"basic-auth","username":{"fieldType":"string","value":"ann"},
               "password":{"fieldType":"concealed-string","value":"pw","label":"PIN"}},
              {"type":"totp","secret":"JBSWY3DPEHPK3PXP","period":60,"digits":8,
               "algorithm":"sha256","username":"ann","issuer":"Mail Inc"},
              {"type":"note","content":{"fieldType":"string","value":"text"}},
              {"type":"custom-fields","label":"More","fields":[
               {"fieldType":"concealed-string","value":"4711","label":"pin"},
               {"fieldType":"year-month","value":"2027-05","label":"until"}]},
              {"type":"file","id":"x","name":"a.pdf","decryptedSize":1,"integrityHash":"y"},
              {"type":"item-reference","reference":{"item":"x"}},
              {"type":"hologram","depth":3}]}
            """#
        let read = try read(
            Self.file(
                item,
                collections: #"""
                    [{"id":"c","title":"Work","items":[],
                      "subCollections":[{"id":"d","title":"Mail","items":[{"item":"SQ"}]}]}]
                    """#
            )
        )
        #expect(read.format == "cxf" && read.count == 1)
        let entry = read.entries[0]
        #expect(entry.type == "login" && entry.userName == "ann" && entry.secretText == "pw")
        #expect(entry.note == "text" && entry.isFavorite == true)
        #expect(entry.tags == ["Work/Mail", "own"])
        #expect(entry.created == 1_700_000_000_000 && entry.changed == 1_700_000_100_000)
        #expect(
            entry.addresses.map(\.text)
                == ["https://mail.example/login", "android://F@com.mail/", "androidapp://com.two"]
        )
        #expect(
            entry.fields.map(\.name)
                == ["one-time code", "More: pin", "More: until", "credential hologram"]
        )
        #expect(entry.fields.map(\.kind) == ["otp", "secret", "month", "secret"])
        let code = try #require(entry.fields[0].text)
        for part in ["SHA256", "digits=8", "period=60", "Mail%20Inc"] {
            #expect(code.contains(part), "\(part)")
        }
        let reasons = read.notes.map(\.reason)
        #expect(reasons.count { $0 == .partNotHeld } == 3)
        #expect(reasons.count { $0 == .otherForm } == 2 && reasons.count == 5)
        // Another program's credential goes out as it came in.
        let file = try written(read.entries)
        #expect(text(file).contains(#"{"type":"hologram","depth":3}"#))
    }

    private func text(_ written: WrittenEntries) -> String {
        String(decoding: written.files[0], as: UTF8.self)
    }

    @Test
    func `a passkey is an item of its own, and goes out byte for byte`() throws {
        let login = #"{"type":"basic-auth","username":{"fieldType":"string","value":"ann"}}"#
        let passkey = Self.passkey
        let read = try read(
            Self.file(
                #"{"id":"AA","title":"A","scope":{"urls":["https://a.example"],"androidApps":[]},"#
                    + #""credentials":[\#(login),\#(passkey)]},"#
                    + #"{"id":"BB","title":"B","credentials":[\#(passkey)]}"#
            )
        )
        #expect(read.entries.map(\.type) == ["login", "passkey", "passkey"])
        #expect(read.numbers == [1, 1, 2] && read.count == 2)
        let key = read.entries[1]
        #expect(key.title == "A" && key.userName == "ann")
        #expect(key.addresses.map(\.text) == ["https://a.example"])
        let hidden = key.fields.filter(\.isHidden).map(\.name)
        #expect(hidden == ["private key", "passkey fido2Extensions", "passkey novelty"])
        let file = try written(read.entries)
        #expect(file.notes.isEmpty)
        let members = passkey.dropFirst(#"{"type":"passkey","#.count).dropLast()
        // The order of an object's members means nothing; each is there as it was.
        let parts = [
            #""credentialId":"Zm9v-_8""#, #""key":"MIGH_-x""#, #""username":"ann""#,
            #""userHandle":"dXNlcg""#, #""novelty":[1,null]"#, #""uncompressedSize":1e2"#,
            #"{"algorithm":"hmac-sha256","credWithUV":"AA","credWithoutUV":"BB"}"#,
        ]
        for part in parts {
            #expect(members.contains(part), "\(part)")
            #expect(text(file).components(separated: part) == 3, "\(part)")
        }
        // And so the second time.
        #expect(try written(try self.read(text(file)).entries).files == file.files)
    }

    @Test
    func `cards, keys, networks and documents have the fields of their types`() throws {
        func field(_ value: String) -> String {
            #"{"fieldType":"string","value":"\#(value)"}"#
        }
        let items = [
            #"{"type":"credit-card","number":\#(field("4111")),"expiryDate":\#(field("2027-05"))}"#,
            #"{"type":"wifi","ssid":\#(field("net")),"passphrase":\#(field("pw")),"hidden":"#
                + #"{"fieldType":"boolean","value":"true"}}"#,
            #"{"type":"ssh-key","keyType":"ssh-ed25519","privateKey":"MC4CAQA","keyComment":"c"}"#,
            #"{"type":"person-name","given":\#(field("Ann")),"surname":\#(field("Lee"))},"#
                + #"{"type":"address","streetAddress":\#(field("1 A Street\\nB")),"country":"#
                + #"{"fieldType":"country-code","value":"DE"}}"#,
            #"{"type":"api-key","key":\#(field("k")),"username":\#(field("u")),"keyType":"#
                + #"\#(field("bearer"))}"#,
            #"{"type":"generated-password","password":"g"}"#,
            #"{"type":"passport","passportNumber":\#(field("P1")),"sex":\#(field("F"))}"#,
        ].enumerated().map { #"{"id":"\#($0)","title":"T\#($0)","credentials":[\#($1)]}"# }
        let read = try read(Self.file(items.joined(separator: ",")))
        #expect(
            read.entries.map(\.type)
                == ["card", "wifi", "ssh-key", "identity", "password", "password", "identity"]
        )
        #expect(read.entries[0].fields.map(\.name) == ["number", "expires"])
        #expect(read.entries[1].secretText == "pw")
        #expect(read.entries[1].fields.map(\.name) == ["network", "hidden"])
        let key = try #require(read.entries[2].fields.first?.text)
        #expect(key == "-----BEGIN PRIVATE KEY-----\nMC4CAQA=\n-----END PRIVATE KEY-----\n")
        #expect(
            read.entries[3].fields.map(\.name)
                == ["first name", "last name", "street", "street 2", "country"]
        )
        #expect(read.entries[4].secretText == "k" && read.entries[4].userName == "u")
        #expect(read.entries[6].fields.map(\.kind) == ["secret", "text"])
        // All of it goes out as the same credentials.
        let again = try self.read(text(try written(read.entries)))
        #expect(again.entries == read.entries)
    }

    /// Made by ssh-keygen of OpenSSH 9.2; `openssl pkey` gives the same public key for the DER.
    @Test
    func `an Ed25519 key in OpenSSH's form goes out as PKCS#8`() throws {
        var entry = Entry()
        (entry.type, entry.title) = ("ssh-key", "K")
        entry.fields = [
            .init(
                "private key",
                "secret",
                text: """
                    -----BEGIN OPENSSH PRIVATE KEY-----
                    b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
                    QyNTUxOQAAACD9lcXe/0KWCuYtVMdXE4u8GK9FrvtJVP6NIUfBD2HyUgAAAJDiexQD4nsU
                    AwAAAAtzc2gtZWQyNTUxOQAAACD9lcXe/0KWCuYtVMdXE4u8GK9FrvtJVP6NIUfBD2HyUg
                    AAAECi+Y0rKBCL+OYKDTwSqv5DpFBZdiqSmAAiBZJy1u7Fmv2Vxd7/QpYK5i1Ux1cTi7wY
                    r0Wu+0lU/o0hR8EPYfJSAAAACHRlc3Qga2V5AQIDBAU=
                    -----END OPENSSH PRIVATE KEY-----

                    """
            )
        ]
        let file = try written([entry])
        let credential =
            #"{"type":"ssh-key","#
            + #""privateKey":"MC4CAQAwBQYDK2VwBCIEIKL5jSsoEIv45goNPBKq_kOkUFl2KpKYACIFknLW7sWa","#
            + #""keyType":"ssh-ed25519","keyComment":"test key"}"#
        #expect(text(file).contains(credential))
        #expect(file.notes.map(\.reason) == [.otherForm])
    }

    @Test(arguments: 1...20)
    func `the file gives back what it holds, and the rest is named`(seed: UInt64) throws {
        var maker = EntryMaker(seed: seed)
        let entries = maker.entries(60)
        let file = try written(entries)
        let read = try EntryFormat.readFile(SourceFile(file.files[0]))
        #expect(read.format == "cxf" && read.count == entries.count)
        #expect(read.notes.isEmpty && read.entries.count == entries.count)
        for (index, pair) in zip(entries, read.entries).enumerated() {
            let isNamed = file.notes.contains { $0.entry == index + 1 }
            let (before, after) = pair
            #expect(before.title == after.title)
            func compare<Part: Equatable>(_ one: Part, _ other: Part, _ name: String) {
                #expect(one == other || isNamed, "\(name) of entry \(index + 1), \(before.type)")
            }
            compare(before.type, after.type, "type")
            compare(before.userName, after.userName, "user name")
            compare(before.secret ?? [], after.secret ?? [], "secret")
            compare(before.note, after.note, "note")
            compare(before.isFavorite, after.isFavorite, "favorite")
            compare(before.tags, after.tags, "tags")
            compare(before.addresses, after.addresses, "addresses")
            compare(Set(before.fields), Set(after.fields), "fields")
            compare(before.created, after.created, "creation")
            compare(before.history, after.history, "history")
        }
        // Nothing is lost on the second way.
        let again = try EntryFormat.readFile(SourceFile(try written(read.entries).files[0]))
        for (one, other) in zip(read.entries, again.entries) {
            var one = one
            // A note without a text has an empty one then.
            if one.type == "note", one.secret == nil { one.secret = other.secret }
            #expect(one == other, "\(one.type)")
        }
    }

    @Test(arguments: [
        (
            #"{"version":{"major":2,"minor":0},"exporterRpId":"x","accounts":[]}"#,
            MovingError.newerVersion
        ),
        (
            #"{"version":1,"exporterRpId":"x","accounts":[]}"#,
            .wrongShape(format: "cxf", member: "version")
        ),
        (
            #"{"version":{"major":1},"exporterRpId":"x","accounts":[1]}"#,
            .wrongShape(format: "cxf", member: "accounts")
        ),
    ])
    func `a file of another shape has one sentence`(_ text: String, _ error: MovingError) {
        #expect(throws: error) { try read(text) }
    }
}

extension String {
    /// How many parts the separator makes of it.
    fileprivate func components(separated separator: String) -> Int {
        var (count, rest) = (1, self[...])
        while let range = rest.firstRange(of: separator) {
            rest = rest[range.upperBound...]
            count += 1
        }
        return count
    }
}
