internal import KSSealing
internal import KSDigests
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// The secret that opens everything on this device, in a file of its own: made once, never sent,
/// never in the database or its backups.
struct DeviceSecretFile {
    static let deviceIDByteCount = 16
    private static let format: UInt64 = 1

    /// Identifies this home in everything that is sealed here; it means nothing elsewhere.
    let deviceID: [UInt8]
    private let secret: SharedSecret

    static func random(from random: any RandomSource) -> DeviceSecretFile {
        DeviceSecretFile(deviceID: random.bytes(deviceIDByteCount), secret: .random(from: random))
    }

    var deviceTierKey: SharedSecret { KeyDerivation.key(secret, "tier device") }

    /// The key of the passcode tier while there is no passcode: the device secret alone.
    var passcodeFreeTierKey: SharedSecret { KeyDerivation.key(secret, "tier passcode") }

    /// The key of the passcode tier, which takes both the passcode and this file.
    ///
    /// With ``ScryptCost/k1`` this takes a third of a second and 128 MiB.
    func passcodeTierKey(
        _ passcode: [UInt8],
        _ derivation: PasscodeDerivation,
        cost: ScryptCost
    ) throws(SealingError) -> SharedSecret {
        let salt = SharedSecret(bytes: derivation.salt)
        let derived = try SecretText.derivedKey(passcode, salt: salt, cost: cost)
        let master = HKDF.extract(
            salt: Self.passcodeVersion,
            inputKey: SharedSecret.joining([derived, secret])
        )
        return KeyDerivation.key(master, "tier passcode")
    }

    /// HKDF's salt: these two bytes, no label.
    private static let passcodeVersion = Array("P1".utf8)

    var pinsKey: HMACKey { HMACKey(KeyDerivation.key(secret, "device pins")) }
    var keyBagKey: HMACKey { HMACKey(KeyDerivation.key(secret, "key bag")) }

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: "device secret")
        encoder.integer(Self.format)
        encoder.bytes(deviceID)
        encoder.bytes(secret.copyBytes())
        // So that a damaged file is distinguished from a lost key.
        encoder.bytes(SHA256.hash(encoder.encoded))
        return encoder.encoded
    }
}

extension DeviceSecretFile {
    init(decoding encoded: [UInt8]) throws(SealingError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: "device secret")
            try decoder.formatNumber(upTo: Self.format)
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
