public import Foundation

/// A password of an app or a service.
///
/// Service, account, access group and whether it is synchronizable make its key: no two items have
/// all of them in common.
///
/// ```swift
/// var item = GenericPassword(service: "mail", account: "ada", password: "secret")
/// item.details.isSynchronizable = true
/// try await keychain.add(item)
/// ```
public struct GenericPassword: SecretItem {
    /// The class of generic passwords.
    public static let itemClass = KeychainItemClass.genericPassword

    /// What the password is for.
    public var service: String
    /// The user's name at the service.
    public var account: String
    /// The secret; nil when it was not asked for.
    public var secret: Data?
    /// What kind of password it is, for people.
    public var kind: String?
    /// A comment that the user may edit.
    public var comment: String?
    /// Data for the program's own use.
    public var generic: Data?
    /// The properties that items of all classes have.
    public var details: ItemDetails

    /// An item whose secret is text.
    public init(service: String, account: String, password: String, details: ItemDetails = .init())
    {
        self.init(service: service, account: account, secret: Data(password.utf8), details: details)
    }

    /// An item whose secret is any bytes, or that has none.
    public init(service: String, account: String, secret: Data?, details: ItemDetails = .init()) {
        self.service = service
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
        attributes.set("gena", generic)
        details.write(to: &attributes)
        return attributes
    }

    /// The attributes of its primary key, which no other item shares.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        attributes.set("svce", service)
        attributes.set("acct", account)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// Makes the item from its stored attributes.
    public init?(_ attributes: KeychainAttributes) {
        service = attributes.text("svce") ?? ""
        account = attributes.text("acct") ?? ""
        secret = attributes.data("v_Data")
        kind = attributes.text("desc")
        comment = attributes.text("icmt")
        generic = attributes.data("gena")
        details = ItemDetails(attributes)
    }
}
