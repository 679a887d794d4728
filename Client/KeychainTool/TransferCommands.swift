internal import KSEveryday
internal import KSBytes
internal import KSAgent
internal import KSFiles
internal import KSSecurityNames

// `import`, `add-certificates` and `export`: certificates and keys of files.
extension Invocation {
    /// The formats that `security` takes for -f; the daemon rejects those that it does not support.
    private static let formats = [
        "openssl", "openssh1", "openssh2", "bsafe", "raw", "pkcs7", "pkcs8", "pkcs12", "netscape",
        "x509", "pemseq",
    ]
    private static let importedKinds = ["pub", "priv", "session", "cert", "agg"]
    private static let exportedKinds = [
        "certs", "allKeys", "pubKeys", "privKeys", "identities", "all",
    ]

    /// The value of an option, which must be one of these words.
    private func choice(_ letter: Character, of words: [String]) throws(UsageError) -> String? {
        guard let word = text(letter) else { return nil }
        guard words.contains(word) else { throw UsageError() }
        return word
    }

    // MARK: Import

    /// Ignores words after the file.
    func importFile() throws -> Int32 {
        guard let path = options.names.first else { throw UsageError() }
        let format = try choice("f", of: Self.formats)
        let kind = try choice("t", of: Self.importedKinds)
        var request = ImportKeys(file: try read(path))
        request.format = format
        request.kind = kind
        request.passphrase = options["P"]
        request.extractable = !options.has("x")
        request.keychain = text("k").map(self.path)
        return try send(request, path: path)
    }

    private func read(_ path: String) throws(Failure) -> [UInt8] {
        do throws(FileError) {
            return try tool.surroundings.read(path)
        } catch {
            throw Failure("Error reading infile \(path): \(error.text)")
        }
    }

    /// Sends the file, and again with a passphrase if the file turns out to need one.
    private func send(_ request: ImportKeys, path: String) throws -> Int32 {
        let isAsking = request.passphrase == nil
        let result = try answering(
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
            request.passphrase = try ask("passphrase for \(path): ")
            return try send(request, path: path)
        case SecStatus.errSecItemNotFound: throw Failure("No keychain items found")
        default: return Tool.failed
        }
    }

    /// Adds the certificates of several files; a file that fails does not stop the others.
    func addCertificates() throws -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        var worst: Int32 = 0
        for path in options.names {
            do {
                if try addCertificates(of: path) != 0 { worst = Tool.failed }
            } catch let failure as Failure {
                tool.report(failure)
                worst = failure.status
            }
        }
        return worst
    }

    private func addCertificates(of path: String) throws -> Int32 {
        let keychain = text("k")
        var request = ImportKeys(file: try read(path))
        request.kind = "cert"
        request.keychain = keychain.map(self.path)
        let result = try send(
            request,
            as: "SecCertificateAddToKeychain",
            isSilentAbout: [SecStatus.errSecDuplicateItem]
        )
        guard result != SecStatus.errSecDuplicateItem else {
            throw Failure("\(path): already in \(keychain ?? "default keychain")")
        }
        return result
    }

    private func report(_ imported: ImportedKeys) {
        for (count, one, several) in [
            (imported.identities, "identity", "identities"), (imported.keys, "key", "keys"),
            (imported.certificates, "certificate", "certificates"),
        ] where count > 0 {
            say("\(counted(count, one, several)) imported.\n", .output)
        }
    }

    // MARK: Export

    private func reportLeftOut(_ count: Int) {
        guard count > 0 else { return }
        let keys = counted(count, "key was", "keys were")
        say("security: \(keys) left out: damaged, or of a kind without that format\n", .error)
    }

    func export() throws -> Int32 {
        var request = ExportKeys()
        request.keychains = text("k").map { [path($0)] }
        request.format = try choice("f", of: Self.formats)
        request.kind = try choice("t", of: Self.exportedKinds)
        request.armoured = options.has("p")
        request.passphrase = options["P"]
        if request.passphrase == nil, request.format == "pkcs12" || options.has("w") {
            request.passphrase = try askTwice("passphrase for export: ", "retype passphrase: ")
        }
        var bytes: [UInt8] = []
        let result = try answering("SecKeychainItemExport") { service throws(AgentError) in
            let answer = try service.call(request)
            bytes = answer.file
            reportLeftOut(answer.leftOut)
        }
        guard result == 0 else { return Tool.failed }
        guard let path = text("o") else {
            tool.surroundings.write(bytes, to: .output)
            return 0
        }
        try write(bytes, toFile: path)
        say("...\(bytes.count) bytes written to \(path)\n", .error)
        return 0
    }

    /// Writes a file that a command makes.
    func write(_ bytes: [UInt8], toFile path: String) throws(Failure) {
        do throws(FileError) {
            try tool.surroundings.write(bytes, toFile: path)
        } catch {
            throw Failure("\(path): \(error.text)")
        }
    }
}
