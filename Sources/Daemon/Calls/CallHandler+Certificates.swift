internal import KSKeychainFiles
package import KSAgent
internal import KSCertificates
internal import KSKeychain

/// What `keychain` does with certificates, keys and identities.
extension CallHandler {
    package func certificatesValue(of request: AgentRequest) async throws -> AgentValue {
        let arguments = request.arguments
        switch request.call {
        case "keychains.certificates": return try await certificates(arguments)
        case "keychains.identities": return try await identities(arguments)
        case "keychains.deleteCertificate":
            try await deleteCertificate(arguments)
            return .null
        case "keychains.import": return try await importKeys(arguments)
        default: return try await exportKeys(arguments)
        }
    }

    /// Does something with a keychain, wherever it is.
    private func with<Result: Sendable>(
        _ place: KeychainPlace,
        _ body: @Sendable (Keychain) throws -> Result
    ) async throws -> Result {
        switch place {
        case .home: try await owner.with(body)
        case .file(let path): try await shelf.with(path, body)
        }
    }

    /// Goes through the keychains that are to be searched; one that is gone is as good as an empty
    /// one, where it is named only if `skipsMissing`.
    private func each(
        _ arguments: AgentDictionary,
        skipsMissing: Bool = true,
        _ body: (KeychainPlace) async throws -> Void
    ) async throws {
        let all = KeychainFile.access
        for (place, isNamed) in try await placesToSearch(arguments, all) {
            do {
                try await body(place)
            } catch KeychainFileError.noSuchKeychain where skipsMissing || !isNamed {
                continue
            }
        }
    }

    private func criteria(_ arguments: AgentDictionary) -> CertificateCriteria {
        CertificateCriteria(
            name: arguments["name"]?.string,
            email: arguments["email"]?.string,
            hash: arguments["hash"]?.data
        )
    }

    private func certificates(_ arguments: AgentDictionary) async throws -> AgentValue {
        let criteria = criteria(arguments)
        var found: [AgentValue] = []
        try await each(arguments) { place in
            let path = shelf.places.shownPath(of: place)
            let certificates: [StoredCertificate]
            if place == SystemRoots.place {
                certificates = await shelf.systemRoots(criteria)
            } else {
                certificates = try await with(place) { try $0.certificates(criteria) }
            }
            found += try certificates.map { try AgentValue($0, keychain: path) }
        }
        guard !found.isEmpty else { throw KeychainError.itemNotFound }
        return .array(found)
    }

    private func identities(_ arguments: AgentDictionary) async throws -> AgentValue {
        let now = Int64(DeviceFiles.milliseconds() / 1000)
        let policy = CertificatePolicy(
            command: arguments["policy"]?.string,
            name: arguments["host"]?.string
        )
        var found: [AgentValue] = []
        try await each(arguments) { place in
            found += try await with(place) { keychain in
                try keychain.certificates(CertificateCriteria()).filter { stored in
                    try policy.isPurpose(of: stored.certificate)
                        && keychain.hasPrivateKey(hash: stored.certificate.publicKeyHash)
                }.map { stored in
                    [
                        "sha1": .data(stored.sha1),
                        "label": .string(stored.label),
                        "standing": .string(stored.standing(at: now)),
                    ]
                }
            }
        }
        return .array(found)
    }

    /// Deletes the one certificate that is meant, and with it its key where that is wanted and no
    /// other certificate is for it.
    ///
    /// The one that has the whole name is meant before those that have it as a part.
    private func deleteCertificate(_ arguments: AgentDictionary) async throws {
        let criteria = criteria(arguments)
        guard criteria.name != nil || criteria.hash != nil else { throw KeychainError.parameter }
        let isIdentity = arguments["identity"]?.bool ?? false
        var matches: [(place: KeychainPlace, stored: StoredCertificate)] = []
        try await each(arguments) { place in
            matches += try await with(place) { keychain in
                try keychain.certificates(criteria).filter { stored in
                    try !isIdentity
                        || keychain.hasPrivateKey(hash: stored.certificate.publicKeyHash)
                }
            }.map { (place, $0) }
        }
        let whole = matches.filter { criteria.isWholeName(of: $0.stored) }
        if !whole.isEmpty { matches = whole }
        guard let match = matches.first else { throw KeychainError.itemNotFound }
        guard matches.count == 1 else { throw KeychainFileError.ambiguous }
        try await with(match.place) { keychain in
            try keychain.delete(exactly: match.stored.item)
            let hash = match.stored.certificate.publicKeyHash
            guard isIdentity,
                try !keychain.certificates(CertificateCriteria())
                    .contains(where: { $0.certificate.publicKeyHash == hash })
            else { return }
            for (item, _) in try keychain.privateKeys(hash: hash) {
                try keychain.delete(exactly: item)
            }
        }
    }

    private func importKeys(_ arguments: AgentDictionary) async throws -> AgentValue {
        guard let bytes = arguments["file"]?.data else { throw KeychainError.parameter }
        let format = arguments["format"]?.string
        let kind = arguments["kind"]?.string
        let known = format.flatMap(KeychainImport.Format.init(rawValue:))
        guard format == nil || known != nil else { throw KeychainFileError.unsupported }
        guard let wanted = KeychainImport.Kind(rawValue: kind ?? "agg") else {
            throw KeychainFileError.unsupported
        }
        let items = try KeychainImport(
            bytes,
            format: known,
            kind: wanted,
            passphrase: arguments["passphrase"]?.data
        )
        let isExtractable = arguments["extractable"]?.bool ?? true
        let place = try await placeToAdd(arguments, KeychainFile.access)
        let counts = try await with(place) { keychain in
            try items.add(to: keychain, isExtractable: isExtractable)
        }
        return [
            "identities": .integer(Int64(counts.identities)),
            "keys": .integer(Int64(counts.keys)),
            "certificates": .integer(Int64(counts.certificates)),
        ]
    }

    private func exportKeys(_ arguments: AgentDictionary) async throws -> AgentValue {
        let format = arguments["format"]?.string
        let known = format.flatMap(KeychainExport.Format.init(rawValue:))
        guard format == nil || known != nil,
            let kind = KeychainExport.Kind(rawValue: arguments["kind"]?.string ?? "all")
        else { throw KeychainFileError.unsupported }
        var export = KeychainExport()
        try await each(arguments, skipsMissing: false) { place in
            let before = export
            export = try await with(place) { keychain in
                var export = before
                try export.collect(kind, from: keychain)
                return export
            }
        }
        let bytes = try export.file(
            known,
            isArmoured: arguments["armoured"]?.bool ?? false,
            passphrase: arguments["passphrase"]?.data
        )
        return ["file": .data(bytes), "leftOut": .integer(Int64(export.leftOut))]
    }
}

extension AgentValue {
    /// The certificate, and the keychain that it is in.
    fileprivate init(_ stored: StoredCertificate, keychain: String) throws(CertificatesError) {
        let item = stored.item.withAlias(of: stored.certificate)
        guard case .dictionary(var value) = AgentValue(item, keychain: keychain) else {
            self = .null
            return
        }
        value["secret"] = nil
        value["pem"] = .string(try stored.certificate.pem())
        value["sha1"] = .data(stored.sha1)
        value["sha256"] = .data(stored.sha256)
        value["emails"] = .array(stored.certificate.emailAddresses.map { .string($0) })
        self = .dictionary(value)
    }
}
