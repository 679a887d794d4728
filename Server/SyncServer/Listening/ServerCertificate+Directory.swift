internal import KSCertificates
internal import Foundation
internal import KSFiles
internal import NIOSSL

/// The self-signed certificate of a data directory.
///
/// Its key decides: a certificate that is missing, that belongs to another key, or that ends soon
/// is made again for the key. So the pin changes only with the key, and a process that is killed
/// between the two files leaves a directory that the next start completes.
extension ServerCertificate {
    /// How long before its end a certificate is renewed, and an operator warned of one of his own.
    static let renewalDays = 30
    static let daySeconds = 86_400
    /// More than any chain or key has.
    private static let fileBytesMax = 1 << 20
    private static let notMade = ExitReason(.failure, "A certificate could not be made.")

    /// Makes the key of a data directory that has neither a key nor a certificate.
    ///
    /// Only a start does this: a running server whose files disappear keeps the key that it has.
    static func makeFirstKey(in directory: DataDirectory) throws {
        // Without its key a certificate is of no use, but only the operator may delete it.
        guard try contentsIfPresent(directory.keyPath) == nil,
            try contentsIfPresent(directory.certificatePath) == nil
        else { return }
        let keyPEM = try trying(notMade) { try SelfSignedCertificate.makeKey() }
        try writeNew(keyPEM, to: directory.keyPath)
    }

    /// Writes a key that only this user can read; it never replaces a file.
    static func writeNew(_ keyPEM: String, to path: String) throws(FileError) {
        var file = try ReplacementFile(for: path, replaces: false)
        try file.write(Array(keyPEM.utf8))
        try file.finish(permissions: 0o600)
    }

    /// A file's contents; nil only if nothing has this name.
    ///
    /// - Throws: the reason if it cannot be read. Such a file never counts as missing, because a
    ///   new one would replace it.
    static func contentsIfPresent(_ path: String) throws(ExitReason) -> [UInt8]? {
        do throws(FileError) {
            let file = try OpenFile.reading(regular: path, followsLinks: true)
            return try file.contents(bytesMax: fileBytesMax)
        } catch {
            // A link to a missing file is not a missing file.
            if error == .system(errno: ENOENT),
                unsafe faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0
            {
                return nil
            }
            guard ![EACCES, EPERM].contains(error.number) else {
                throw ExitReason(
                    .usage,
                    "\(path) cannot be read: let the server's user read it."
                )
            }
            throw ExitReason(
                .disk,
                "\(path) cannot be read (error \(error.number)): check the file and its disk."
            )
        }
    }

    /// Reads the certificate of a data directory, and makes or renews it when that is needed.
    ///
    /// A certificate that another key has signed is the operator's own, and stays as it is.
    /// - Throws: the reason if there is no key, as ``makeFirstKey(in:)`` alone makes one.
    package init(
        ofDirectory directory: DataDirectory,
        address: ListenAddress,
        origins: [String],
        clock: WallClock = .system
    ) throws {
        let hosts = origins.compactMap { URLComponents(string: $0)?.host } + [address.host]
        try Self.prepare(directory, hosts: hosts, now: clock.seconds())
        try self.init(
            certificatePath: directory.certificatePath,
            keyPath: directory.keyPath,
            clock: clock
        )
    }

    /// The whole days until the certificate ends.
    func daysLeft(now: UInt64) -> Int {
        (endSeconds - Int(now)) / Self.daySeconds
    }

    private static func prepare(_ directory: DataDirectory, hosts: [String], now: UInt64) throws {
        let certificate = try contentsIfPresent(directory.certificatePath)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let key = try contentsIfPresent(directory.keyPath) else {
            throw ExitReason(
                .usage,
                "\(directory.keyPath) is missing: bring it back, or remove"
                    + " \(directory.certificatePath) too, and the next start makes a new key, whose"
                    + " pin every device needs."
            )
        }
        let keyPEM = String(decoding: key, as: UTF8.self)
        let notAKey = ExitReason(
            .usage,
            "\(directory.keyPath) holds no private key in PEM form."
        )
        let pin = try trying(notAKey) { try CertificatePin.pin(keyPEM: keyPEM) }
        if let certificate, isUsable(certificate, pin: pin, now: now) { return }
        let names = Self.names(hosts)
        let made = try trying(notMade) {
            try SelfSignedCertificate.renew(
                keyPEM: keyPEM,
                hostNames: names.hostNames,
                addresses: names.addresses,
                validDays: SelfSignedCertificate.validDaysMax,
                now: now
            )
        }
        try ReplacementFile.write(Array(made.utf8), to: directory.certificatePath)
    }

    /// Whether a certificate belongs to the key, and lasts; the operator's own always counts.
    ///
    /// One that is not valid yet counts: a machine whose clock is wrong would replace it by one
    /// that has expired for clients.
    private static func isUsable(_ text: String, pin: String, now: UInt64) -> Bool {
        // Text that holds no certificate is replaced, whatever is wrong with it.
        guard let isSelfSigned = try? SelfSignedCertificate.isSelfSigned(certificatePEM: text),
            let leaf = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8)).first,  // As above.
            let own = try? CertificatePin.pin(certificatePEM: text)  // As above.
        else { return false }
        guard isSelfSigned else { return true }
        let left = Int(leaf.notValidAfter) - Int(now)
        return own == pin && left >= renewalDays * daySeconds
    }

    /// The certificate's names and addresses, each once; loopback is always among them.
    private static func names(_ hosts: [String]) -> (hostNames: [String], addresses: [String]) {
        var hostNames = ["localhost"]
        var addresses = ["127.0.0.1", "::1"]
        for host in hosts.map({ $0.trimmingCharacters(in: ["[", "]"]).lowercased() }) {
            let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
            if isAddress, !addresses.contains(host) { addresses.append(host) }
            if !isAddress, !hostNames.contains(host) { hostNames.append(host) }
        }
        return (hostNames, addresses)
    }
}
