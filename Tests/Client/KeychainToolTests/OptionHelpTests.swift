import KSEveryday
import Testing

/// Help, completion and the manual page name the options that the commands for people take.
struct OptionHelpTests {
    @Test(arguments: EverydayCommand.table.map(\.name))
    func `the help of a command lists the options that it takes`(name: String) throws {
        let command = try #require(EverydayCommand.named(name))
        let listed = Set(command.options.map(\.name))
        #expect(listed == Set(command.accepted.flags + command.accepted.valued))
        for option in command.options {
            #expect(option.takesValue == command.accepted.valued.contains(option.name), "\(option)")
        }
        for (letter, long) in command.accepted.letters {
            #expect(command.help.contains("    -\(letter), --\(long)"))
        }
        for line in command.help.split(separator: "\n").dropFirst() {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test(
        arguments: [
            ("login", [:]), ("note", [:]),
            (
                "card",
                [
                    "holder": "text", "number": "secret", "expires": "month", "code": "secret",
                    "pin": "secret",
                ]
            ),
            (
                "identity",
                [
                    "first name": "text", "last name": "text", "email": "email", "phone": "phone",
                    "street": "text", "city": "text", "postcode": "text", "country": "text",
                    "born": "date",
                ]
            ),
            ("ssh-key", ["private key": "secret", "public key": "text"]),
            ("wifi", ["network": "text", "security": "text"]),
            (
                "passkey",
                [
                    "relying party": "text", "user handle": "text", "credential id": "text",
                    "private key": "secret",
                ]
            ),
        ] as [(String, [String: String])]
    )
    func `a type has its usual fields and no others`(type: String, fields: [String: String]) throws
    {
        let usual = try #require(ItemKinds.usualFields[type])
        #expect(usual.count == fields.count)
        for field in usual { #expect(fields[field.name] == field.kind, "\(field)") }
    }

    @Test
    func `these are all types`() {
        let names = ["login", "note", "card", "identity", "ssh-key", "wifi", "passkey"]
        #expect(ItemKinds.names == names)
        #expect(Set(ItemKinds.usualFields.keys) == Set(names))
    }
}
