internal import KSAgent

/// `import` and `export`: certificates and keys of files.
struct TransferCommand {
    let call: Invocation

    private var options: Options { call.options }

    private func text(_ letter: Character) -> String? {
        options[letter].map { String(decoding: $0, as: UTF8.self) }
    }

    /// What `security` takes for -f; the daemon says which of it can be done here.
    private static let formats = [
        "openssl", "openssh1", "openssh2", "bsafe", "raw", "pkcs7", "pkcs8", "pkcs12", "netscape",
        "x509", "pemseq",
    ]

    private func format() throws -> String? {
        guard let format = text("f") else { return nil }
        guard Self.formats.contains(format) else { throw UsageError() }
        return format
    }

    // MARK: Import

    /// The file stands first, before the options, or after them; further words mean nothing.
    func importFile(_ first: [UInt8]?) throws -> Int32 {
        let names = (first.map { [$0] } ?? []) + options.operands
        guard let name = names.first else { throw UsageError() }
        let path = String(decoding: name, as: UTF8.self)
        var arguments: AgentDictionary = ["extractable": .bool(!options.has("x"))]
        if let format = try format() { arguments["format"] = .string(format) }
        if let kind = text("t") {
            guard ["pub", "priv", "session", "cert", "agg"].contains(kind) else {
                throw UsageError()
            }
            arguments["kind"] = .string(kind)
        }
        if let keychain = text("k") { arguments["keychain"] = .string(call.path(keychain)) }
        guard let bytes = read(path) else { return Tool.failed }
        arguments["file"] = .data(bytes)
        if let passphrase = options["P"] { arguments["passphrase"] = .data(passphrase) }
        return try send(arguments, path: path)
    }

    /// The file's bytes; nil, and a word about it, when it cannot be read.
    private func read(_ path: String) -> [UInt8]? {
        do throws(FileError) {
            return try call.tool.surroundings.readFile(path)
        } catch {
            call.say("security: Error reading infile \(path): \(error.text)\n", .error)
            return nil
        }
    }

    /// Sends the file, and once more with a passphrase when it turns out to need one.
    private func send(_ arguments: AgentDictionary, path: String) throws -> Int32 {
        let isAsking = arguments["passphrase"] == nil
        let result = try call.answering(
            "SecKeychainItemImport",
            isSilentAbout: [StatusMessages.notFound]
                + (isAsking ? [StatusMessages.passphraseNeeded] : [])
        ) { service throws(AgentError) in
            report(try service.call("keychains.import", arguments).dictionary ?? [:])
        }
        switch result {
        case 0: return 0
        case StatusMessages.passphraseNeeded where isAsking:
            var arguments = arguments
            arguments["passphrase"] = .data(
                try call.tool.surroundings.askPassword("passphrase for \(path): ")
            )
            return try send(arguments, path: path)
        case StatusMessages.notFound:
            call.say("security: No keychain items found\n", .error)
            return Tool.failed
        default: return Tool.failed
        }
    }

    /// Certificates of several files; one that cannot be added does not keep the others out.
    func addCertificates() throws -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        let place = text("k")
        var worst: Int32 = 0
        for name in options.operands {
            let path = String(decoding: name, as: UTF8.self)
            guard let bytes = read(path) else {
                worst = Tool.failed
                continue
            }
            var arguments: AgentDictionary = ["kind": "cert", "file": .data(bytes)]
            if let place { arguments["keychain"] = .string(call.path(place)) }
            let result = try call.answering(
                "SecCertificateAddToKeychain",
                isSilentAbout: [StatusMessages.duplicate]
            ) { service throws(AgentError) in
                _ = try service.call("keychains.import", arguments)
            }
            if result == StatusMessages.duplicate {
                call.say(
                    "security: \(path): already in \(place ?? "default keychain")\n",
                    .error
                )
            }
            if result != 0 { worst = Tool.failed }
        }
        return worst
    }

    private func report(_ counts: AgentDictionary) {
        for (name, one, several) in [
            ("identities", "identity", "identities"), ("keys", "key", "keys"),
            ("certificates", "certificate", "certificates"),
        ] {
            let count = counts[name]?.integer ?? 0
            guard count > 0 else { continue }
            call.say("\(count) \(count == 1 ? one : several) imported.\n", .output)
        }
    }

    // MARK: Export

    private func reportLeftOut(_ count: Int64) {
        guard count > 0 else { return }
        let keys = count == 1 ? "1 key was" : "\(count) keys were"
        call.say("security: \(keys) left out: damaged, or of a kind with no such form\n", .error)
    }

    func export() throws -> Int32 {
        var arguments: AgentDictionary = ["armoured": .bool(options.has("p"))]
        let format = try format()
        if let format { arguments["format"] = .string(format) }
        if let kind = text("t") {
            guard
                ["certs", "allKeys", "pubKeys", "privKeys", "identities", "all"].contains(kind)
            else { throw UsageError() }
            arguments["kind"] = .string(kind)
        }
        if let keychain = text("k") {
            arguments["keychains"] = [.string(call.path(keychain))]
        }
        if let passphrase = options["P"] {
            arguments["passphrase"] = .data(passphrase)
        } else if format == "pkcs12" || options.has("w") {
            let typed = try call.askTwice("passphrase for export: ", "retype passphrase: ")
            guard let typed else { return Tool.failed }
            arguments["passphrase"] = .data(typed)
        }
        var bytes: [UInt8] = []
        let result = try call.answering("SecKeychainItemExport") { service throws(AgentError) in
            let answer = try service.call("keychains.export", arguments).dictionary ?? [:]
            bytes = answer["file"]?.data ?? []
            reportLeftOut(answer["leftOut"]?.integer ?? 0)
        }
        guard result == 0 else { return Tool.failed }
        guard let path = text("o") else {
            call.tool.surroundings.write(bytes, .output)
            return 0
        }
        do throws(FileError) {
            try call.tool.surroundings.writeFile(path, bytes)
        } catch {
            call.say("security: \(path): \(error.text)\n", .error)
            return Tool.failed
        }
        call.say("...\(bytes.count) bytes written to \(path)\n", .error)
        return 0
    }
}
