import KSSecretReferences
import KSTestSupport
import Testing

struct SecretReferenceTests {
    @Test(
        arguments: [
            ("keychain://github.com/ada", "github.com", "ada", .password),
            ("keychain://github.com/ada/username", "github.com", "ada", .username),
            ("keychain://github.com/ada/otp", "github.com", "ada", .otp),
            ("keychain://github.com/ada/API key", "github.com", "ada", .named("API key")),
            ("keychain://github.com//notes", "github.com", "", .notes),
            ("keychain://github.com/", "github.com", "", .password),
            ("keychain://github.com", "github.com", "", .password),
            ("KeyChain://a%2Fb/%25/%C3%A9", "a/b", "%", .named("é")),
            (
                "keychain://localhost:8080/ada@example.org", "localhost:8080", "ada@example.org",
                .password
            ),
        ] as [(String, String, String, SecretReference.Field)]
    )
    func `a reference names a site, an account and a field`(
        text: String,
        site: String,
        account: String,
        field: SecretReference.Field
    ) throws {
        let reference = try SecretReference(parsing: text)
        #expect(reference == SecretReference(site: site, account: account, field: field))
    }

    @Test(
        arguments: [
            ("github.com/ada", .noScheme), ("keychain:/a/b", .noScheme), ("", .noScheme),
            ("keychain://", .noSite), ("keychain:///ada", .noSite), ("keychain://a/b/", .noField),
            ("keychain://a/b/c/d", .tooManyParts), ("keychain://a%2", .badPercent),
            ("keychain://a%zz", .badPercent), ("keychain://a%00", .badPercent),
            ("keychain://a/b?otp", .reserved(0x3F)), ("keychain://a/b#c", .reserved(0x23)),
            ("keychain://a\nb/c", .controlCharacter), ("keychain://a%FF/b", .notUTF8),
        ] as [(String, ReferenceError)]
    )
    func `a malformed reference is refused with its reason`(text: String, error: ReferenceError) {
        #expect(throws: error) { try SecretReference(parsing: text) }
        #expect(!error.explanation.isEmpty)
    }

    @Test(
        arguments: [
            (SecretReference(site: "a/b", account: "c d"), "keychain://a%2Fb/c%20d"),
            (SecretReference(site: "a", account: "", field: .otp), "keychain://a//otp"),
            (SecretReference(site: "a", account: ""), "keychain://a"),
            (
                SecretReference(site: "http://h:80/x,realm=A B,synced=no", account: "c"),
                "keychain://http:%2F%2Fh:80%2Fx,realm=A%20B,synced=no/c"
            ),
            (
                SecretReference(site: "bücher.de", account: "$x`}"),
                "keychain://bücher.de/%24x%60%7D"
            ),
            (SecretReference(site: "a", account: "b", field: .named("\n")), "keychain://a/b/%0A"),
        ] as [(SecretReference, String)]
    )
    func `a printed reference needs no quotes`(reference: SecretReference, text: String) {
        #expect(reference.description == text)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a printed reference parses to itself`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func name(_ countMin: Int) -> String {
            let letters = Array("ab%/?#{}\"' é🙂\n\\$.-\u{301}")
            return String(
                (0..<Int.random(in: countMin...5, using: &random)).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                }
            )
        }
        let fields: [SecretReference.Field] = [.password, .notes, .otp, .username, .named(name(1))]
        let reference = SecretReference(
            site: name(1),
            account: name(0),
            field: fields[Int.random(in: 0..<fields.count, using: &random)]
        )
        let text = reference.description
        #expect(try SecretReference(parsing: text) == reference, "\(text)")
        #expect(!text.unicodeScalars.contains { "\"'{}$\\ \n?#`".unicodeScalars.contains($0) })
    }
}
