internal import KSRedaction
package import KSSealing
package import KSTransport

/// What a sign-up and a login ask for, checked.
package struct CheckedAccountForm: Sendable, Redacted {
    /// What a new account's password must at least have; the Account Key adds 128 bits to it.
    package static let passwordCharactersMin = 8

    package let form: AccountForm
    package let server: ServerEndpoint
    /// Nil to make a new account.
    package let accountKey: AccountKey?

    /// What is known before the password: the server and the names.
    package init(withoutSecrets form: AccountForm) throws {
        server = try ServerEndpoint(
            origin: form.server,
            pins: form.pins ?? [],
            authorityFile: form.authorityFile
        )
        var form = form
        form.account = try Self.name(form.account)
        form.device = try Self.name(form.device)
        self.form = form
        accountKey = nil
    }

    package init(_ form: AccountForm, isLogin: Bool) throws {
        let checked = try CheckedAccountForm(withoutSecrets: form)
        (self.form, server) = (checked.form, checked.server)
        try Self.check(password: form.password, isNew: !isLogin)
        if isLogin {
            guard let text = form.accountKey else { throw CommandFailure.malformedCall }
            accountKey = try AccountKey(parsing: text)
        } else {
            accountKey = nil
        }
    }

    /// The name of an account or a device, without blanks around it.
    ///
    /// - Throws: ``CommandFailure`` if nothing else is in it: no list could show such a name.
    package static func name(_ typed: String) throws(CommandFailure) -> String {
        let isBlank = { (character: Character) in character.isWhitespace }
        let name = typed.drop(while: isBlank)
        guard let end = name.lastIndex(where: { !isBlank($0) }) else {
            throw .usage("The name of an account or a device must not be empty or blank.")
        }
        return String(name[...end])
    }

    /// Refuses bytes that cannot be a password.
    package static func check(password: [UInt8], isNew: Bool) throws(CommandFailure) {
        guard let text = String(validating: password, as: UTF8.self) else {
            throw CommandFailure(SealingError.passwordNotText)
        }
        guard !text.isEmpty else {
            throw CommandFailure.usage("The password is empty: type one, or give a file with it.")
        }
        guard !isNew || text.count >= passwordCharactersMin else {
            throw CommandFailure.usage(
                "The password is too short: it needs \(passwordCharactersMin) characters or more."
            )
        }
    }
}
