internal import Digests
internal import Primitives
internal import Records
internal import Secrets

/// The secret that opens everything on this device, in a file of its own: made once, never sent,
/// never in the database or its backups.
struct DeviceSecretFile {
    static let deviceIDByteCount = 16
    private static let format: UInt64 = 1

    /// Names this home in what is sealed here; it says nothing to anybody else.
    let deviceID: [UInt8]
    private let secret: SharedSecret

    static func random(from random: any RandomSource) -> DeviceSecretFile {
        DeviceSecretFile(
            deviceID: random.bytes(deviceIDByteCount),
            secret: .random(from: random)
        )
    }

    private init(deviceID: [UInt8], secret: SharedSecret) {
        self.deviceID = deviceID
        self.secret = secret
    }

    /// The key of a tier.
    ///
    /// Without a passcode the passcode tier, too, is the device secret alone.
    func key(of tier: ProtectionTier) -> SharedSecret {
        switch tier {
        case .device: KeyDerivation.key(secret, "tier device")
        case .passcode: KeyDerivation.key(secret, "tier passcode")
        }
    }

    var pinsKey: HMACKey { HMACKey(KeyDerivation.key(secret, "device pins")) }

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: "device secret")
        encoder.integer(Self.format)
        encoder.bytes(deviceID)
        encoder.bytes(secret.copyBytes())
        // So that a damaged file is told from a lost key.
        encoder.bytes(SHA256.hash(encoder.encoded))
        return encoder.encoded
    }

    init(decoding encoded: [UInt8]) throws(SealingError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: "device secret")
            let format = try decoder.integer()
            guard format <= Self.format else { throw RecordsError.formatTooNew(format: format) }
            guard format == Self.format else { throw RecordsError.malformed }
            deviceID = try decoder.bytes(count: Self.deviceIDByteCount)
            secret = SharedSecret(bytes: try decoder.bytes(count: 32))
            _ = try decoder.bytes(count: SHA256.byteCount)
            try decoder.end()
        } catch RecordsError.formatTooNew(let format) {
            throw .updateThisClient(format: format)
        } catch {
            throw .keyFileDamaged(.deviceSecret)
        }
        guard self.encoded == encoded else { throw .keyFileDamaged(.deviceSecret) }
    }
}
