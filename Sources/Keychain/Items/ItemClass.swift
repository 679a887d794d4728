/// A class of items: which attributes it has, and which of them make two items the same.
package enum ItemClass: String, CaseIterable, Sendable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"

    /// The four letters as bytes: how a persistent reference begins.
    var letters: [UInt8] {
        Array(rawValue.utf8)
    }
}

/// What a class says of one attribute.
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

    /// Where the value lies: readable without the secret, or together with it.
    package enum Half: Sendable {
        case attributes
        case secret
    }

    /// What else there is to say of it.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8

        /// Two items of which it is different are not the same.
        static let key = Traits(rawValue: 1)
        /// Its search column holds the value itself: what a thief of the file may know.
        static let clear = Traits(rawValue: 2)
        /// It lies with the secret.
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

    package var half: Half { traits.contains(.secret) ? .secret : .attributes }

    package var isInPrimaryKey: Bool { traits.contains(.key) }

    /// Whether items can be found by it.
    package var isSearchable: Bool { traits.isDisjoint(with: [.secret, .unsearched]) }

    /// Whether it goes to the account's other devices.
    package var isSynced: Bool { !traits.contains(.local) }

    /// Whether its search column holds the value itself.
    var isInClear: Bool { traits.contains(.clear) }

    /// Whether it counts in ``ItemDigest``.
    var isDigested: Bool { traits.isDisjoint(with: [.secret, .undigested]) }

    /// The form that an absent value is compared by, or nil where it is compared with nothing.
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
    package var attributes: [AttributeDescription] {
        switch self {
        case .genericPassword: Self.genericPasswordAttributes
        case .internetPassword: Self.internetPasswordAttributes
        case .certificate: Self.certificateAttributes
        case .key: Self.keyAttributes
        }
    }

    /// What this class says of an attribute.
    ///
    /// - Throws: ``KeychainError/noSuchAttribute`` when it has none of this name.
    package func attribute(
        _ name: AttributeName
    ) throws(KeychainError) -> AttributeDescription {
        guard let description = descriptions[name] else { throw .noSuchAttribute }
        return description
    }

    /// What this class says of an attribute, or nil when it has none of this name.
    package subscript(name: AttributeName) -> AttributeDescription? {
        descriptions[name]
    }

    private var descriptions: [AttributeName: AttributeDescription] {
        switch self {
        case .genericPassword: Self.genericPasswordByName
        case .internetPassword: Self.internetPasswordByName
        case .certificate: Self.certificateByName
        case .key: Self.keyByName
        }
    }

    private static let genericPasswordByName = byName(genericPasswordAttributes)
    private static let internetPasswordByName = byName(internetPasswordAttributes)
    private static let certificateByName = byName(certificateAttributes)
    private static let keyByName = byName(keyAttributes)

    private static func byName(
        _ attributes: [AttributeDescription]
    ) -> [AttributeName: AttributeDescription] {
        Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }
}
