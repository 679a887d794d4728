import KSMoving
import Testing

/// Bitwarden's own exports, plain.
struct BitwardenTests {
    private static let vault = #"""
        {"encrypted":false,
         "folders":[{"id":"f1","name":"Work/Mail"}],
         "items":[
          {"id":"1","folderId":"f1","type":1,"reprompt":1,"name":"Mail","notes":"first\nsecond",
           "favorite":true,
           "fields":[{"name":"pin","value":"4711","type":1},{"name":"shown","value":"x","type":0},
            {"name":"ticked","value":"true","type":2},{"name":"same","value":null,"type":3},
            {"name":"password","value":"zz-9","type":1}],
           "login":{"uris":[{"match":null,"uri":"https://mail.example/login"},
             {"match":1,"uri":"https://mail.example:8443"},{"match":4,"uri":"^https://x"}],
            "username":"ann","password":"pw","totp":"JBSW Y3DP-EHPK3PXP",
            "fido2Credentials":[{"credentialId":"c"}]},
           "passwordHistory":[{"lastUsedDate":"2024-01-02T03:04:05.678Z","password":"old"}],
           "revisionDate":"2025-01-01T00:00:00.000Z","creationDate":"2023-01-01T00:00:00.000Z",
           "deletedDate":null,"collectionIds":null,"organizationId":null,"novelty":[1]},
          {"type":2,"name":"Note","notes":"text","secureNote":{"type":0}},
          {"type":"3","name":"Card","card":{"cardholderName":"Ann","brand":"Visa",
            "number":4111111111111111,"expMonth":"5","expYear":"2027","code":"123"}},
          {"type":4,"name":"Ann","identity":{"firstName":"Ann","username":"ann1","ssn":"1-2"}},
          {"type":5,"name":"Key","sshKey":{"privateKey":"-----BEGIN X-----\r\na",
            "publicKey":"ssh-ed25519 AAAA","keyFingerprint":"SHA256:x"}},
          {"type":1,"name":"Gone","deletedDate":"2025-01-01T00:00:00Z","login":{}},
          {"type":99,"name":"New"},
          "no item",
          {"type":1,"name":"Codes","login":{"password":{"a":1},
            "totp":"otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1"}},
          {"type":1,"name":"Steam","login":{"totp":"steam://JBSWY3DPEHPK3PXP"}}
         ]}
        """#

    private func read(_ text: String) throws -> ReadEntries {
        try EntryFormat.readFile(SourceFile(Array(text.utf8)))
    }

    @Test
    func `a login comes with all that it has`() throws {
        let read = try read(Self.vault)
        #expect(read.count == 10 && read.numbers == [1, 2, 3, 4, 5, 9, 10])
        let mail = read.entries[0]
        #expect(mail.title == "Mail" && mail.userName == "ann" && mail.secretText == "pw")
        #expect(mail.note == "first\nsecond" && mail.tags == ["Work/Mail"])
        #expect(mail.isFavorite == true && mail.created == 1_672_531_200_000)
        #expect(mail.changed == 1_735_689_600_000)
        #expect(mail.addresses.map(\.match) == ["domain", "host", "never"])
        #expect(mail.history.map(\.value) == [Array("old".utf8)])
        #expect(mail.history[0].time == 1_704_164_645_678)
        #expect(mail.fields.map(\.name) == ["one-time code", "pin", "shown", "ticked", "password"])
        #expect(mail.fields.map(\.kind) == ["otp", "secret", "text", "text", "secret"])
        #expect(mail.fields[0].text == "otpauth://totp/?secret=JBSWY3DPEHPK3PXP")
    }

    @Test
    func `what is not taken is named by entry and part`() throws {
        let read = try read(Self.vault)
        let first = read.notes.filter { $0.entry == 1 }
        #expect(first.contains { $0.reason == .passkey })
        #expect(first.contains { $0.part == "\"novelty\"" && $0.reason == .unknownMember })
        #expect(first.contains { $0.part.contains("the field same") })
        #expect(first.contains { $0.part.contains("the rule regular expression") })
        #expect(first.contains { $0.part.contains("the question for the master password") })
        #expect(first.count == 5)
        let reasons = read.notes.filter(\.reason.isOfEntry).map { ($0.entry, $0.reason) }
        #expect(reasons.map(\.0) == [6, 7, 8])
        #expect(reasons.map(\.1) == [.inTrash, .unknownType, .noEntry])
        #expect(read.leftOutCount == 3)
        #expect(read.notes.contains { $0.entry == 9 && $0.reason == .wrongType })
        // No sentence shows a value.
        for note in read.notes {
            for value in ["4711", "pw", "old", "zz-9", "123"] {
                #expect(!note.sentence.contains(value), "\(note.sentence)")
            }
        }
    }

    @Test
    func `cards, identities, keys and codes have the fields of their types`() throws {
        let entries = try read(Self.vault).entries
        #expect(entries.map(\.type).prefix(5) == ["login", "note", "card", "identity", "ssh-key"])
        #expect(entries[1].secretText == "text" && entries[1].note.isEmpty)
        let card = entries[2].fields
        #expect(card.map(\.name) == ["holder", "brand", "number", "code", "expires"])
        #expect(card.compactMap(\.text).suffix(3) == ["4111111111111111", "123", "2027-05"])
        #expect(entries[3].userName == "ann1")
        #expect(entries[3].fields.map(\.name) == ["first name", "social security number"])
        #expect(entries[4].fields[0].text == "-----BEGIN X-----\na\n")
        // A counter's code does not work here, and is not lost.
        #expect(entries[5].fields.map(\.kind) == ["secret"] && entries[5].secret == nil)
        #expect(entries[6].fields[0].text?.contains("encoder=steam") == true)
    }

    @Test
    func `every rule of an address is taken, or named with its address`() throws {
        let rules = ["null", "0", "3", "3", "4", "9", "[3]"]
        let uris = rules.map { #"{"uri":"https://a.example/x","match":\#($0)}"# }
        let read = try read(
            #"{"encrypted":false,"items":[{"type":1,"name":"A","login":{"uris":["#
                + uris.joined(separator: ",") + "]}}]}"
        )
        #expect(read.entries[0].addresses.map(\.match) == ["domain", "exact", "never"])
        #expect(
            read.notes.map { "\($0.reason.rawValue) \($0.part)" } == [
                "not_held the rule regular expression of the address https://a.example/x",
                "not_held the rule 9 of the address https://a.example/x",
                "wrong_type the rule of the address https://a.example/x",
            ]
        )
    }

    @Test(arguments: [
        (#"{"encrypted":true,"items":[]}"#, MovingError.encryptedForAccount),
        (#"{"encrypted":true,"salt":"x","data":"y"}"#, .passwordNeeded),
        (#"{"encrypted":false,"items":{}}"#, .wrongShape(format: "Bitwarden", member: "items")),
        (#"{"a":1}"#, .unknownFormat),
        (#"{"encrypted":false,"items":[{"type":1"#, .notJSON(line: 1, column: 38)),
        ("{\"encrypted\":false,\n\"encrypted\":1}", .nameTwice(line: 2, column: 1)),
        (#"{"format":"keychain-sync","version":2,"items":[]}"#, .newerVersion),
    ])
    func `a file that cannot be read has one sentence`(_ text: String, _ error: MovingError) {
        #expect(throws: error) { try read(text) }
        #expect(error.sentence.hasSuffix("."))
    }
}
