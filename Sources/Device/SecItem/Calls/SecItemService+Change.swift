internal import KSAgent
internal import KSKeychain

extension SecItemService {
    func update(
        _ dictionary: AgentDictionary,
        _ attributes: AgentDictionary,
        _ client: ProgramAccess
    ) throws(ItemStoreError) {
        let access = try client.access(for: .writing)
        try access.checkExplicitGroup(dictionary)
        try client.checkEntitled(to: attributes)
        let query = try QueryParser.query(dictionary, access)
        // Apple's keychain fails with this status too, so programs expect it.
        if query.persistentReference?.target == .identities { throw .internalFailure }
        guard query.returns.isEmpty, !query.matches.isNamed, query.authentication != .skips
        else { throw .parameter }
        let update = try ParsedUpdate(attributes, target: query.target)
        try update.check(access, client)
        switch query.target {
        case .items(let itemClass):
            let match = try query.match(itemClass)
            let changes = update.changes(of: itemClass)
            try checkAuthentication(query, match)
            try keychain.update(match, changes, leavesTombstones: query.leavesTombstones)
        case .identities:
            // The same secret for the certificate and the key would destroy both.
            guard !update.setsSecret else { throw .parameter }
            try updateIdentities(query, update)
        }
    }

    func delete(_ dictionary: AgentDictionary, _ client: ProgramAccess) throws(ItemStoreError) {
        let access = try client.access(for: .writing)
        try access.checkExplicitGroup(dictionary)
        let query = try QueryParser.query(dictionary, access)
        guard !query.matches.isNamed, query.authentication != .skips else { throw .parameter }
        switch query.target {
        case .items(let itemClass):
            let match = try query.match(itemClass)
            try checkAuthentication(query, match)
            try keychain.delete(match, leavesTombstones: query.leavesTombstones)
        case .identities: try deleteIdentities(query)
        }
    }

    /// - Throws: ``KeychainError/interactionNotAllowed`` if the user would have to authenticate.
    private func checkAuthentication(
        _ query: SecItemQuery,
        _ match: KeychainQuery
    ) throws(ItemStoreError) {
        guard query.authentication == .fails else { return }
        try keychain.reader.checkFile()
        _ = try keychain.find(match) { item in
            if item.demandsAuthentication { throw ItemStoreError.interactionNotAllowed }
            return false
        }
    }
}

extension CallerAccess {
    /// Checks the access group that the query names; runs before the query is parsed.
    ///
    /// - Throws: ``KeychainError/missingEntitlement`` for a group that the caller may not use.
    func checkExplicitGroup(_ dictionary: AgentDictionary) throws(ItemStoreError) {
        switch dictionary["agrp"] {
        case .string(let text): try check(.string(text))
        case .data(let bytes): try check(.string(String(decoding: bytes, as: UTF8.self)))
        // A value of another type is refused when the query is parsed.
        default: return
        }
    }
}

/// The parsed attributes of an update.
struct ParsedUpdate {
    private(set) var attributes: [AttributeName: AttributeValue] = [:]
    private var removed: Set<AttributeName> = []
    private var data: [UInt8]?
    private var constraints: Int64 = 0

    var setsSecret: Bool { data != nil }
    /// Whether the update sets nothing; such an update is valid.
    var isEmpty: Bool { attributes.isEmpty && removed.isEmpty && data == nil }

    /// - Throws: ``KeychainError/noSuchAttribute`` for anything but attributes and the secret;
    ///   ``KeychainError/parameter`` for a value of the wrong type.
    init(_ dictionary: AgentDictionary, target: SecItemQuery.Target) throws(ItemStoreError) {
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
                    try dictionary["pdmn"].map({ value throws(ItemStoreError) in
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
            // A new protection class replaces the access control, or removes it.
            if constraints != 0 {
                attributes[.accessControl] = .integer(constraints)
            } else {
                removed.insert(.accessControl)
            }
        }
    }

    func check(_ access: CallerAccess, _ client: ProgramAccess) throws(ItemStoreError) {
        if let group = attributes[.accessGroup] { try access.check(group) }
        if attributes[.synchronizable] == .integer(1) {
            if client.isAppClip { throw .restricted }
            if constraints != 0 { throw .parameter }
        }
    }

    /// The part of the update that applies to items of one class.
    func changes(of itemClass: ItemClass) -> ItemChanges {
        ItemChanges(
            attributes: attributes.filter { itemClass[$0.key] != nil },
            removed: removed,
            secret: data
        )
    }
}
