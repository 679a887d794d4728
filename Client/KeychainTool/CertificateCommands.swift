internal import KSEveryday
internal import KSBytes
internal import KSAgent
internal import KSSecurityNames

// The commands about certificates and identities.
extension Invocation {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        String(hexadecimal: bytes).uppercased()
    }

    // MARK: Certificates

    func findCertificates() throws -> Int32 {
        var request = FindCertificates()
        request.keychains = named
        request.name = text("c")
        request.email = text("e")
        let showsAll = options.has("a")
        return try answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let found = try service.call(request)
            for certificate in showsAll ? found[...] : found.prefix(1) {
                show(certificate, keychain: service.keychain)
            }
        }
    }

    private func show(_ certificate: FoundCertificate, keychain: String) {
        if options.has("Z") {
            say("SHA-256 hash: \(Self.hexadecimal(certificate.sha256))\n", .output)
            say("SHA-1 hash: \(Self.hexadecimal(certificate.sha1))\n", .output)
        }
        if options.has("m") {
            say("email addresses: \(certificate.emails.joined(separator: ", "))\n", .output)
        }
        let block = AttributeBlock.text(item: certificate.item, keychain: keychain)
        say(options.has("p") ? certificate.pem : block, .output)
    }

    /// Deletes one certificate; ends with 1 if no certificate matches, or more than one.
    func deleteCertificate(andKey isIdentity: Bool) throws -> Int32 {
        var request = DeleteCertificate()
        request.keychains = named
        request.name = text("c")
        request.identity = isIdentity
        if let digits = options["Z"] {
            guard let hash = OptionAttributes.bytes(hexadecimal: digits),
                [20, 32].contains(hash.count)
            else { throw UsageError() }
            request.hash = hash
        }
        guard request.name != nil || request.hash != nil else { throw UsageError() }
        let wanted = text("Z") ?? text("c") ?? ""
        let what = isIdentity ? "identity" : "certificate"
        let words = [
            SecStatus.errSecItemNotFound: "Unable to delete \(what) matching \"\(wanted)\"",
            SecStatus.errSecMultiplePrivKeys:
                "\"\(wanted)\" is ambiguous, matches more than one \(what)",
        ]
        let result = try send(
            request,
            as: "SecKeychainItemDelete",
            isSilentAbout: Array(words.keys)
        )
        if let sentence = words[result] { throw Failure(sentence) }
        return result == 0 ? 0 : Tool.failed
    }

    // MARK: Identities

    /// The values of `-p`, each with its title in the output.
    private static let policies: [(name: String, title: String)] = [
        ("basic", "X.509 Basic"), ("ssl-client", "SSL (client)"), ("ssl-server", "SSL (server)"),
        ("smime", "S/MIME"), ("eap", "EAP"), ("ipsec", "IPsec"), ("ichat", "iChat"),
        ("codesigning", "Code Signing"), ("sys-default", "System Default"),
        ("sys-kerberos-kdc", "System Kerberos"), ("macappstore", "Mac App Store Receipt"),
        ("appleID", "Apple ID"),
    ]

    func findIdentities() throws -> Int32 {
        let names = options.all("p").map { String(decoding: $0, as: UTF8.self) }
        let policies = try (names.isEmpty ? ["basic"] : names).map { name in
            guard let policy = Self.policies.first(where: { $0.name == name }) else {
                throw UsageError()
            }
            return policy
        }
        if let host = text("s") {
            say("Looking for identities matching \"\(host)\"\n", .output)
        }
        for policy in policies {
            let result = try findIdentities(policy)
            if result != 0 { return result }
        }
        return 0
    }

    private func findIdentities(_ policy: (name: String, title: String)) throws -> Int32 {
        var request = FindIdentities()
        request.keychains = named
        request.policy = policy.name
        request.host = text("s")
        return try answering("SecIdentitySearchCopyNext") { service throws(AgentError) in
            let all = try service.call(request)
            let valid = all.filter { $0.standing == "valid" }
            if !options.has("v") {
                say("\nPolicy: \(policy.title)\n  Matching identities\n", .output)
                list(all)
                say("     \(all.count) identities found\n\n", .output)
                say("  Valid identities only\n", .output)
            }
            list(valid)
            say("     \(valid.count) valid identities found\n", .output)
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
            say("\(padding)\(number)) \(hash) \"\(identity.label)\"\(fault)\n", .output)
        }
    }
}
