internal import KSKeychainFiles
package import KSAgent
internal import KSKeychain
internal import KSSealing

/// What `keychain` does with keychains as a whole.
extension CallHandler {
    package func keychainsValue(of request: AgentRequest) async throws -> AgentValue {
        let arguments = request.arguments
        switch request.call {
        case "keychains.list": return try await listKeychains()
        case "keychains.setSearch": try await setSearch(arguments)
        case "keychains.setDefault": try await setDefault(arguments)
        case "keychains.nameFolder":
            guard let path = arguments["path"]?.string else { throw KeychainError.parameter }
            shelf.places.nameFolder(path)
        case "keychains.create":
            shelf.places.makeFolder(of: arguments["keychain"]?.string ?? "")
            guard case .file(let path) = try place(arguments) else {
                throw KeychainFileError.duplicateKeychain
            }
            try await shelf.create(path: path, password: try bytes(arguments, "password"))
        case "keychains.delete":
            // The login keychain is the device's home: that goes with its directory.
            guard case .file(let path) = try place(arguments) else {
                throw KeychainFileError.isLogin
            }
            try await shelf.delete(path: path)
        case "keychains.lock": try await lockKeychains(arguments)
        case "keychains.unlock": try await unlockKeychain(arguments)
        case "keychains.setPassword": try await setPassword(arguments)
        case "keychains.settings": return try await settings(arguments)
        case "keychains.setSettings": try await setSettings(arguments)
        case "keychains.certificates", "keychains.identities", "keychains.deleteCertificate",
            "keychains.import", "keychains.export":
            return try await certificatesValue(of: request)
        default: throw CommandFailure.unknownCall
        }
        return .null
    }

    // MARK: Arguments

    /// The keychain that is named; nil when none is.
    private func namedPlace(_ arguments: AgentDictionary) throws -> KeychainPlace? {
        switch arguments["keychain"] {
        case .none, .null: return nil
        case .string(let name): return try shelf.places.place(of: name)
        default: throw KeychainError.parameter
        }
    }

    private func place(_ arguments: AgentDictionary) throws -> KeychainPlace {
        guard let place = try namedPlace(arguments) else { throw KeychainError.parameter }
        return place
    }

    private func placeOrDefault(_ arguments: AgentDictionary) async throws -> KeychainPlace {
        if let place = try namedPlace(arguments) { return place }
        return try await shelf.defaultPlace()
    }

    private func bytes(_ arguments: AgentDictionary, _ name: String) throws -> [UInt8] {
        guard let bytes = arguments[name]?.data else { throw KeychainError.parameter }
        return bytes
    }

    // MARK: The list

    private func listKeychains() async throws -> AgentValue {
        let list = try await shelf.list()
        let shown = { (name: String) throws(KeychainFileError) -> AgentValue in
            .string(shelf.places.shownPath(of: try shelf.places.place(of: name)))
        }
        return [
            "search": .array(try list.search.map(shown)),
            "default": try list.defaultKeychain.map(shown) ?? .null,
            "login": .string(shelf.places.shownPath(of: .home)),
        ]
    }

    private func setSearch(_ arguments: AgentDictionary) async throws {
        let places = shelf.places
        let names = try (arguments["keychains"]?.array ?? []).map { name in
            guard let name = name.string else { throw KeychainError.parameter }
            return places.path(of: try places.place(of: name))
        }
        try await shelf.change { list throws(KeychainFileError) in list.search = names }
    }

    private func setDefault(_ arguments: AgentDictionary) async throws {
        let place = try namedPlace(arguments)
        // Otherwise what is added next would fail, far from the mistake.
        if case .file(let path)? = place, !KeychainPlaces.exists(path) {
            throw KeychainFileError.notToBeDefault(path: path)
        }
        let path = place.map { shelf.places.path(of: $0) }
        try await shelf.change { list throws(KeychainFileError) in list.defaultKeychain = path }
    }

    // MARK: The lock

    private func lockKeychains(_ arguments: AgentDictionary) async throws {
        if arguments["all"]?.bool == true {
            await shelf.lockAll()
            try await lockHome()
            return
        }
        switch try await placeOrDefault(arguments) {
        case .home: try await lockHome()
        case .file(let path): try await shelf.lock(path: path)
        }
    }

    private func unlockKeychain(_ arguments: AgentDictionary) async throws {
        let password = try bytes(arguments, "password")
        switch try await placeOrDefault(arguments) {
        case .home: try await unlockHome(password)
        case .file(let path): try await shelf.unlock(path: path, password: password)
        }
    }

    private func setPassword(_ arguments: AgentDictionary) async throws {
        let old = try bytes(arguments, "old")
        let new = try bytes(arguments, "new")
        switch try await placeOrDefault(arguments) {
        case .home: try await setHomePassword(from: old, to: new)
        case .file(let path): try await shelf.setPassword(path: path, from: old, to: new)
        }
    }

    // MARK: Settings

    private func settings(_ arguments: AgentDictionary) async throws -> AgentValue {
        switch try await placeOrDefault(arguments) {
        case .home: return try await homeSettings()
        case .file(let path):
            let (settings, isLocked) = try await shelf.settings(path: path)
            return [
                "lockOnSleep": .bool(settings.locksOnSleep),
                "useInterval": .bool(settings.usesInterval),
                "seconds": settings.idleSeconds.map { .integer(Int64($0)) } ?? .null,
                "locked": .bool(isLocked),
            ]
        }
    }

    private func setSettings(_ arguments: AgentDictionary) async throws {
        let settings = KeychainSettings(
            locksOnSleep: arguments["lockOnSleep"]?.bool ?? false,
            usesInterval: arguments["useInterval"]?.bool ?? false,
            idleSeconds: arguments["seconds"]?.integer.flatMap { seconds in
                (1...Int64(Int32.max)).contains(seconds) ? Int(seconds) : nil
            }
        )
        switch try await placeOrDefault(arguments) {
        case .home: try await setHomeSettings(settings)
        case .file(let path): try await shelf.set(settings, path: path)
        }
    }
}
