package import KSKeychainFiles
package import KSAgent
package import KSKeychain

/// Adding, finding and deleting in the keychains that a call names, or in those that count when it
/// names none.
extension CallHandler {
    package func itemValue(
        of request: AgentRequest,
        _ access: CallerAccess
    ) async throws -> AgentValue {
        switch request.call {
        case "item.add":
            try await add(request.arguments, access)
            return .null
        case "item.find": return try await find(request.arguments, access)
        default: return try await delete(request.arguments, access)
        }
    }

    private func add(_ arguments: AgentDictionary, _ access: CallerAccess) async throws {
        let item = try ItemAddRequest(arguments)
        let place: KeychainPlace
        if let found = try await placeToUpdate(item, arguments, access) {
            place = found
        } else {
            place = try await placeToAdd(arguments, access)
        }
        switch place {
        case .home:
            try await owner.add(item, access: access)
        case .file(let path):
            guard !item.item.isSynchronizable else { throw KeychainFileError.notSynchronizable }
            try await shelf.with(path) { keychain in
                try keychain.add(item, access: KeychainFile.access)
            }
        }
    }

    private func find(
        _ arguments: AgentDictionary,
        _ access: CallerAccess
    ) async throws -> AgentValue {
        var query = try ItemQuery(arguments, access: access)
        let skip = Int(clamping: arguments["skip"]?.integer ?? 0)
        guard (0...1_000_000_000).contains(skip) else { throw KeychainError.parameter }
        var search = KeychainSearch(.finding)
        var found: [AgentValue] = []
        let wanted = query.limit
        for place in try await placesToSearch(arguments, access) {
            if let wanted {
                guard found.count < wanted else { break }
                query.limit = wanted - found.count
            }
            let items = try await search.looking { [query] in
                switch place.place {
                case .home: try await owner.find(query, skip: skip)
                case .file(let path):
                    try await shelf.with(path) { try $0.items(query, skip: skip) }
                }
            } isNamed: {
                place.isNamed
            }
            let path = shelf.places.shownPath(of: place.place)
            found += (items ?? []).map { AgentValue($0, keychain: path) }
        }
        try search.finish(isFound: !found.isEmpty || search.hasFound)
        return .array(found)
    }

    private func delete(
        _ arguments: AgentDictionary,
        _ access: CallerAccess
    ) async throws -> AgentValue {
        let query = try ItemQuery(arguments, access: access)
        var search = KeychainSearch(.deleting)
        for place in try await placesToSearch(arguments, access) {
            let item = try await search.looking {
                switch place.place {
                case .home: try await owner.delete(query)
                case .file(let path): try await shelf.with(path) { try $0.deleteFirst(query) }
                }
            } isNamed: {
                place.isNamed
            }
            guard let item else { continue }
            return AgentValue(item, keychain: shelf.places.shownPath(of: place.place))
        }
        try search.finish(isFound: false)
        return .null
    }

    // MARK: Which keychains

    /// Where the item is that an update means which names no keychain: what finding shows first is
    /// what is changed.
    ///
    /// - Returns: nil when there is none, or it goes where it is added.
    private func placeToUpdate(
        _ request: ItemAddRequest,
        _ arguments: AgentDictionary,
        _ access: CallerAccess
    ) async throws -> KeychainPlace? {
        guard request.isUpdate, arguments["keychain"] == nil || arguments["keychain"] == .null
        else { return nil }
        let query = request.query(access: access)
        var search = KeychainSearch(.finding)
        for place in try await placesToSearch([:], access) {
            let items = try await search.looking {
                switch place.place {
                case .home: try await owner.find(query)
                case .file(let path): try await shelf.with(path) { try $0.items(query, skip: 0) }
                }
            } isNamed: {
                place.isNamed
            }
            if items != nil { return place.place }
        }
        return nil
    }

    /// Where an item goes; programs that do not see all have the home's keychain alone.
    package func placeToAdd(
        _ arguments: AgentDictionary,
        _ access: CallerAccess
    ) async throws -> KeychainPlace {
        guard case .all = access else { return .home }
        switch arguments["keychain"] {
        case .none, .null: return try await shelf.defaultPlace()
        case .string(let name): return try shelf.places.place(of: name)
        default: throw KeychainError.parameter
        }
    }

    package func placesToSearch(
        _ arguments: AgentDictionary,
        _ access: CallerAccess
    ) async throws -> [(place: KeychainPlace, isNamed: Bool)] {
        guard case .all = access else { return [(.home, true)] }
        switch arguments["keychains"] {
        case .none, .null, .array([]): return try await shelf.searchPlaces().map { ($0, false) }
        case .array(let names):
            return try names.map { name in
                guard let name = name.string else { throw KeychainError.parameter }
                return (try shelf.places.place(of: name), true)
            }
        default: throw KeychainError.parameter
        }
    }
}

/// Goes from keychain to keychain: one without a match is passed over, and a damaged one as long as
/// another has a match.
///
/// A locked one may hold the very item that is meant: what the keychains behind it have is not
/// shown in its place. Deleting goes past nothing that could not be searched.
package struct KeychainSearch {
    package enum Purpose {
        case finding
        case deleting
    }

    private let purpose: Purpose
    package private(set) var hasFound = false
    private var failure: (any Error)?

    package init(_ purpose: Purpose) {
        self.purpose = purpose
    }

    /// - Returns: nil when the keychain has no match.
    package mutating func looking<Result>(
        _ body: () async throws -> Result,
        isNamed: () -> Bool
    ) async throws -> Result? {
        do {
            let result = try await body()
            hasFound = true
            return result
        } catch KeychainError.itemNotFound {
            return nil
        } catch KeychainFileError.noSuchKeychain where !isNamed() {
            // A keychain of the search list that is gone is as good as an empty one.
            return nil
        } catch {
            guard mayPass(error) else { throw error }
            failure = failure ?? error
            return nil
        }
    }

    /// Whether the next keychain is looked into after this.
    private func mayPass(_ error: any Error) -> Bool {
        if case KeychainFileError.noSuchKeychain = error { return true }
        if case KeychainError.interactionNotAllowed = error { return hasFound }
        return purpose == .finding
    }

    package func finish(isFound: Bool) throws {
        guard !isFound else { return }
        throw failure ?? KeychainError.itemNotFound
    }
}

extension AgentValue {
    /// The item, and the keychain that it is in; of a key that may not leave it the attributes.
    package init(_ item: Item, keychain: String) {
        guard case .dictionary(var dictionary) = AgentValue(item) else {
            self = .null
            return
        }
        dictionary["keychain"] = .string(keychain)
        if item.itemClass == .key, item.attributes[.isExtractable] == .integer(0) {
            dictionary["secret"] = nil
        }
        self = .dictionary(dictionary)
    }
}
