internal import KSDigests
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// The key ring, sealed to the members of one entry (RFC 9180, PSK mode).
///
/// The pre-shared key is H, which only members know, so that nobody else can make an envelope; the
/// info names account, entry and member, so that an envelope opens nowhere else. The ephemeral key
/// is derived from the ring and the place, so that every holder of the ring can make the same
/// envelopes again and detect forged ones.
enum KeyEnvelopes {
    /// Seals the ring to each of the entry's members.
    static func seal(
        _ keyRing: KeyRing,
        for entry: CircleEntry
    ) throws(SealingError) -> [KeyEnvelope] {
        let text = try keyRing.encode(upTo: entry.generation, except: entry.voidGenerations)
        return try entry.members.map { member throws(SealingError) in
            let seed = try seed(keyRing, text, entry, member: member.id)
            do {
                let sealed = try HPKE.seal(
                    text,
                    to: member.agreementKey,
                    psk: preSharedKey(keyRing.hedgeSecret),
                    info: info(entry, member: member.id),
                    ephemeralKey: HPKE.EphemeralKey(seed: seed)
                )
                return KeyEnvelope(member: member.id, sealed: sealed)
            } catch {
                // Nothing can be sealed to the member's key.
                throw .circle(.memberInvalid)
            }
        }
    }

    /// K(newest root, "envelope ephemeral" ‖ E(version, previous entry hash, member id, SHA-256 of
    /// the ring's text)).
    private static func seed(
        _ keyRing: KeyRing,
        _ text: [UInt8],
        _ entry: CircleEntry,
        member: MemberID
    ) throws(SealingError) -> SharedSecret {
        var encoder = CanonicalEncoder()
        encoder.integer(entry.version)
        encoder.fixed(entry.previousHash)
        encoder.fixed(member)
        encoder.bytes(SHA256.hash(text))
        return KeyDerivation.key(
            try keyRing.root(generation: entry.generation),
            "envelope ephemeral",
            context: encoder.encoded
        )
    }

    /// - Throws: ``SealingError/notAuthentic``.
    static func open(
        _ envelope: KeyEnvelope,
        with key: X25519PrivateKey,
        hedgeSecret: SharedSecret,
        of entry: CircleEntry
    ) throws(SealingError) -> KeyRing {
        let text: [UInt8]
        do {
            text = try HPKE.open(
                envelope.sealed,
                with: key,
                psk: preSharedKey(hedgeSecret),
                info: info(entry, member: envelope.member)
            )
        } catch {
            throw .notAuthentic
        }
        let keyRing = try KeyRing(decoding: text)
        // A member who knows H could seal another H for everyone else.
        guard keyRing.hedgeSecret.isEqual(to: hedgeSecret) else { throw .notAuthentic }
        return keyRing
    }

    private static func preSharedKey(_ hedgeSecret: SharedSecret) -> HPKE.PreSharedKey {
        HPKE.PreSharedKey(hedgeSecret, id: Array("ring".utf8))
    }

    private static func info(_ entry: CircleEntry, member: MemberID) -> [UInt8] {
        var encoder = CanonicalEncoder(label: "ring")
        encoder.fixed(entry.account)
        encoder.integer(entry.version)
        encoder.fixed(entry.previousHash)
        encoder.fixed(member)
        encoder.integer(entry.generation)
        return encoder.encoded
    }
}
