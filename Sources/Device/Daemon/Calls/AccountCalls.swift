package import KSAgent
internal import KSCertificates
internal import KSRedaction
internal import KSSealing
internal import KSTransport
internal import KSWire
internal import KSSyncEngine

/// What a sign-up and a login ask for.
package struct AccountForm: Codable, Sendable, Redacted {
    package var server: String
    package var pins: [String]?
    package var authorityFile: String?
    package var account: String
    package var device: String
    package var password: [UInt8]
    /// Only for a login.
    package var accountKey: String?
    /// The names or codes of devices to remove first; only for a login.
    package var removedDevices: [String]?
    /// Whether what the device kept of another account may go into this one.
    package var intoOtherAccount: Bool?
    /// Only for a sign-up, if the server's operator requires one.
    package var invitation: String?

    package init(
        server: String,
        pins: [String]? = nil,
        authorityFile: String? = nil,
        account: String,
        device: String,
        password: [UInt8]
    ) {
        (self.server, self.pins, self.authorityFile) = (server, pins, authorityFile)
        (self.account, self.device, self.password) = (account, device, password)
    }
}

/// Checks the server, its pin and the names of this form, whose password is still to be typed.
package struct CheckServer: HandledCommand, Codable {
    package static let name = "account.check"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    package var form: AccountForm
    /// Whether the server is also asked if it would make this account now.
    package var isNewAccount: Bool

    package init(_ form: AccountForm, isNewAccount: Bool = false) {
        (self.form, self.isNewAccount) = (form, isNewAccount)
    }

    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let request = try CheckedAccountForm(withoutSecrets: form)
        try await request.explaining {
            try await daemon.accounts.checkServer(of: request, isNewAccount: isNewAccount)
        }
    }
}

/// Reads the pin of the key that a server shows, for the user to compare: nothing trusts it.
package struct GetServerPin: HandledCall, Codable {
    package typealias Answer = ServerPin
    package static let name = "account.serverPin"
    package static let permission = AgentPermission.seesAll
    package var server: String

    package init(server: String) { self.server = server }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ServerPin {
        let certificate = try await CurlTransport.certificate(shownBy: server)
        return ServerPin(pin: try CertificatePin.pin(certificatePEM: certificate))
    }
}

/// The pin of a server's key.
package struct ServerPin: AgentCoded, Codable {
    package var pin: String
}

/// Prepares the sign-up of this form and returns its Account Key.
///
/// The server is asked whether it would accept the sign-up, which is not sent yet.
package struct PrepareSignUp: HandledCall, Codable {
    package typealias Answer = JoinedAccount
    package static let name = "account.prepare"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    package var form: AccountForm

    package init(_ form: AccountForm) { self.form = form }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> JoinedAccount {
        let request = try CheckedAccountForm(form, isLogin: false)
        return try await request.explaining {
            JoinedAccount(request, try await daemon.accounts.prepareSignUp(request))
        }
    }
}

/// Makes an account.
package struct SignUp: HandledCall, Codable {
    package typealias Answer = JoinedAccount
    package static let name = "account.signup"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    package var form: AccountForm

    package init(_ form: AccountForm) { self.form = form }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> JoinedAccount {
        try await daemon.join(try CheckedAccountForm(form, isLogin: false), caller)
    }
}

/// Joins an account.
package struct LogIn: HandledCall, Codable {
    package typealias Answer = JoinedAccount
    package static let name = "account.login"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    package var form: AccountForm

    package init(_ form: AccountForm) { self.form = form }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> JoinedAccount {
        try await daemon.join(try CheckedAccountForm(form, isLogin: true), caller)
    }
}

/// Leaves the account on this device; the server does not hear of it.
package struct LeaveAccount: HandledCall, Codable {
    package typealias Answer = LeftAccount
    package static let name = "account.leave"
    package static let permission = AgentPermission.seesAll

    /// Whether synced items and values stay, as ones of this device alone.
    package var keepsItems: Bool
    /// Whether changes that are not on the server may be lost; without it such a call is refused.
    package var discardsUnsent: Bool

    package init(keepsItems: Bool, discardsUnsent: Bool) {
        self.keepsItems = keepsItems
        self.discardsUnsent = discardsUnsent
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LeftAccount {
        let report = caller.reportProgress
        return try await LiveProgress.reporting("Leaving the account", to: report) { progress in
            try await daemon.accounts.leave(
                keepsItems: keepsItems,
                discardsUnsent: discardsUnsent,
                progress
            )
        }
    }
}

/// Deletes the account from its server; the device leaves it, and keeps its items.
package struct DeleteAccount: HandledCall, Codable, Redacted {
    package typealias Answer = LeftAccount
    package static let name = "account.delete"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }

    /// The account's password, in UTF-8.
    package var password: [UInt8]

    package init(password: [UInt8]) { self.password = password }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LeftAccount {
        do {
            return try await daemon.accounts.deleteAccount(password: password)
        } catch AccountSetupError.credentialsRefused {
            throw CommandFailure(code: .deletionRefused)
        }
    }
}

/// The account that a device has left.
package struct LeftAccount: AgentCoded, Codable, Equatable {
    package var account: String
    package var device: String
    /// Items and values with changes that were not on the server.
    package var unsent: Int
    /// Synced items and values that were kept or removed.
    package var entries: Int
}

extension CallHandler {
    fileprivate func join(
        _ request: CheckedAccountForm,
        _ caller: Caller
    ) async throws -> JoinedAccount {
        try await request.explaining {
            let joined = try await accounts.join(request, reportProgress: caller.reportProgress)
            var answer = JoinedAccount(request, joined.accountKey)
            answer.device = joined.names.device
            answer.freeDevices = joined.freeDevices
            answer.removed = joined.removed.shown(by: DeviceChoice(among: joined.removed))
            return answer
        }
    }
}

extension CheckedAccountForm {
    /// Names what a device without an account cannot show elsewhere.
    fileprivate func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch ServerError.transport(.outOfReach) {
            throw CommandFailure(
                code: .outOfReach,
                sentence:
                    "The server is out of reach: check its address and your connection, and try"
                    + " again."
            )
        } catch ServerError.transport(.untrusted(.pinMismatch)) {
            throw CommandFailure(
                code: .pinMismatch,
                sentence:
                    "The server's key is not the pinned one, and nothing was sent: compare --pin,"
                    + " or the kit's pin, with what sync-server prints when it starts."
            )
        } catch ServerError.refused(.invitationNeeded, _, _) where form.invitation?.isEmpty == false
        {
            throw CommandFailure.invitationUnknown
        } catch ServerError.refused(.wrongOrigin, _, _) {
            // Names the origin in the error: without an account, the status cannot show it.
            throw CommandFailure.wrongOrigin(server.origin)
        }
    }
}

/// The account that a device has joined, and its Account Key.
package struct JoinedAccount: AgentCoded, Codable, Redacted {
    package var account: String
    package var device: String
    package var server: String
    package var accountKey: String
    /// How many devices can still join the account.
    package var freeDevices: Int?
    /// The devices that the login has removed from the account.
    package var removed: [ShownDevice]?

    fileprivate init(_ request: CheckedAccountForm, _ accountKey: AccountKey) {
        account = request.form.account
        device = request.form.device
        server = request.server.origin
        self.accountKey = accountKey.text
    }
}

/// Asks whether an account that this device signed up may exist with this Account Key.
package struct MayHaveAccountKey: HandledCall, Codable {
    package typealias Answer = Bool
    package static let name = "account.mayHaveKey"
    package static let permission = AgentPermission.seesAll

    package var accountKey: String

    package init(accountKey: String) { self.accountKey = accountKey }

    /// Whether the device has an account, or a sign-up with this key that was sent.
    ///
    /// On a device with an account the drafts are gone, and the key may be the account's.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Bool {
        let accountKey = try AccountKey(parsing: accountKey)
        if try daemon.owner.files.hasAccount() { return true }
        return try await daemon.owner.signUpDrafts().contains {
            $0.wasSent && $0.accountKey == accountKey
        }
    }
}

/// Forgets the sign-up with this Account Key, unless it was sent.
///
/// The answer is whether there was one: then no account has the key, or ever will, and its kit is
/// void.
package struct DiscardUnsentSignUp: HandledCall, Codable {
    package typealias Answer = Bool
    package static let name = "account.discardUnsent"
    package static let permission = AgentPermission.seesAll

    package var accountKey: String

    package init(accountKey: String) { self.accountKey = accountKey }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Bool {
        try await daemon.accounts.discardUnsentSignUp(AccountKey(parsing: accountKey))
    }
}
