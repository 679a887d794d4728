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
public struct GenericPassword: KeychainItem {
    /// The class of all of them.
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
    /// Data of the program.
    public var generic: Data?
    /// What items of all classes have.
    public var details: ItemDetails

    /// A password that is text.
    public init(
        service: String,
        account: String,
        password: String,
        details: ItemDetails = ItemDetails()
    ) {
        self.init(
            service: service,
            account: account,
            secret: Data(password.utf8),
            details: details
        )
    }

    /// A secret of any bytes, or none.
    public init(
        service: String,
        account: String,
        secret: Data?,
        details: ItemDetails = ItemDetails()
    ) {
        self.service = service
        self.account = account
        self.secret = secret
        self.details = details
    }

    /// The secret as text; nil when it was not asked for or is none.
    public var password: String? {
        get { secret.flatMap { String(validating: $0, as: UTF8.self) } }
        set { secret = newValue.map { Data($0.utf8) } }
    }

    /// Everything about it that is not nil.
    public var attributes: KeychainAttributes {
        var attributes = primaryKey
        attributes.set("v_Data", secret)
        attributes.set("desc", kind)
        attributes.set("icmt", comment)
        attributes.set("gena", generic)
        details.write(to: &attributes)
        return attributes
    }

    /// What no other has in common with it.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        attributes.set("svce", service)
        attributes.set("acct", account)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// The item of what the keychain knows about it.
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

extension GenericPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{}
