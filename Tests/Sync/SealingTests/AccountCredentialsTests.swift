import KSPrimitives
import KSRecords
import KSSealing
import Testing

struct AccountCredentialsTests {
    private let accountKey = AccountKey(bytes: .rising(from: 0xF0, count: 16))

    private func derive(_ password: String) throws -> AccountCredentials {
        try AccountCredentials.derive(
            password: Array(password.utf8),
            accountKey: #require(accountKey),
            cost: .simulation
        )
    }

    @Test(arguments: [("credentials K1", ScryptCost.k1), ("credentials cheap", .simulation)])
    func `the frozen credentials are derived again`(name: String, cost: ScryptCost) throws {
        let frozen = try FrozenFormat(name)
        let credentials = try AccountCredentials.derive(
            password: frozen.bytes("password"),
            accountKey: #require(AccountKey(bytes: frozen.bytes("accountKey"))),
            cost: cost
        )
        #expect(try credentials.memberID.bytes == frozen.bytes("member"))
        #expect(try credentials.signingPublicKey == frozen.bytes("signing"))
        #expect(try credentials.agreementPublicKey == frozen.bytes("agreement"))
    }

    @Test
    func `one password in several Unicode forms is one password`() throws {
        let composed = try derive("Gr\u{FC}\u{DF}e \u{FB01}n")
        #expect(try derive("Gru\u{308}\u{DF}e fin").memberID == composed.memberID)
        #expect(try derive("gru\u{308}\u{DF}e fin").memberID != composed.memberID)
    }

    @Test
    func `another password or Account Key gives other credentials`() throws {
        let one = try derive("one")
        #expect(try derive("two").memberID != one.memberID)
        let otherKey = try #require(AccountKey(bytes: .rising(from: 0xF1, count: 16)))
        let other = try AccountCredentials.derive(
            password: Array("one".utf8),
            accountKey: otherKey,
            cost: .simulation
        )
        #expect(other.memberID != one.memberID)
        #expect(other.agreementPublicKey != one.agreementPublicKey)
    }

    @Test
    func `a password that is no text is refused`() throws {
        #expect(throws: SealingError.passwordNotText) {
            try AccountCredentials.derive(
                password: [0xFF, 0x41],
                accountKey: #require(accountKey),
                cost: .simulation
            )
        }
    }
}
