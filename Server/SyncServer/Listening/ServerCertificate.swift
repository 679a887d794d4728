internal import KSCertificates
internal import Foundation
internal import NIOSSL

/// Why a certificate cannot be used.
enum ServerCertificateError: Error, Equatable {
    case certificateUnreadable
    case keyUnreadable
    case notACertificate
    case notAKey
    case keyDoesNotMatch
    case expired
    case notYetValid
    case notMade
}

/// What the server shows to clients: a certificate chain, its key, and the pin that clients
/// compare.
struct ServerCertificate: Sendable {
    let tlsConfiguration: TLSConfiguration
    /// `sha256//BASE64=`, as curl writes pins.
    let pin: String

    /// Forward secrecy and authenticated encryption; TLS 1.3 has nothing else.
    private static let cipherSuites = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """

    /// The certificate in these files, when it is good today.
    init(certificatePath: String, keyPath: String, clock: WallClock) throws(ServerCertificateError)
    {
        guard let certificatePEM = PrivateFile.read(certificatePath) else {
            throw .certificateUnreadable
        }
        guard let keyPEM = PrivateFile.read(keyPath) else { throw .keyUnreadable }
        try self.init(certificatePEM: certificatePEM, keyPEM: keyPEM, clock: clock)
    }

    private init(
        certificatePEM: [UInt8],
        keyPEM: [UInt8],
        clock: WallClock
    ) throws(ServerCertificateError) {
        let chain = try Self.trying(.notACertificate) {
            try NIOSSLCertificate.fromPEMBytes(certificatePEM)
        }
        guard let leaf = chain.first else { throw .notACertificate }
        let pin = try Self.trying(.notACertificate) {
            try CertificatePin.pin(certificatePEM: String(decoding: certificatePEM, as: UTF8.self))
        }
        let key = try Self.trying(.notAKey) {
            try NIOSSLPrivateKey(bytes: keyPEM, format: .pem)
        }
        let now = Int(clock.seconds())
        guard leaf.notValidAfter > now else { throw .expired }
        guard leaf.notValidBefore <= now else { throw .notYetValid }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = Self.cipherSuites
        // It is the library that compares the two, when it makes a context of them.
        let tlsConfiguration = configuration
        _ = try Self.trying(.keyDoesNotMatch) {
            try NIOSSLContext(configuration: tlsConfiguration)
        }
        self.tlsConfiguration = configuration
        self.pin = pin
    }

    /// The self-signed certificate of a data directory, made the first time.
    ///
    /// The key is written first: a certificate that stands there has its key beside it.
    init(
        ofDirectory directory: DataDirectory,
        address: ListenAddress,
        origins: [String],
        clock: WallClock
    ) throws {
        if !FileManager.default.fileExists(atPath: directory.certificatePath) {
            let hosts = origins.compactMap { URLComponents(string: $0)?.host } + [address.host]
            let names = Self.names(hosts)
            let made = try Self.trying(.notMade) {
                try SelfSignedCertificate.make(
                    hostNames: names.hostNames,
                    addresses: names.addresses,
                    validDays: SelfSignedCertificate.validDaysMax,
                    now: clock.seconds()
                )
            }
            try PrivateFile.write(Array(made.keyPEM.utf8), to: directory.keyPath)
            try PrivateFile.write(Array(made.certificatePEM.utf8), to: directory.certificatePath)
        }
        try self.init(
            certificatePath: directory.certificatePath,
            keyPath: directory.keyPath,
            clock: clock
        )
    }

    /// Names a library's error by what an operator can do about it.
    private static func trying<Value>(
        _ reason: ServerCertificateError,
        _ body: () throws -> Value
    ) throws(ServerCertificateError) -> Value {
        do {
            return try body()
        } catch {
            throw reason
        }
    }

    /// What the certificate is for, each once: names apart from addresses, loopback always.
    private static func names(_ hosts: [String]) -> (hostNames: [String], addresses: [String]) {
        var hostNames = ["localhost"]
        var addresses = ["127.0.0.1", "::1"]
        for host in hosts.map({ $0.trimmingCharacters(in: ["[", "]"]).lowercased() }) {
            let isAddress =
                host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
            if isAddress, !addresses.contains(host) { addresses.append(host) }
            if !isAddress, !hostNames.contains(host) { hostNames.append(host) }
        }
        return (hostNames, addresses)
    }
}
