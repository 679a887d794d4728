internal import KSCertificates
internal import Foundation
internal import KSFiles
internal import NIOSSL

/// The server's certificate chain, its key, and the pin that clients compare.
struct ServerCertificate: Sendable {
    let tlsConfiguration: TLSConfiguration
    /// `sha256//BASE64=`, curl's form of a pin.
    let pin: String

    /// Suites with forward secrecy and authenticated encryption; those of TLS 1.3 all have both.
    private static let cipherSuites = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """

    /// Reads the certificate in these files, which must be valid now.
    ///
    /// `remedy`: what to do when it has expired.
    init(
        certificatePath: String,
        keyPath: String,
        remedy: String = "give a newer one"
    ) throws(ExitReason) {
        guard let certificatePEM = Self.contents(certificatePath) else {
            throw ExitReason(.usage, "The certificate \(certificatePath) cannot be read: check it.")
        }
        guard let keyPEM = Self.contents(keyPath) else {
            throw ExitReason(.usage, "The private key \(keyPath) cannot be read: check it.")
        }
        let notACertificate = ExitReason(
            .usage,
            "\(certificatePath) holds no certificate in PEM form."
        )
        let chain = try Self.trying(notACertificate) {
            try NIOSSLCertificate.fromPEMBytes(certificatePEM)
        }
        guard let leaf = chain.first else { throw notACertificate }
        let pin = try Self.trying(notACertificate) {
            try CertificatePin.pin(certificatePEM: String(decoding: certificatePEM, as: UTF8.self))
        }
        let notAKey = ExitReason(.usage, "\(keyPath) holds no private key in PEM form.")
        let key = try Self.trying(notAKey) { try NIOSSLPrivateKey(bytes: keyPEM, format: .pem) }
        let now = Int(WallClock.system.seconds())
        guard leaf.notValidAfter > now else {
            throw ExitReason(
                .usage,
                "The certificate \(certificatePath) has expired: \(remedy)."
            )
        }
        guard leaf.notValidBefore <= now else {
            throw ExitReason(
                .usage,
                "The certificate \(certificatePath) is not valid yet; check this machine's clock."
            )
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = Self.cipherSuites
        // The library compares certificate and key when it makes a context.
        let tlsConfiguration = configuration
        let otherKey = ExitReason(.usage, "\(keyPath) is not the key of \(certificatePath).")
        _ = try Self.trying(otherKey) { try NIOSSLContext(configuration: tlsConfiguration) }
        self.tlsConfiguration = tlsConfiguration
        self.pin = pin
    }

    /// Reads the self-signed certificate of a data directory, and creates it the first time.
    ///
    /// The key is written first, so that an existing certificate always has its key.
    init(ofDirectory directory: DataDirectory, address: ListenAddress, origins: [String]) throws {
        if !FileManager.default.fileExists(atPath: directory.certificatePath) {
            let hosts = origins.compactMap { URLComponents(string: $0)?.host } + [address.host]
            let names = Self.names(hosts)
            let notMade = ExitReason(.failure, "A certificate could not be made.")
            let made = try Self.trying(notMade) {
                try SelfSignedCertificate.make(
                    hostNames: names.hostNames,
                    addresses: names.addresses,
                    validDays: SelfSignedCertificate.validDaysMax,
                    now: WallClock.system.seconds()
                )
            }
            try ReplacementFile.write(Array(made.keyPEM.utf8), to: directory.keyPath)
            try ReplacementFile.write(
                Array(made.certificatePEM.utf8),
                to: directory.certificatePath
            )
        }
        try self.init(
            certificatePath: directory.certificatePath,
            keyPath: directory.keyPath,
            remedy: "delete it and \(directory.keyPath), and the next start makes another one, with"
                + " a new pin that every device needs (sync-client logout --keep-items, then"
                + " sync-client login --kit FILE --pin NEW)"
        )
    }

    private static func contents(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }

    /// Converts a library's error into one that an operator can act on.
    private static func trying<Value>(
        _ reason: ExitReason,
        _ body: () throws -> Value
    ) throws(ExitReason) -> Value {
        do {
            return try body()
        } catch {
            throw reason
        }
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
