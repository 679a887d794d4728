internal import KSAgent
internal import KSCertificates
internal import KSKeychain
internal import KSKeychainFiles

// What `keychain` does with certificates, keys and identities.

extension CallHandler {
    /// Runs `body` for each keychain to search; skips a missing one, but if the call names it, only
    /// with `skipsMissing`.
    fileprivate func each(
        _ keychains: [String]?,
        skipsMissing: Bool = true,
        _ body: (KeychainPlace) async throws -> Void
    ) async throws {
        for (place, isNamed) in try await placesToSearch(keychains) {
            do {
                try await body(place)
            } catch KeychainFileError.noSuchKeychain where skipsMissing || !isNamed {
                continue
            }
        }
    }
}

extension FindCertificates: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [FoundCertificate] {
        let criteria = CertificateCriteria(name: name, email: email, hash: hash)
        var found: [FoundCertificate] = []
        try await daemon.each(keychains) { place in
            let path = daemon.shelf.places.shownPath(of: place)
            let certificates: [StoredCertificate]
            if place == SystemRoots.place {
                certificates = await daemon.shelf.systemRoots(criteria)
            } else {
                certificates = try await daemon.with(place) { try $0.certificates(criteria) }
            }
            found += try certificates.map { try FoundCertificate($0, keychain: path) }
        }
        guard !found.isEmpty else { throw ItemStoreError.itemNotFound }
        return found
    }
}

extension FindIdentities: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [FoundIdentity] {
        let now = Int64(DeviceFiles.milliseconds() / 1000)
        let policy = CertificatePolicy(command: policy, name: host)
        var found: [FoundIdentity] = []
        try await daemon.each(keychains) { place in
            found += try await daemon.with(place) { keychain in
                try keychain.certificates(CertificateCriteria()).filter { stored in
                    try policy.isPurpose(of: stored.certificate)
                        && keychain.hasPrivateKey(hash: stored.certificate.publicKeyHash)
                }.map { stored in
                    FoundIdentity(
                        sha1: stored.sha1,
                        label: stored.label,
                        standing: stored.standing(at: now)
                    )
                }
            }
        }
        return found
    }
}

extension DeleteCertificate: HandledCommand {
    /// Deletes the one certificate that matches, and its private key if the call asks for that and
    /// no other certificate has the key.
    ///
    /// A certificate with exactly this name takes precedence over those that only contain it.
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let criteria = CertificateCriteria(name: name, email: email, hash: hash)
        guard criteria.name != nil || criteria.hash != nil else { throw ItemStoreError.parameter }
        let isIdentity = identity ?? false
        var matches: [(place: KeychainPlace, stored: StoredCertificate)] = []
        try await daemon.each(keychains) { place in
            matches += try await daemon.with(place) { keychain in
                try keychain.certificates(criteria).filter { stored in
                    try !isIdentity
                        || keychain.hasPrivateKey(hash: stored.certificate.publicKeyHash)
                }
            }.map { (place, $0) }
        }
        let whole = matches.filter { criteria.isWholeName(of: $0.stored) }
        if !whole.isEmpty { matches = whole }
        guard let match = matches.first else { throw ItemStoreError.itemNotFound }
        guard matches.count == 1 else { throw KeychainFileError.ambiguous }
        try await daemon.with(match.place) { keychain in
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
}

extension ImportKeys: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ImportedKeys {
        let known = format.flatMap(KeyFileFormat.init(rawValue:))
        guard format == nil || known != nil, known != .raw,
            let wanted = KeychainImport.Kind(rawValue: kind ?? "agg")
        else { throw KeychainFileError.unsupported }
        let items = try KeychainImport(file, format: known, kind: wanted, passphrase: passphrase)
        let isExtractable = extractable ?? true
        let place = try await daemon.placeOrDefault(keychain)
        return try await daemon.with(place) { keychain in
            try items.add(to: keychain, isExtractable: isExtractable)
        }
    }
}

extension ExportKeys: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ExportedKeys {
        let known = format.flatMap(KeyFileFormat.init(rawValue:))
        guard format == nil || known != nil,
            let wanted = KeychainExport.Kind(rawValue: kind ?? "all")
        else { throw KeychainFileError.unsupported }
        var export = KeychainExport()
        try await daemon.each(keychains, skipsMissing: false) { place in
            let before = export
            export = try await daemon.with(place) { keychain in
                var export = before
                try export.collect(wanted, from: keychain)
                return export
            }
        }
        let bytes = try export.file(known, isArmoured: armoured ?? false, passphrase: passphrase)
        return ExportedKeys(file: bytes, leftOut: export.leftOut)
    }
}

extension FoundCertificate {
    fileprivate init(_ stored: StoredCertificate, keychain: String) throws(OpenSSLError) {
        let item = stored.item.withAlias(of: stored.certificate)
        self.init(
            FoundItem(item, keychain: keychain),
            pem: try stored.certificate.pem(),
            sha1: stored.sha1,
            sha256: stored.sha256,
            emails: stored.certificate.emailAddresses
        )
    }
}
