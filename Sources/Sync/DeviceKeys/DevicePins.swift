internal import KSSealing
package import KSCausality
internal import KSPrimitives
package import KSRecords

/// The facts that a device keeps outside its database to notice an older copy of it: its actor, and
/// the newest circle entry that it knows.
package struct DevicePins: Hashable, Sendable {
    private static let format: UInt64 = 1

    package let actor: ActorID
    /// 0 before there is a circle.
    package let circleVersion: UInt64
    /// Zeros before there is a circle.
    package let circleHash: Hash

    package init(actor: ActorID, circleVersion: UInt64, circleHash: Hash) {
        self.actor = actor
        self.circleVersion = circleVersion
        self.circleHash = circleHash
    }

    /// The fields, then their HMAC, so that only pins of this device are accepted.
    func encoded(_ key: HMACKey) -> [UInt8] {
        var encoder = fields
        encoder.bytes(key.authenticate(encoder.encoded))
        return encoder.encoded
    }

    private var fields: CanonicalEncoder {
        var encoder = CanonicalEncoder(label: "device pins")
        encoder.integer(Self.format)
        encoder.integer(actor.rawValue)
        encoder.integer(circleVersion)
        encoder.fixed(circleHash)
        return encoder
    }

    init(decoding encoded: [UInt8], key: HMACKey) throws(SealingError) {
        let tag: [UInt8]
        do {
            var decoder = try CanonicalDecoder(encoded, label: "device pins")
            try decoder.formatNumber(upTo: Self.format)
            actor = ActorID(rawValue: try decoder.integer())
            circleVersion = try decoder.integer()
            circleHash = try decoder.fixed()
            tag = try decoder.bytes(count: HMACKey.byteCount)
            try decoder.end()
        } catch RecordsError.formatTooNew(let format) {
            throw .updateThisClient(format: format)
        } catch {
            throw .keyFileDamaged(.devicePins)
        }
        guard key.isValid(tag: tag, of: fields.encoded) else {
            throw .keyFileDamaged(.devicePins)
        }
    }
}
