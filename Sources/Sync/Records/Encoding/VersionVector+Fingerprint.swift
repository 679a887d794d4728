package import KSCausality
internal import KSDigests

extension VersionVector {
    /// The length of a fingerprint, in bytes.
    package static let fingerprintByteCount = 16

    /// The first bytes of SHA-256 over the canonical entries: two sides compare it instead of a
    /// vector of thousands of actors.
    package var fingerprint: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.list(entries) { encoder, entry in
            encoder.integer(entry.actor.rawValue)
            encoder.integer(entry.counter)
        }
        return Array(SHA256.hash(encoder.encoded).prefix(Self.fingerprintByteCount))
    }
}
