/// A class of items: which attributes it has, and which of them make two items the same.
package enum ItemClass: String, CaseIterable, Sendable {
    case genericPassword = "genp"
    case internetPassword = "inet"
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

    package let name: AttributeName
    package let kind: AttributeKind
    package let half: Half
    package let isInPrimaryKey: Bool
    package let defaultValue: Default

    init(
        _ name: AttributeName,
        _ kind: AttributeKind,
        half: Half = .attributes,
        key isInPrimaryKey: Bool = false,
        default defaultValue: Default = .none
    ) {
        self.name = name
        self.kind = kind
        self.half = half
        self.isInPrimaryKey = isInPrimaryKey
        self.defaultValue = defaultValue
    }

    /// Whether items can be found by it: what lies with the secret is not searched.
    package var isSearchable: Bool { half == .attributes }

    /// Whether it goes to the account's other devices.
    package var isSynced: Bool {
        name != .multiUser && name != .tombstone && name != .synchronizable
    }

    /// Whether its search column holds the value itself: what a thief of the file may know.
    var isInClear: Bool {
        name == .accessible || name == .synchronizable || name == .tombstone
    }

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

    private var descriptions: [AttributeName: AttributeDescription] {
        switch self {
        case .genericPassword: Self.genericPasswordByName
        case .internetPassword: Self.internetPasswordByName
        }
    }

    private static let genericPasswordByName = byName(genericPasswordAttributes)
    private static let internetPasswordByName = byName(internetPasswordAttributes)

    private static func byName(
        _ attributes: [AttributeDescription]
    ) -> [AttributeName: AttributeDescription] {
        Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }

    private static let emptyText = AttributeDescription.Default.value(.string(""))
    private static let zero = AttributeDescription.Default.value(.integer(0))

    private static let common: [AttributeDescription] = [
        .init(.creationDate, .date, default: .now),
        .init(.modificationDate, .date, default: .now),
        .init(.label, .blob),
        .init(.accessGroup, .string, key: true, default: .callersGroup),
        .init(
            .accessible,
            .access,
            default: .value(.string(Accessibility.whenUnlocked.rawValue))
        ),
        .init(.synchronizable, .flag, key: true, default: zero),
        .init(.tombstone, .flag, default: zero),
        .init(.syncViewHint, .string, key: true, default: .absentAsEmpty),
        .init(.tokenID, .string, key: true, default: .absentAsEmpty),
        .init(.multiUser, .uuid, key: true, default: .value(.data([]))),
        .init(.sharingGroup, .string, key: true, default: .absentAsEmpty),
    ]

    private static let password: [AttributeDescription] = [
        .init(.description, .blob),
        .init(.comment, .blob),
        .init(.creator, .number),
        .init(.type, .number),
        .init(.scriptCode, .number),
        .init(.alias, .blob),
        .init(.isInvisible, .number),
        .init(.isNegative, .number),
        .init(.hasCustomIcon, .number),
        .init(.protectedBy, .blob),
        .init(.account, .blob, key: true, default: emptyText),
    ]

    private static let genericPasswordAttributes: [AttributeDescription] =
        sorted(
            common + password + [
                .init(.service, .blob, key: true, default: emptyText),
                .init(.generic, .blob),
            ]
        )

    private static let internetPasswordAttributes: [AttributeDescription] =
        sorted(
            common + password + [
                .init(.securityDomain, .blob, key: true, default: emptyText),
                .init(.server, .blob, key: true, default: emptyText),
                .init(.networkProtocol, .number, key: true, default: zero),
                .init(.authenticationType, .blob, key: true, default: emptyText),
                .init(.port, .number, key: true, default: zero),
                .init(.path, .blob, key: true, default: emptyText),
                .init(.notesData, .data, half: .secret),
                .init(.historyData, .data, half: .secret),
                .init(.clientData0, .data, half: .secret),
                .init(.clientData1, .data, half: .secret),
                .init(.clientData2, .data, half: .secret),
                .init(.clientData3, .data, half: .secret),
            ]
        )

    private static func sorted(_ attributes: [AttributeDescription]) -> [AttributeDescription] {
        attributes.sorted { $0.name < $1.name }
    }
}
