public import Foundation

/// A password of a server.
///
/// Server, account, protocol, authentication type, port, path, security domain, access group and
/// whether it is synchronizable make its key: no two items have all of them in common.
///
/// ```swift
/// let item = InternetPassword(server: "example.com", account: "ada", password: "secret")
/// try await keychain.add(item)
/// ```
public struct InternetPassword: SecretItem {
    /// The class of internet passwords.
    public static let itemClass = KeychainItemClass.internetPassword

    /// The host name or address.
    public var server: String
    /// The user's name at the server.
    public var account: String
    /// The server's protocol, as four characters such as `htps`.
    public var protocolCode: String?
    /// How the server authenticates, as four characters such as `form`.
    public var authenticationType: String?
    /// The server's port.
    public var port: Int?
    /// The path on the server.
    public var path: String?
    /// The security domain or realm.
    public var securityDomain: String?
    /// The secret; nil when it was not asked for.
    public var secret: Data?
    /// What kind of password it is, for people.
    public var kind: String?
    /// A comment that the user may edit.
    public var comment: String?
    /// The properties that items of all classes have.
    public var details: ItemDetails

    /// An item whose secret is text.
    public init(server: String, account: String, password: String, details: ItemDetails = .init()) {
        self.init(server: server, account: account, secret: Data(password.utf8), details: details)
    }

    /// An item whose secret is any bytes, or that has none.
    public init(server: String, account: String, secret: Data?, details: ItemDetails = .init()) {
        self.server = server
        self.account = account
        self.secret = secret
        self.details = details
    }

    /// The secret as text; nil if it was not asked for or is not UTF-8.
    public var password: String? {
        get { secret.flatMap { String(validating: $0, as: UTF8.self) } }
        set { secret = newValue.map { Data($0.utf8) } }
    }

    /// All properties that are not nil, as attributes.
    public var attributes: KeychainAttributes {
        var attributes = primaryKey
        attributes.set("v_Data", secret)
        attributes.set("desc", kind)
        attributes.set("icmt", comment)
        details.write(to: &attributes)
        return attributes
    }

    /// The attributes of its primary key, which no other item shares.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        attributes.set("srvr", server)
        attributes.set("acct", account)
        attributes.set("ptcl", protocolCode)
        attributes.set("atyp", authenticationType)
        attributes.set("port", port)
        attributes.set("path", path)
        attributes.set("sdmn", securityDomain)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// Makes the item from its stored attributes.
    public init?(_ attributes: KeychainAttributes) {
        server = attributes.text("srvr") ?? ""
        account = attributes.text("acct") ?? ""
        protocolCode = attributes.text("ptcl")
        authenticationType = attributes.text("atyp")
        port = attributes.integer("port")
        path = attributes.text("path")
        securityDomain = attributes.text("sdmn")
        secret = attributes.data("v_Data")
        kind = attributes.text("desc")
        comment = attributes.text("icmt")
        details = ItemDetails(attributes)
    }
}
