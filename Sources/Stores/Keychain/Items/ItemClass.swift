/// A class of items: which attributes it has, and which of them make two items the same.
package enum ItemClass: String, CaseIterable, Sendable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"

    package var isPassword: Bool { self == .genericPassword || self == .internetPassword }

    /// The four letters as bytes: how a persistent reference begins.
    var letters: [UInt8] { Array(rawValue.utf8) }
}

/// The description of one attribute of a class.
package struct AttributeDescription: Sendable {
    package enum Default: Sendable {
        /// Absent, also from the item.
        case none
        /// Absent from the item, but compared as empty text, so that it takes part in the key.
        case absentAsEmpty
        case value(AttributeValue)
        /// The time of the add, whatever the caller says.
        case now
        /// The first group of the caller.
        case callersGroup
    }

    /// Further properties of an attribute.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8

        /// Part of the primary key: items that differ in it are different items.
        static let key = Traits(rawValue: 1)
        /// Its search column holds the value itself, which a thief of the file can read.
        static let clear = Traits(rawValue: 2)
        /// It is sealed with the secret.
        static let secret = Traits(rawValue: 4)
        /// Items cannot be found by it.
        static let unsearched = Traits(rawValue: 8)
        /// It does not go to the account's other devices.
        static let local = Traits(rawValue: 16)
        /// It does not count in ``ItemDigest``.
        static let undigested = Traits(rawValue: 32)
    }

    package let name: AttributeName
    package let kind: AttributeKind
    package let defaultValue: Default
    private let traits: Traits

    init(
        _ name: AttributeName,
        _ kind: AttributeKind,
        _ traits: Traits = [],
        default defaultValue: Default = .none
    ) {
        self.name = name
        self.kind = kind
        self.traits = traits
        self.defaultValue = defaultValue
    }

    /// Whether it is sealed with the secret, and readable only together with it.
    package var isWithSecret: Bool { traits.contains(.secret) }

    package var isInPrimaryKey: Bool { traits.contains(.key) }

    /// Whether items can be found by it.
    package var isSearchable: Bool { traits.isDisjoint(with: [.secret, .unsearched]) }

    /// Whether it goes to the account's other devices.
    package var isSynced: Bool { !traits.contains(.local) }

    /// Whether its search column holds the value itself.
    var isInClear: Bool { traits.contains(.clear) }

    /// Whether it counts in ``ItemDigest``.
    var isDigested: Bool { traits.isDisjoint(with: [.secret, .undigested]) }

    /// The comparable form of the default value, for absent values; nil without a default.
    var absentForm: ComparableForm? {
        switch defaultValue {
        case .absentAsEmpty: AttributeValue.string("").comparableForm(as: kind)
        case .value(let value): value.comparableForm(as: kind)
        case .none, .now, .callersGroup: nil
        }
    }
}

extension ItemClass {
    /// The attributes of this class, in the order of their names.
    package var attributes: [AttributeDescription] { table.attributes }

    /// The description of an attribute; nil if this class has none of this name.
    package subscript(name: AttributeName) -> AttributeDescription? { table.byName[name] }

    /// The description of an attribute.
    ///
    /// - Throws: ``KeychainError/noSuchAttribute`` when it has none of this name.
    package func attribute(_ name: AttributeName) throws(ItemStoreError) -> AttributeDescription {
        guard let description = self[name] else { throw .noSuchAttribute }
        return description
    }

    /// The statements for this class's table.
    var sql: ItemSQL { table.sql }

    /// Data that is computed once for each class; an object, so that it is not copied.
    private final class Table: Sendable {
        let attributes: [AttributeDescription]
        let byName: [AttributeName: AttributeDescription]
        let sql: ItemSQL

        init(_ itemClass: ItemClass, _ attributes: [AttributeDescription]) {
            self.attributes = attributes
            byName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
            sql = ItemSQL(table: itemClass.rawValue, attributes)
        }
    }

    private var table: Table {
        switch self {
        case .genericPassword: Self.genericPasswordTable
        case .internetPassword: Self.internetPasswordTable
        case .certificate: Self.certificateTable
        case .key: Self.keyTable
        }
    }

    private static let genericPasswordTable = Table(.genericPassword, genericPasswordAttributes)
    private static let internetPasswordTable = Table(.internetPassword, internetPasswordAttributes)
    private static let certificateTable = Table(.certificate, certificateAttributes)
    private static let keyTable = Table(.key, keyAttributes)
}
