internal import KSAgent

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

    private var keychains: AgentDictionary {
        call.keychains.isEmpty
            ? [:] : ["keychains": .array(call.keychains.map { .string($0) })]
    }

    private static func hexadecimal(_ value: AgentValue?) -> String {
        PrintBuffer.hexadecimal(value?.data ?? []).uppercased()
    }

    // MARK: Certificates

    private func find() throws -> Int32 {
        var arguments = keychains
        if let name = text("c") { arguments["name"] = .string(name) }
        if let email = text("e") { arguments["email"] = .string(email) }
        let showsAll = options.has("a")
        return try call.answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let found = try service.call("keychains.certificates", arguments).array ?? []
            for item in showsAll ? found[...] : found.prefix(1) {
                show(item.dictionary ?? [:], keychain: service.keychain)
            }
        }
    }

    private func show(_ item: AgentDictionary, keychain: String) {
        if options.has("Z") {
            call.say("SHA-256 hash: \(Self.hexadecimal(item["sha256"]))\n", .output)
            call.say("SHA-1 hash: \(Self.hexadecimal(item["sha1"]))\n", .output)
        }
        if options.has("m") {
            let emails = (item["emails"]?.array ?? []).compactMap(\.string)
            call.say("email addresses: \(emails.joined(separator: ", "))\n", .output)
        }
        if options.has("p") {
            call.say(item["pem"]?.string ?? "", .output)
        } else {
            call.say(AttributeBlock.text(item: item, keychain: keychain), .output)
        }
    }

    /// What is not there, or is there more than once, ends with 1.
    private func delete(isIdentity: Bool) throws -> Int32 {
        var arguments = keychains
        arguments["identity"] = .bool(isIdentity)
        if let name = text("c") { arguments["name"] = .string(name) }
        if let digits = options["Z"] {
            guard let hash = ItemArguments.bytes(hexadecimal: digits),
                [20, 32].contains(hash.count)
            else { throw UsageError() }
            arguments["hash"] = .data(hash)
        }
        guard arguments["name"] != nil || arguments["hash"] != nil else { throw UsageError() }
        let wanted = text("Z") ?? text("c") ?? ""
        let what = isIdentity ? "identity" : "certificate"
        let words =
            [
                StatusMessages.notFound: "Unable to delete \(what) matching \"\(wanted)\"",
                StatusMessages.ambiguous:
                    "\"\(wanted)\" is ambiguous, matches more than one \(what)",
            ]
        var said: String?
        let result = try call.answering(
            "SecKeychainItemDelete",
            isSilentAbout: Array(words.keys)
        ) { service throws(AgentError) in
            do throws(AgentError) {
                _ = try service.call("keychains.deleteCertificate", arguments)
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
        let attributes = try ItemArguments.keyAttributes(options)
        var arguments = keychains
        arguments["class"] = "keys"
        arguments["attributes"] = .dictionary(attributes)
        let result = try call.answering("SecItemCopyMatching") { service throws(AgentError) in
            for item in try service.call("item.find", arguments).array ?? [] {
                let block = AttributeBlock.text(
                    item: item.dictionary ?? [:],
                    keychain: service.keychain
                )
                call.say(block, .output)
            }
        }
        return result == StatusMessages.notFound ? Tool.failed : result
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
        var arguments = keychains
        arguments["policy"] = .string(policy.name)
        if let host = text("s") { arguments["host"] = .string(host) }
        return try call.answering("SecIdentitySearchCopyNext") { service throws(AgentError) in
            let all = (try service.call("keychains.identities", arguments).array ?? [])
                .map { $0.dictionary ?? [:] }
            let valid = all.filter { $0["standing"]?.string == "valid" }
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

    private func list(_ identities: [AgentDictionary]) {
        for (index, identity) in identities.enumerated() {
            let fault =
                switch identity["standing"]?.string {
                case "expired": " (CSSMERR_TP_CERT_EXPIRED)"
                case "notYetValid": " (CSSMERR_TP_CERT_NOT_VALID_YET)"
                default: ""
                }
            let number = String(index + 1)
            let padding = String(repeating: " ", count: max(0, 3 - number.count))
            let label = identity["label"]?.string ?? ""
            let hash = Self.hexadecimal(identity["sha1"])
            call.say("\(padding)\(number)) \(hash) \"\(label)\"\(fault)\n", .output)
        }
    }
}
