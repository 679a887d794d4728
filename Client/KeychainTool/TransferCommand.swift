internal import KSAgent
internal import KSFiles
internal import KSSecurityNames

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
        let format = try format()
        let kind = text("t")
        if let kind, !["pub", "priv", "session", "cert", "agg"].contains(kind) {
            throw UsageError()
        }
        guard let bytes = read(path) else { return Tool.failed }
        let request = ImportKeys(
            file: bytes,
            format: format,
            kind: kind,
            passphrase: options["P"],
            extractable: !options.has("x"),
            keychain: text("k").map(call.path)
        )
        return try send(request, path: path)
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
    private func send(_ request: ImportKeys, path: String) throws -> Int32 {
        let isAsking = request.passphrase == nil
        let result = try call.answering(
            "SecKeychainItemImport",
            isSilentAbout: [SecStatus.errSecItemNotFound]
                + (isAsking ? [SecStatus.errSecPassphraseRequired] : [])
        ) { service throws(AgentError) in
            report(try service.call(request))
        }
        switch result {
        case 0: return 0
        case SecStatus.errSecPassphraseRequired where isAsking:
            var request = request
            request.passphrase = try call.tool.surroundings.askPassword(
                "passphrase for \(path): "
            )
            return try send(request, path: path)
        case SecStatus.errSecItemNotFound:
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
            let request = ImportKeys(file: bytes, kind: "cert", keychain: place.map(call.path))
            let result = try call.answering(
                "SecCertificateAddToKeychain",
                isSilentAbout: [SecStatus.errSecDuplicateItem]
            ) { service throws(AgentError) in
                _ = try service.call(request)
            }
            if result == SecStatus.errSecDuplicateItem {
                call.say(
                    "security: \(path): already in \(place ?? "default keychain")\n",
                    .error
                )
            }
            if result != 0 { worst = Tool.failed }
        }
        return worst
    }

    private func report(_ imported: ImportedKeys) {
        for (count, one, several) in [
            (imported.identities, "identity", "identities"), (imported.keys, "key", "keys"),
            (imported.certificates, "certificate", "certificates"),
        ] where count > 0 {
            call.say("\(count) \(count == 1 ? one : several) imported.\n", .output)
        }
    }

    // MARK: Export

    private func reportLeftOut(_ count: Int) {
        guard count > 0 else { return }
        let keys = count == 1 ? "1 key was" : "\(count) keys were"
        call.say("security: \(keys) left out: damaged, or of a kind with no such form\n", .error)
    }

    func export() throws -> Int32 {
        let format = try format()
        let kind = text("t")
        let kinds = ["certs", "allKeys", "pubKeys", "privKeys", "identities", "all"]
        if let kind, !kinds.contains(kind) { throw UsageError() }
        var request = ExportKeys(
            keychains: text("k").map { [call.path($0)] },
            format: format,
            kind: kind,
            armoured: options.has("p"),
            passphrase: options["P"]
        )
        if request.passphrase == nil, format == "pkcs12" || options.has("w") {
            let typed = try call.askTwice("passphrase for export: ", "retype passphrase: ")
            guard let typed else { return Tool.failed }
            request.passphrase = typed
        }
        var bytes: [UInt8] = []
        let result = try call.answering("SecKeychainItemExport") { service throws(AgentError) in
            let answer = try service.call(request)
            bytes = answer.file
            reportLeftOut(answer.leftOut)
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
