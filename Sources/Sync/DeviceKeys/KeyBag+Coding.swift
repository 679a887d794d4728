internal import KSSealing
internal import KSDigests
internal import KSPrimitives
internal import KSRecords

extension KeyBag {
    private static let format: UInt64 = 1

    /// The fields, then their HMAC, so that a damaged file is distinguished from a wrong passcode.
    func encoded(_ key: HMACKey) -> [UInt8] {
        var encoder = fields
        encoder.bytes(key.authenticate(encoder.encoded))
        return encoder.encoded
    }

    private var fields: CanonicalEncoder {
        var encoder = CanonicalEncoder(label: "key bag")
        encoder.integer(Self.format)
        encoder.bytes(deviceID)
        encoder.integer(version)
        encoder.boolean(passcode != nil)
        encoder.derivation(passcode ?? .none)
        encoder.list(sealedKeys) { encoder, sealed in
            encoder.integer(sealed.protectionClass.rawValue)
            encoder.integer(sealed.protectionClass.tier.rawValue)
            encoder.bytes(sealed.box)
        }
        encoder.bytes(filePublicKey)
        return encoder
    }

    /// `cost`: the only one that a key derivation may have.
    init(decoding encoded: [UInt8], key: HMACKey, cost: ScryptCost) throws(SealingError) {
        let tag: [UInt8]
        do {
            var decoder = try CanonicalDecoder(encoded, label: "key bag")
            _ = try decoder.formatNumber(upTo: Self.format)
            deviceID = try decoder.bytes(count: DeviceSecretFile.deviceIDByteCount)
            version = try decoder.integer()
            passcode = try Self.passcode(&decoder, cost: cost)
            sealedKeys = try decoder.list { decoder throws(RecordsError) in
                try Self.sealedKey(&decoder)
            }
            filePublicKey = try decoder.bytes(count: PublicKeyRules.byteCount)
            tag = try decoder.bytes(count: HMACKey.byteCount)
            try decoder.end()
        } catch RecordsError.formatTooNew(let format) {
            throw .updateThisClient(format: format)
        } catch {
            throw .keyFileDamaged(.keyBag)
        }
        guard sealedKeys.map(\.protectionClass) == ProtectionClass.allCases,
            key.isValid(tag: tag, of: fields.encoded)
        else { throw .keyFileDamaged(.keyBag) }
    }

    private static func passcode(
        _ decoder: inout CanonicalDecoder,
        cost: ScryptCost
    ) throws(RecordsError) -> PasscodeDerivation? {
        let isSet = try decoder.boolean()
        let passcode = try decoder.derivation()
        guard isSet ? passcode.hasCost(cost) : passcode == .none else { throw .malformed }
        return isSet ? passcode : nil
    }

    private static func sealedKey(
        _ decoder: inout CanonicalDecoder
    ) throws(RecordsError) -> SealedKey {
        guard let protectionClass = ProtectionClass(rawValue: try decoder.integer()),
            try decoder.integer() == protectionClass.tier.rawValue
        else { throw .malformed }
        return SealedKey(protectionClass: protectionClass, box: try decoder.bytes())
    }
}
