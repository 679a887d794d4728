internal import KSCertificates
internal import Foundation
internal import KSFiles
internal import NIOSSL

/// The server's certificate chain, its key, and the pin that clients compare.
package struct ServerCertificate: Sendable {
    let tlsConfiguration: TLSConfiguration
    /// `sha256//BASE64=`, curl's form of a pin.
    package let pin: String
    /// When it ends, in seconds since 1970-01-01 00:00 UTC.
    package let endSeconds: Int

    /// Suites with forward secrecy and authenticated encryption; those of TLS 1.3 all have both.
    private static let cipherSuites = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """

    /// Reads the certificate in these files, which must be valid now.
    init(
        certificatePath: String,
        keyPath: String,
        clock: WallClock = .system
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
        let now = Int(clock.seconds())
        guard leaf.notValidAfter > now else {
            throw ExitReason(
                .usage,
                "The certificate \(certificatePath) has expired: give a newer one."
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
        endSeconds = Int(leaf.notValidAfter)
    }

    static func contents(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }

    /// Converts a library's error into one that an operator can act on.
    static func trying<Value>(
        _ reason: ExitReason,
        _ body: () throws -> Value
    ) throws(ExitReason) -> Value {
        do {
            return try body()
        } catch {
            throw reason
        }
    }
}
