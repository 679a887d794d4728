internal import KSRedaction

/// A call that joins an account, or prepares to.
package protocol AccountCall: AgentCall, Codable where Answer == JoinedAccount {
    var form: AccountForm { get }
    init(_ form: AccountForm)
}

extension AccountCall {
    package static var permission: AgentPermission { .seesAll }

    package init(from decoder: any Decoder) throws {
        self.init(try AccountForm(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try form.encode(to: encoder)
    }
}

/// What a sign-up and a login ask for.
package struct AccountForm: Codable, Sendable {
    package var server: String
    package var pins: [String]?
    package var authorityFile: String?
    package var account: String
    package var device: String
    package var password: [UInt8]
    /// Of a login.
    package var accountKey: String?
    /// Of a sign-up, where the server asks for one.
    package var invitation: String?

    package init(
        server: String,
        pins: [String]? = nil,
        authorityFile: String? = nil,
        account: String,
        device: String,
        password: [UInt8],
        accountKey: String? = nil,
        invitation: String? = nil
    ) {
        self.server = server
        self.pins = pins
        self.authorityFile = authorityFile
        self.account = account
        self.device = device
        self.password = password
        self.accountKey = accountKey
        self.invitation = invitation
    }
}

/// Makes the Account Key of the sign-up that this form would send; asks no server.
package struct PrepareSignUp: AccountCall {
    package typealias Answer = JoinedAccount
    package static let name = "account.prepare"
    package let form: AccountForm

    package init(_ form: AccountForm) { self.form = form }
}

/// Makes an account.
package struct SignUp: AccountCall {
    package typealias Answer = JoinedAccount
    package static let name = "account.signup"
    package let form: AccountForm

    package init(_ form: AccountForm) { self.form = form }
}

/// Joins an account.
package struct LogIn: AccountCall {
    package typealias Answer = JoinedAccount
    package static let name = "account.login"
    package let form: AccountForm

    package init(_ form: AccountForm) { self.form = form }
}

/// The account, and the key to it.
package struct JoinedAccount: AgentCoded, Codable {
    package var account: String
    package var device: String
    package var server: String
    package var accountKey: String

    package init(account: String, device: String, server: String, accountKey: String) {
        self.account = account
        self.device = device
        self.server = server
        self.accountKey = accountKey
    }
}

/// Whether an account may have this key that this device has made, or is making.
package struct MayHaveAccountKey: AgentCall, Codable {
    package typealias Answer = Bool
    package static let name = "account.mayHaveKey"
    package static let permission = AgentPermission.seesAll

    package var accountKey: String

    package init(accountKey: String) { self.accountKey = accountKey }
}

/// Leaves the account on this device; the server is not asked.
package struct LeaveAccount: AgentCall, Codable {
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
}

/// The account that a device has left.
package struct LeftAccount: AgentCoded, Codable, Equatable {
    package var account: String
    package var device: String
    /// Changes that were not on the server.
    package var unsent: Int
    /// Synced items and values that were kept or removed.
    package var entries: Int

    package init(account: String, device: String, unsent: Int, entries: Int) {
        self.account = account
        self.device = device
        self.unsent = unsent
        self.entries = entries
    }
}

extension AccountForm: Redacted {}
extension JoinedAccount: Redacted {}
