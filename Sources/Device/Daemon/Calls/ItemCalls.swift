internal import KSAgent
internal import KSKeychain
internal import KSKeychainFiles

// Adds, finds and deletes items in the keychains that a call names. Without names, it uses the
// default keychain or the search list.

extension AddItem: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [FoundItem] {
        let item = try ItemAddRequest(self)
        let place: KeychainPlace
        if item.isUpdate, keychain == nil,
            let found = try await daemon.place(of: item, caller.access)
        {
            place = found
        } else if case .all = caller.access {
            place = try await daemon.placeOrDefault(keychain)
        } else {
            // Programs that do not see all items have only the home's keychain.
            place = .home
        }
        var access = caller.access
        if case .file = place {
            guard !item.item.isSynchronizable else { throw KeychainFileError.notSynchronizable }
            access = KeychainFile.access
        }
        let path = daemon.shelf.places.shownPath(of: place)
        return try await daemon.with(place) { [access] in try $0.add(item, access: access) }
            .map { FoundItem($0, keychain: path) }
    }
}

extension FindItems: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [FoundItem] {
        var wanted = try KeychainQuery(self, access: caller.access)
        let skip = Int(clamping: skip ?? 0)
        guard (0...1_000_000_000).contains(skip) else { throw ItemStoreError.parameter }
        var search = KeychainSearch(.finding)
        var found: [FoundItem] = []
        let limit = wanted.limit
        for place in try await daemon.placesToSearch(query.keychains, caller.access) {
            if let limit {
                guard found.count < limit else { break }
                wanted.limit = limit - found.count
            }
            let items = try await search.looking(isNamed: place.isNamed) { [wanted] in
                try await daemon.items(wanted, in: place.place, skip: skip)
            }
            let path = daemon.shelf.places.shownPath(of: place.place)
            found += (items ?? []).map { FoundItem($0, keychain: path) }
        }
        try search.finish(isFound: !found.isEmpty || search.hasFound)
        return found
    }

    /// Looks one password up on the thread of the sockets: that takes some 20 µs, less than waking
    /// two threads.
    ///
    /// Searches that could take longer are answered like all other calls: a search for many items,
    /// one of several keychains, and any while another search is under way.
    func answerAtOnce(on daemon: CallHandler, _ caller: Caller) throws -> [FoundItem]? {
        guard skip == nil else { return nil }
        let query = try KeychainQuery(self, access: caller.access)
        guard query.limit == 1, query.itemClass.isPassword else { return nil }
        let places = daemon.shelf.places
        if case .all = caller.access {
            guard self.query.keychains == nil,
                try KeychainSearchList.load(home: places.homePath).search == [places.homePath]
            else { return nil }
        }
        guard let items = try daemon.lookUps.borrowed({ try $0.items(query) }) else { return nil }
        return items.map { FoundItem($0, keychain: places.shownPath(of: .home)) }
    }
}

extension DeleteItem: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> FoundItem {
        let wanted = try KeychainQuery(query, access: caller.access)
        var search = KeychainSearch(.deleting)
        for place in try await daemon.placesToSearch(query.keychains, caller.access) {
            let deleted = try await search.looking(isNamed: place.isNamed) {
                try await daemon.with(place.place) { try $0.deleteFirst(wanted) }
            }
            guard let deleted else { continue }
            let path = daemon.shelf.places.shownPath(of: place.place)
            var found = FoundItem(deleted.item, keychain: path)
            found.twins = deleted.twins.map { FoundItem($0, keychain: path) }
            return found
        }
        try search.finish(isFound: false)
        throw ItemStoreError.itemNotFound
    }
}

// MARK: Which keychains

extension CallHandler {
    fileprivate func items(
        _ query: KeychainQuery,
        in place: KeychainPlace,
        skip: Int = 0
    ) async throws -> [Item] {
        switch place {
        case .home: try await lookUps.items(query, skip: skip)
        case .file(let path): try await shelf.with(path) { try $0.reader.items(query, skip: skip) }
        }
    }

    /// The keychain of the item that an update changes if the call names no keychain: the update
    /// changes the item that a search finds first.
    ///
    /// - Returns: nil if no item matches; the update then adds the item.
    fileprivate func place(
        of request: ItemAddRequest,
        _ access: CallerAccess
    ) async throws -> KeychainPlace? {
        var query = request.query(access: access)
        let isSynchronizable = request.item.isSynchronizable
        // The update may make an unsynced item a synchronizable one, which only the home can hold.
        if isSynchronizable { query.synchronizable = .any }
        var search = KeychainSearch(.finding)
        for place in try await placesToSearch(nil, access) {
            if isSynchronizable, case .file = place.place { continue }
            let found = try await search.looking(isNamed: place.isNamed) {
                try await self.items(query, in: place.place)
            }
            if found != nil { return place.place }
        }
        return nil
    }

    /// The keychain of this name; without a name, the default keychain.
    func placeOrDefault(_ keychain: String?) async throws -> KeychainPlace {
        guard let keychain else { return try await shelf.defaultPlace() }
        return try shelf.places.place(of: keychain)
    }

    func placesToSearch(
        _ keychains: [String]?,
        _ access: CallerAccess = KeychainFile.access
    ) async throws -> [(place: KeychainPlace, isNamed: Bool)] {
        guard case .all = access else { return [(.home, true)] }
        guard let keychains, !keychains.isEmpty else {
            return try await shelf.searchPlaces().map { ($0, false) }
        }
        return try keychains.map { (try shelf.places.place(of: $0), true) }
    }

    /// Runs `body` with the home's keychain, or with the keychain of a file.
    func with<Result: Sendable>(
        _ place: KeychainPlace,
        _ body: @Sendable (ItemStore) throws -> Result
    ) async throws -> Result {
        switch place {
        case .home: try await owner.with(body)
        case .file(let path): try await shelf.with(path, body)
        }
    }
}

/// Searches one keychain after the other: skips those without a match, and reports a damaged one
/// only if no other has a match.
///
/// A locked keychain may hold the wanted item, so a search that has found nothing yet fails there
/// and shows no item of a later keychain. A deletion fails at any keychain that it cannot search.
package struct KeychainSearch {
    package enum Purpose {
        case finding
        case deleting
    }

    private let purpose: Purpose
    package private(set) var hasFound = false
    private var failure: (any Error)?

    package init(_ purpose: Purpose) { self.purpose = purpose }

    /// - Returns: nil if the keychain has no match.
    package mutating func looking<Result>(
        isNamed: Bool,
        _ body: () async throws -> Result
    ) async throws -> Result? {
        do {
            let result = try await body()
            hasFound = true
            return result
        } catch ItemStoreError.itemNotFound {
            return nil
        } catch KeychainFileError.noSuchKeychain where !isNamed {
            // A missing keychain of the search list counts as empty.
            return nil
        } catch {
            guard mayPass(error) else { throw error }
            failure = failure ?? error
            return nil
        }
    }

    /// Whether the search continues with the next keychain after this error.
    private func mayPass(_ error: any Error) -> Bool {
        if case KeychainFileError.noSuchKeychain = error { return true }
        if case ItemStoreError.interactionNotAllowed = error { return hasFound }
        return purpose == .finding
    }

    package func finish(isFound: Bool) throws {
        guard !isFound else { return }
        throw failure ?? ItemStoreError.itemNotFound
    }
}

extension FoundItem {
    /// The item and its keychain; a key that is not extractable comes without its secret.
    init(_ item: Item, keychain: String) {
        let stays = item.itemClass == .key && item.attributes[.isExtractable] == .integer(0)
        self.init(
            class: item.itemClass.rawValue,
            attributes: AgentDictionary(item.attributes),
            secret: stays ? nil : item.secret,
            keychain: keychain
        )
    }
}
