internal import KSSealing
internal import KSDigests
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// The keys of protection classes that are available.
typealias ClassSecrets = [ProtectionClass: SharedSecret]

/// One random key for each protection class, each sealed under its tier.
///
/// The file is not in the database, whose free pages and log would keep old copies of it.
struct KeyBag {
    struct SealedKey: Hashable {
        let protectionClass: ProtectionClass
        /// Empty where the class has no key, as WhenPasscodeSet without a passcode.
        let box: [UInt8]
    }

    let deviceID: [UInt8]
    /// Rises with each new file; part of every box's context.
    let version: UInt64
    /// Nil while there is no passcode.
    let passcode: PasscodeDerivation?
    /// All classes, in the order of their numbers.
    let sealedKeys: [SealedKey]
    /// The public key to which files are sealed that are written while the device is locked.
    let filePublicKey: [UInt8]

    /// New keys of a device without a passcode.
    static func randomKeys(from random: any RandomSource) -> ClassSecrets {
        var keys: ClassSecrets = [:]
        for protectionClass in ProtectionClass.allCases
        where protectionClass != .whenPasscodeSetThisDeviceOnly {
            keys[protectionClass] = .random(from: random)
        }
        return keys
    }

    /// A new bag with these keys.
    static func seal(
        _ keys: ClassSecrets,
        of secret: DeviceSecretFile,
        version: UInt64,
        passcode: PasscodeDerivation?,
        passcodeTierKey: SharedSecret,
        random: any RandomSource
    ) -> KeyBag {
        let sealedKeys = ProtectionClass.allCases.map { protectionClass in
            let tierKey =
                switch protectionClass.tier {
                case .device: secret.deviceTierKey
                case .passcode: passcodeTierKey
                }
            let box = keys[protectionClass].map { key in
                BoxKey(tierKey).seal(
                    key.copyBytes(),
                    purpose: .classKey,
                    context: context(secret.deviceID, protectionClass, version: version),
                    random: random
                )
            }
            return SealedKey(protectionClass: protectionClass, box: box ?? [])
        }
        return KeyBag(
            deviceID: secret.deviceID,
            version: version,
            passcode: passcode,
            sealedKeys: sealedKeys,
            filePublicKey: keys[.whenUnlocked].map { FileAgreement.key($0).publicKey } ?? []
        )
    }

    /// The keys of a tier.
    ///
    /// Tries every box even if one fails, so that the time reveals nothing about the tier's key.
    /// - Throws: ``SealingError/notAuthentic`` if the key is wrong.
    func open(_ tier: ProtectionTier, with key: SharedSecret) throws(SealingError) -> ClassSecrets {
        var keys: ClassSecrets = [:]
        var isAuthentic = true
        let boxKey = BoxKey(key)
        for sealed in sealedKeys where sealed.protectionClass.tier == tier && !sealed.box.isEmpty {
            do throws(SealingError) {
                let bytes = try boxKey.open(
                    sealed.box,
                    purpose: .classKey,
                    context: Self.context(deviceID, sealed.protectionClass, version: version)
                )
                guard bytes.count == 32 else { throw SealingError.malformed }
                keys[sealed.protectionClass] = SharedSecret(bytes: bytes)
            } catch {
                isAuthentic = false
            }
        }
        guard isAuthentic else { throw .notAuthentic }
        return keys
    }

    private static func context(
        _ deviceID: [UInt8],
        _ protectionClass: ProtectionClass,
        version: UInt64
    ) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.bytes(deviceID)
        encoder.integer(protectionClass.rawValue)
        encoder.integer(version)
        return encoder.encoded
    }
}

/// The key pair for files that are written while the device is locked.
enum FileAgreement {
    /// The private half, available exactly while WhenUnlocked's key is.
    static func key(_ whenUnlockedKey: SharedSecret) -> X25519PrivateKey {
        X25519PrivateKey(KeyDerivation.key(whenUnlockedKey, "file agree"))
    }
}
