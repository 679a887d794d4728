internal import KSBytes
internal import KSAgent
internal import KSSecurityNames

/// One of the commands about certificates, keys and identities.
struct CertificateCommand {
    enum Kind: Equatable {
        case find
        case findKey
        case findIdentity
        case delete
        case deleteIdentity
    }

    let call: Invocation

    private var options: Options { call.options }

    func run(_ kind: Kind) throws -> Int32 {
        switch kind {
        case .find: try find()
        case .findKey: try findKey()
        case .findIdentity: try findIdentity()
        case .delete: try delete(isIdentity: false)
        case .deleteIdentity: try delete(isIdentity: true)
        }
    }

    private func text(_ letter: Character) -> String? {
        options[letter].map { String(decoding: $0, as: UTF8.self) }
    }

    private var keychains: [String]? { call.keychains.isEmpty ? nil : call.keychains }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        String(hexadecimal: bytes).uppercased()
    }

    // MARK: Certificates

    private func find() throws -> Int32 {
        let request = FindCertificates(keychains: keychains, name: text("c"), email: text("e"))
        let showsAll = options.has("a")
        return try call.answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let found = try service.call(request)
            for certificate in showsAll ? found[...] : found.prefix(1) {
                show(certificate, keychain: service.keychain)
            }
        }
    }

    private func show(_ certificate: FoundCertificate, keychain: String) {
        if options.has("Z") {
            call.say("SHA-256 hash: \(Self.hexadecimal(certificate.sha256))\n", .output)
            call.say("SHA-1 hash: \(Self.hexadecimal(certificate.sha1))\n", .output)
        }
        if options.has("m") {
            let emails = certificate.emails.joined(separator: ", ")
            call.say("email addresses: \(emails)\n", .output)
        }
        if options.has("p") {
            call.say(certificate.pem, .output)
        } else {
            call.say(AttributeBlock.text(item: certificate.item, keychain: keychain), .output)
        }
    }

    /// What is not there, or is there more than once, ends with 1.
    private func delete(isIdentity: Bool) throws -> Int32 {
        var request = DeleteCertificate(
            keychains: keychains,
            name: text("c"),
            identity: isIdentity
        )
        if let digits = options["Z"] {
            guard let hash = ItemArguments.bytes(hexadecimal: digits),
                [20, 32].contains(hash.count)
            else { throw UsageError() }
            request.hash = hash
        }
        guard request.name != nil || request.hash != nil else { throw UsageError() }
        let wanted = text("Z") ?? text("c") ?? ""
        let what = isIdentity ? "identity" : "certificate"
        let words =
            [
                SecStatus.errSecItemNotFound: "Unable to delete \(what) matching \"\(wanted)\"",
                SecStatus.errSecMultiplePrivKeys:
                    "\"\(wanted)\" is ambiguous, matches more than one \(what)",
            ]
        var said: String?
        let result = try call.answering(
            "SecKeychainItemDelete",
            isSilentAbout: Array(words.keys)
        ) { service throws(AgentError) in
            do throws(AgentError) {
                _ = try service.call(request)
            } catch {
                said = words[error.status]
                throw error
            }
        }
        if let said { call.say("security: \(said)\n", .error) }
        return result == 0 ? 0 : Tool.failed
    }

    // MARK: Keys

    private func findKey() throws -> Int32 {
        let attributes = try ItemArguments.attributes(options, .key)
        let query = ItemSearch(class: "keys", attributes: attributes, keychains: call.keychains)
        let result = try call.answering("SecItemCopyMatching") { service throws(AgentError) in
            for item in try service.call(FindItems(query)) {
                call.say(AttributeBlock.text(item: item, keychain: service.keychain), .output)
            }
        }
        return result == SecStatus.errSecItemNotFound ? Tool.failed : result
    }

    // MARK: Identities

    /// What `-p` takes, and what it is called in the output.
    private static let policies: [(name: String, title: String)] = [
        ("basic", "X.509 Basic"), ("ssl-client", "SSL (client)"), ("ssl-server", "SSL (server)"),
        ("smime", "S/MIME"), ("eap", "EAP"), ("ipsec", "IPsec"), ("ichat", "iChat"),
        ("codesigning", "Code Signing"), ("sys-default", "System Default"),
        ("sys-kerberos-kdc", "System Kerberos"), ("macappstore", "Mac App Store Receipt"),
        ("appleID", "Apple ID"),
    ]

    private func findIdentity() throws -> Int32 {
        let names = options.all("p").map { String(decoding: $0, as: UTF8.self) }
        let policies = try (names.isEmpty ? ["basic"] : names).map { name in
            guard let policy = Self.policies.first(where: { $0.name == name }) else {
                throw UsageError()
            }
            return policy
        }
        if let host = text("s") {
            call.say("Looking for identities matching \"\(host)\"\n", .output)
        }
        for policy in policies {
            let result = try findIdentity(policy)
            if result != 0 { return result }
        }
        return 0
    }

    private func findIdentity(_ policy: (name: String, title: String)) throws -> Int32 {
        let request = FindIdentities(keychains: keychains, policy: policy.name, host: text("s"))
        return try call.answering("SecIdentitySearchCopyNext") { service throws(AgentError) in
            let all = try service.call(request)
            let valid = all.filter { $0.standing == "valid" }
            if !options.has("v") {
                call.say("\nPolicy: \(policy.title)\n  Matching identities\n", .output)
                list(all)
                call.say("     \(all.count) identities found\n\n", .output)
                call.say("  Valid identities only\n", .output)
            }
            list(valid)
            call.say("     \(valid.count) valid identities found\n", .output)
        }
    }

    private func list(_ identities: [FoundIdentity]) {
        for (index, identity) in identities.enumerated() {
            let fault =
                switch identity.standing {
                case "expired": " (CSSMERR_TP_CERT_EXPIRED)"
                case "notYetValid": " (CSSMERR_TP_CERT_NOT_VALID_YET)"
                default: ""
                }
            let number = String(index + 1)
            let padding = String(repeating: " ", count: max(0, 3 - number.count))
            let hash = Self.hexadecimal(identity.sha1)
            call.say("\(padding)\(number)) \(hash) \"\(identity.label)\"\(fault)\n", .output)
        }
    }
}
