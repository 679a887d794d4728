internal import ArgumentParser
internal import Glibc
internal import KSCertificates
internal import KSFiles

struct NextPinCommand: DirectoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "next-pin",
        abstract: "Prints the pin of the server's next key, which it makes the first time.",
        discussion: """
            A server may be running. Give the pin to every device; when all have it, stop the \
            server and switch to the key with --use. The next start makes a certificate for it, \
            and the key before it stays as certificate.old.key.
            """
    )

    @OptionGroup
    var data: DataOptions

    @Flag(help: "Make the next key the server's key; no server may be running.")
    var use = false

    func perform() async throws {
        let directory = try data.existingDirectory()
        guard use else {
            print(try NextKey(directory).madePin())
            return
        }
        let lock = try DataDirectoryLock(directory)
        let pin = try NextKey(directory).use()
        withExtendedLifetime(lock) {}
        print(
            "the next start uses the key with pin \(pin), unless the server is started with"
                + " --tls-key"
        )
    }
}

/// The key beside the present one, of which devices get the pin beforehand.
struct NextKey {
    private let directory: DataDirectory

    init(_ directory: DataDirectory) {
        self.directory = directory
    }

    /// The pin of the next key, which this call makes unless there is one.
    func madePin() throws -> String {
        if let pin = try self.pin() { return pin }
        let notMade = ExitReason(.failure, "A key could not be made.")
        let key = try ServerCertificate.trying(notMade) { try SelfSignedCertificate.makeKey() }
        do throws(FileError) {
            // Two calls at once print the same pin: the second finds the first one's file.
            try ServerCertificate.writeNew(key, to: directory.nextKeyPath)
        } catch {
            guard let pin = try self.pin() else { throw error }
            return pin
        }
        return try CertificatePin.pin(keyPEM: key)
    }

    /// Makes it the server's key by one rename, so that a kill leaves the old key or the new one.
    ///
    /// The old key stays in a file of its own. Its certificate stays too; the next start replaces
    /// it, as it replaces any of the server's own that does not belong to the key.
    func use() throws -> String {
        guard let pin = try self.pin() else {
            throw ExitReason(
                .refused,
                "There is no next key: make it with sync-server next-pin --data DIR, and give its"
                    + " pin to every device first."
            )
        }
        if let certificate = try ServerCertificate.contentsIfPresent(directory.certificatePath),
            isOfAuthority(certificate, forOtherKeyThan: pin)
        {
            throw ExitReason(
                .refused,
                "\(directory.certificatePath) is an authority's, for the present key: put one for"
                    + " the next key there, or remove it, and the server makes its own."
            )
        }
        if let old = try ServerCertificate.contentsIfPresent(directory.keyPath) {
            try ReplacementFile.write(old, to: directory.oldKeyPath)
        }
        guard unsafe rename(directory.nextKeyPath, directory.keyPath) == 0 else {
            throw FileError.system(errno: errno)
        }
        try Paths.synchronizeFolder(of: directory.keyPath)
        return pin
    }

    /// Whether a server would not start with this certificate and the key of this pin, since it
    /// does not replace what an authority has signed.
    private func isOfAuthority(_ certificate: [UInt8], forOtherKeyThan pin: String) -> Bool {
        let text = String(decoding: certificate, as: UTF8.self)
        // A text that holds no certificate is replaced.
        let isSelfSigned = try? SelfSignedCertificate.isSelfSigned(certificatePEM: text)
        // As above.
        return isSelfSigned == false && (try? CertificatePin.pin(certificatePEM: text)) != pin
    }

    private func pin() throws -> String? {
        let path = directory.nextKeyPath
        guard let bytes = try ServerCertificate.contentsIfPresent(path) else { return nil }
        let notAKey = ExitReason(
            .usage,
            "\(path) holds no private key in PEM form: delete it, and run next-pin again."
        )
        return try ServerCertificate.trying(notAKey) {
            try CertificatePin.pin(keyPEM: String(decoding: bytes, as: UTF8.self))
        }
    }
}
