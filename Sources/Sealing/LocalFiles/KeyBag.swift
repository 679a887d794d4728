internal import Digests
internal import Primitives
internal import Records
internal import Secrets

/// One random key for each protection class, each sealed under its tier.
///
/// The file is not in the database, whose free pages and log would keep old copies of it.
struct KeyBag {
    private static let format: UInt64 = 1

    /// How the passcode is stretched; there from the start, so that setting one needs no new
    /// format.
    struct Passcode: Hashable {
        let salt: [UInt8]
        let logN: UInt64
        let r: UInt64
        let p: UInt64
    }

    struct SealedKey: Hashable {
        let protectionClass: ProtectionClass
        let tier: ProtectionTier
        /// Empty where the class has no key, as WhenPasscodeSet without a passcode.
        let box: [UInt8]
    }

    let deviceID: [UInt8]
    /// Rises with each new file; part of every box's context.
    let version: UInt64
    let passcode: Passcode?
    /// All classes, in the order of their numbers.
    let sealedKeys: [SealedKey]

    /// A new bag of a device without a passcode.
    static func make(
        for secret: DeviceSecretFile,
        random: any RandomSource
    ) -> KeyBag {
        let version: UInt64 = 1
        let sealedKeys = ProtectionClass.allCases.map { protectionClass in
            let tier = protectionClass.tier
            guard protectionClass != .whenPasscodeSetThisDeviceOnly else {
                return SealedKey(protectionClass: protectionClass, tier: tier, box: [])
            }
            let box = SealedBox.seal(
                SharedSecret.random(from: random).copyBytes(),
                key: secret.key(of: tier),
                purpose: .classKey,
                context: context(
                    deviceID: secret.deviceID,
                    protectionClass: protectionClass,
                    version: version
                ),
                random: random
            )
            return SealedKey(protectionClass: protectionClass, tier: tier, box: box)
        }
        return KeyBag(
            deviceID: secret.deviceID,
            version: version,
            passcode: nil,
            sealedKeys: sealedKeys
        )
    }

    /// The keys that the device secret opens.
    func open(with secret: DeviceSecretFile) throws(SealingError) -> [ProtectionClass: SharedSecret]
    {
        guard deviceID == secret.deviceID else { throw .keyFileDamaged(.keyBag) }
        var keys: [ProtectionClass: SharedSecret] = [:]
        for sealed in sealedKeys where !sealed.box.isEmpty {
            let isOpen = sealed.tier == .device || passcode == nil
            guard isOpen else { continue }
            do {
                let bytes = try SealedBox.open(
                    sealed.box,
                    key: secret.key(of: sealed.tier),
                    purpose: .classKey,
                    context: Self.context(
                        deviceID: deviceID,
                        protectionClass: sealed.protectionClass,
                        version: version
                    )
                )
                guard bytes.count == 32 else { throw SealingError.malformed }
                keys[sealed.protectionClass] = SharedSecret(bytes: bytes)
            } catch {
                throw .keyFileDamaged(.keyBag)
            }
        }
        return keys
    }

    private static func context(
        deviceID: [UInt8],
        protectionClass: ProtectionClass,
        version: UInt64
    ) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.bytes(deviceID)
        encoder.integer(protectionClass.rawValue)
        encoder.integer(version)
        return encoder.encoded
    }
}

// MARK: Encoding

extension KeyBag {
    var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: "key bag")
        encoder.integer(Self.format)
        encoder.bytes(deviceID)
        encoder.integer(version)
        encoder.boolean(passcode != nil)
        encoder.bytes(passcode?.salt ?? [])
        encoder.integer(passcode?.logN ?? 0)
        encoder.integer(passcode?.r ?? 0)
        encoder.integer(passcode?.p ?? 0)
        encoder.list(sealedKeys) { encoder, sealed in
            encoder.integer(sealed.protectionClass.rawValue)
            encoder.integer(sealed.tier.rawValue)
            encoder.bytes(sealed.box)
        }
        return encoder.encoded
    }

    init(decoding encoded: [UInt8]) throws(SealingError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: "key bag")
            let format = try decoder.integer()
            guard format <= Self.format else { throw RecordsError.formatTooNew(format: format) }
            guard format == Self.format else { throw RecordsError.malformed }
            deviceID = try decoder.bytes(count: DeviceSecretFile.deviceIDByteCount)
            version = try decoder.integer()
            passcode = try Self.passcode(&decoder)
            sealedKeys = try decoder.list { decoder throws(RecordsError) in
                try Self.sealedKey(&decoder)
            }
            try decoder.end()
        } catch RecordsError.formatTooNew(let format) {
            throw .updateThisClient(format: format)
        } catch {
            throw .keyFileDamaged(.keyBag)
        }
        guard sealedKeys.map(\.protectionClass) == ProtectionClass.allCases else {
            throw .keyFileDamaged(.keyBag)
        }
    }

    private static func passcode(
        _ decoder: inout CanonicalDecoder
    ) throws(RecordsError) -> Passcode? {
        let isSet = try decoder.boolean()
        let passcode = Passcode(
            salt: try decoder.bytes(),
            logN: try decoder.integer(),
            r: try decoder.integer(),
            p: try decoder.integer()
        )
        // One cost only, so that a changed file cannot make a passcode cheaper to guess.
        let isK1 =
            passcode.salt.count == 32 && passcode.logN == 17 && passcode.r == 8
            && passcode.p == 1
        guard isSet ? isK1 : passcode == Passcode(salt: [], logN: 0, r: 0, p: 0) else {
            throw .malformed
        }
        return isSet ? passcode : nil
    }

    private static func sealedKey(
        _ decoder: inout CanonicalDecoder
    ) throws(RecordsError) -> SealedKey {
        guard let protectionClass = ProtectionClass(rawValue: try decoder.integer()),
            let tier = ProtectionTier(rawValue: try decoder.integer()),
            tier == protectionClass.tier
        else { throw .malformed }
        return SealedKey(
            protectionClass: protectionClass,
            tier: tier,
            box: try decoder.bytes()
        )
    }
}
