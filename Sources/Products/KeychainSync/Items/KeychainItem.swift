package import KSAgent
public import Foundation

/// An item that a keychain holds.
public protocol KeychainItem: Sendable, Hashable {
    /// Its class.
    static var itemClass: KeychainItemClass { get }
    /// All properties that are not nil, including the secret, as attributes.
    var attributes: KeychainAttributes { get }
    /// The attributes of its primary key, which no two items of its class share.
    var primaryKey: KeychainAttributes { get }
    /// The properties that items of all classes have.
    var details: ItemDetails { get }
    /// Makes the item from its stored attributes; nil if they do not describe one.
    init?(_ attributes: KeychainAttributes)
}

extension KeychainItem {
    /// A reference that finds the item as long as it exists; nil before the item is stored.
    ///
    /// The reference of an identity is made from its certificate's.
    public var persistentReference: Data? { details.persistentReference }
}

/// An item that holds a secret, so that no log shows it.
typealias SecretItem = KeychainItem & CustomStringConvertible & CustomDebugStringConvertible
    & CustomReflectable

extension KeychainItem {
    /// The type's name and nothing that the item holds.
    public var description: String { "\(Self.self)(redacted)" }
    /// The same as `description`.
    public var debugDescription: String { "\(Self.self)(redacted)" }
    /// Empty, so that no log shows a secret.
    public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}

/// The classes of items.
public enum KeychainItemClass: String, Sendable, CaseIterable {
    /// A password of an app or a service.
    case genericPassword = "genp"
    /// A password of a server.
    case internetPassword = "inet"
    /// A certificate.
    case certificate = "cert"
    /// A cryptographic key.
    case key = "keys"
    /// A certificate with its private key, which are also items of their own.
    case identity = "idnt"
}

/// The attributes of an item, as the keychain stores them.
public struct KeychainAttributes: Sendable, Equatable {
    package var values: AgentDictionary

    package init(values: AgentDictionary = [:]) {
        self.values = values
    }

    // MARK: Reading

    func text(_ name: String) -> String? {
        switch values[name] {
        case .string(let text): text
        // Some programs keep texts as bytes.
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    func data(_ name: String) -> Data? {
        switch values[name] {
        case .data(let bytes): Data(bytes)
        case .string(let text): Data(text.utf8)
        default: nil
        }
    }

    func integer(_ name: String) -> Int? {
        switch values[name] {
        case .integer(let number): Int(number)
        case .bool(let flag): flag ? 1 : 0
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// A number as text; any other text unchanged, since programs may store it instead.
    func number(_ name: String) -> String? {
        if case .string(let text) = values[name] { return text }
        return integer(name).map { "\($0)" }
    }

    func date(_ name: String) -> Date? {
        values[name]?.date.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    // MARK: Writing

    mutating func set(_ name: String, _ text: String?) {
        if let text { values[name] = .string(text) }
    }

    mutating func set(_ name: String, _ data: Data?) {
        if let data { values[name] = .data([UInt8](data)) }
    }

    mutating func set(_ name: String, _ number: Int?) {
        if let number { values[name] = .integer(Int64(number)) }
    }

    mutating func set(_ name: String, _ flag: Bool) {
        values[name] = .bool(flag)
    }

    // MARK: Updates

    /// The attributes for an update, without the object; the bytes of a certificate replace it.
    func update(of itemClass: KeychainItemClass) -> AgentDictionary {
        var update = values
        guard let object = update["v_Ref"]?.dictionary else { return update }
        update["v_Ref"] = nil
        if itemClass == .certificate { update["v_Data"] = object["certificate"] }
        return update
    }
}

/// The properties that items of all classes have.
public struct ItemDetails: Sendable, Hashable {
    /// The name of the item, for people.
    public var label: String?
    /// When the item can be read; nil for the default of its class.
    public var accessibility: Accessibility?
    /// The access group; nil for the program's first one.
    public var accessGroup: String?
    /// Whether the item appears on all devices of the account.
    public var isSynchronizable = false
    /// When it was added.
    public internal(set) var creationDate: Date?
    /// When it was changed last.
    public internal(set) var modificationDate: Date?
    /// A reference that finds the item as long as it exists.
    public internal(set) var persistentReference: Data?

    /// Details of a new item.
    public init(
        label: String? = nil,
        accessibility: Accessibility? = nil,
        accessGroup: String? = nil,
        isSynchronizable: Bool = false
    ) {
        self.label = label
        self.accessibility = accessibility
        self.accessGroup = accessGroup
        self.isSynchronizable = isSynchronizable
    }

    init(_ attributes: KeychainAttributes) {
        label = attributes.text("labl")
        accessibility = attributes.text("pdmn").flatMap(Accessibility.init)
        accessGroup = attributes.text("agrp")
        isSynchronizable = attributes.integer("sync") == 1
        creationDate = attributes.date("cdat")
        modificationDate = attributes.date("mdat")
        persistentReference = attributes.data("v_PersistentRef")
    }

    func write(to attributes: inout KeychainAttributes) {
        attributes.set("labl", label)
        attributes.set("pdmn", accessibility?.rawValue)
        writeKey(to: &attributes)
    }

    func writeKey(to attributes: inout KeychainAttributes) {
        attributes.set("agrp", accessGroup)
        attributes.set("sync", isSynchronizable)
    }
}
