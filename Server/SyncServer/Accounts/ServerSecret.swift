internal import Foundation
package import KSDigests
package import KSFiles
internal import KSRecords

/// The server's own secret, which authenticates the challenges and tokens that it issues.
///
/// It opens no record. A thief of it can impersonate any member until it is renewed, so it is kept
/// in its own file, and no backup contains it.
package struct ServerSecret: Sendable {
    package static let byteCount = 32
    private let key: [UInt8]

    /// - Parameter key: at most 64 bytes, the block of SHA-256.
    package init(key: [UInt8]) {
        precondition(key.count <= Self.blockByteCount)
        self.key = key + [UInt8](repeating: 0, count: Self.blockByteCount - key.count)
    }

    private static let blockByteCount = 64

    /// Reads the secret of a data directory, and creates it the first time.
    package init(ofDirectory directory: DataDirectory, random: any RandomSource) throws {
        guard let key = try Self.key(in: directory) else {
            self = try Self.renew(in: directory, random: random)
            return
        }
        self.init(key: key)
    }

    /// The secret of a data directory; nil before the first start of a server has made it.
    static func key(in directory: DataDirectory) throws(ExitReason) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: directory.secretPath) else { return nil }
        guard let key = FileManager.default.contents(atPath: directory.secretPath),
            key.count == Self.byteCount
        else { throw directory.hasUnreadableSecret }
        return Array(key)
    }

    /// Replaces the secret, which invalidates every token and challenge.
    ///
    /// No server may be using the directory.
    @discardableResult
    package static func renew(
        in directory: DataDirectory,
        random: any RandomSource
    ) throws(FileError) -> ServerSecret {
        let key = random.bytes(byteCount)
        try ReplacementFile.write(key, to: directory.secretPath)
        return ServerSecret(key: key)
    }

    /// HMAC-SHA-256 (RFC 2104).
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        let inner = SHA256.hash(key.map { $0 ^ 0x36 } + message)
        return SHA256.hash(key.map { $0 ^ 0x5c } + inner)
    }

    package func isAuthentic(_ message: [UInt8], code: [UInt8]) -> Bool {
        ConstantTime.areEqual(authenticate(message), code)
    }

    /// Derives a secret for one purpose.
    func derived(label: String, salt: [UInt8] = []) -> ServerSecret {
        var encoder = CanonicalEncoder(label: "server secret")
        encoder.string(label)
        encoder.bytes(salt)
        return ServerSecret(key: authenticate(encoder.encoded))
    }
}

/// A log that describes a service shows all that it holds, but not the key.
extension ServerSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "ServerSecret" }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
