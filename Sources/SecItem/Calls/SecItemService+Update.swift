internal import KSAgent
internal import KSKeychain

extension SecItemService {
    func change(
        _ dictionary: AgentDictionary,
        _ attributes: AgentDictionary,
        _ client: ProgramAccess
    ) throws(SecItemError) {
        let access = try client.access(for: .writing)
        try access.checkExplicitGroup(dictionary)
        try client.checkEntitled(to: attributes)
        let query = try QueryParser.query(dictionary)
        // Apple's keychain gives up here, and so does whoever relies on it.
        if query.persistentReference?.target == .identities { throw .internalFailure }
        guard query.returns.isEmpty, !query.matches.isNamed, query.authentication != .skips
        else { throw .parameter }
        let update = try ParsedUpdate(attributes, target: query.target)
        try update.check(query: query, access, client)
        switch query.target {
        case .items(let itemClass):
            let match = try query.match(itemClass, access)
            let changes = update.changes(of: itemClass)
            try perform { () throws(KeychainError) in
                if query.authentication == .fails { try refuseDemanding(match) }
                try keychain.update(match, changes, tombstones: query.tombstones)
            }
        case .identities:
            // One secret for both halves would leave neither.
            guard !update.setsSecret else { throw .parameter }
            try updateIdentities(query, update, access)
        }
    }

    /// - Throws: ``KeychainError/interactionNotAllowed`` when someone would have to be asked.
    func refuseDemanding(_ match: ItemQuery) throws(KeychainError) {
        _ = try keychain.find(match) { item in
            if item.demandsAuthentication { throw KeychainError.interactionNotAllowed }
            return false
        }
    }
}

extension CallerAccess {
    /// Asked for update and delete before the query is read.
    ///
    /// - Throws: ``SecItemError/missingEntitlement`` for a group that the caller may not use.
    func checkExplicitGroup(_ dictionary: AgentDictionary) throws(SecItemError) {
        let group: String
        switch dictionary["agrp"] {
        case .string(let text): group = text
        case .data(let bytes): group = String(decoding: bytes, as: UTF8.self)
        // Told when the query is read.
        default: return
        }
        guard allows(group) else { throw .missingEntitlement }
    }
}

/// What an update sets, read.
struct ParsedUpdate {
    private(set) var attributes: [AttributeName: AttributeValue] = [:]
    private var removed: Set<AttributeName> = []
    private var data: [UInt8]?
    private var constraints: Int64 = 0

    var setsSecret: Bool { data != nil }
    /// Whether nothing is set, which is an update all the same.
    var isEmpty: Bool { attributes.isEmpty && removed.isEmpty && data == nil }

    /// - Throws: ``SecItemError/noSuchAttribute`` for anything but attributes and the secret;
    ///   ``SecItemError/parameter`` for a value of the wrong type.
    init(
        _ dictionary: AgentDictionary,
        target: SecItemQuery.Target
    ) throws(SecItemError) {
        for entry in dictionary.entries {
            switch (entry.key, entry.value) {
            case ("v_Data", .data(let bytes)): data = bytes
            case ("v_Data", _), ("clip", _), ("ggrp", _): throw .parameter
            case ("nleg", _), ("dspk", _), ("sync", .string("syna")): break
            case ("musr", _): break
            case ("accc", let value):
                let accessControl = try AccessControl(value)
                let accessible = AttributeValue.string(accessControl.accessibility.letters)
                guard
                    try dictionary["pdmn"].map({ value throws(SecItemError) in
                        try AttributeValue(value, try target.attribute("pdmn")) == accessible
                    }) ?? true
                else { throw .parameter }
                attributes[.accessible] = accessible
                constraints = accessControl.flags
            default:
                guard entry.key.utf16.count == 4 else { throw .noSuchAttribute }
                let description = try target.attribute(entry.key)
                let value = try AttributeValue(entry.value, description)
                attributes[description.name] = value
            }
        }
        if attributes[.accessible] != nil {
            // Another protection brings its own demands, or none.
            if constraints != 0 {
                attributes[.accessControl] = .integer(constraints)
            } else {
                removed.insert(.accessControl)
            }
        }
    }

    func check(
        query: SecItemQuery,
        _ access: CallerAccess,
        _ client: ProgramAccess
    ) throws(SecItemError) {
        if case .string(let group) = attributes[.accessGroup], !access.allows(group) {
            throw .missingEntitlement
        }
        if attributes[.synchronizable] == .integer(1) {
            if client.isAppClip { throw .restricted }
            if constraints != 0 { throw .parameter }
        }
    }

    /// What this means for items of one class.
    func changes(of itemClass: ItemClass) -> ItemChanges {
        ItemChanges(
            attributes: attributes.filter { itemClass[$0.key] != nil },
            removed: removed,
            secret: data
        )
    }
}
