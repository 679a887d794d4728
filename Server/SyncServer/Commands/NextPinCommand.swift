internal import ArgumentParser
internal import Glibc
internal import KSCertificates
internal import KSFiles

struct NextPinCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "next-pin",
        abstract: "Prints the pin of the server's next key, which it makes the first time.",
        discussion: """
            A server may be running. Give the pin to every device; when all have it, stop the \
            server and switch to the key with --use. The next start makes a certificate for it.
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
        print("the next start uses the key with pin \(pin)")
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
            var file = try ReplacementFile(for: directory.nextKeyPath, replaces: false)
            try file.write(Array(key.utf8))
            try file.finish(permissions: 0o600)
        } catch {
            guard let pin = try self.pin() else { throw error }
            return pin
        }
        return try CertificatePin.pin(keyPEM: key)
    }

    /// Makes it the server's key by one rename, so that a kill leaves the old key or the new one.
    ///
    /// The certificate of the old key stays; the next start replaces it, as it replaces any that
    /// does not belong to the key.
    func use() throws -> String {
        guard let pin = try self.pin() else {
            throw ExitReason(
                .refused,
                "There is no next key: make it with sync-server next-pin --data DIR, and give its"
                    + " pin to every device first."
            )
        }
        guard unsafe rename(directory.nextKeyPath, directory.keyPath) == 0 else {
            throw FileError.system(errno: errno)
        }
        try Paths.synchronizeFolder(of: directory.keyPath)
        return pin
    }

    private func pin() throws -> String? {
        guard unsafe access(directory.nextKeyPath, F_OK) == 0 else { return nil }
        let path = directory.nextKeyPath
        let notAKey = ExitReason(
            .usage,
            "\(path) holds no private key in PEM form: delete it, and run next-pin again."
        )
        guard let bytes = ServerCertificate.contents(path) else { throw notAKey }
        return try ServerCertificate.trying(notAKey) {
            try CertificatePin.pin(keyPEM: String(decoding: bytes, as: UTF8.self))
        }
    }
}
