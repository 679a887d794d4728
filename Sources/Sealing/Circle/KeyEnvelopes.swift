internal import KSDigests
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// The key ring, sealed to the members of one entry (RFC 9180, PSK mode).
///
/// The pre-shared key is H, which only members know, so that nobody else can make an envelope; the
/// info names account, entry and member, so that an envelope opens nowhere else.
enum KeyEnvelopes {
    /// Where an envelope belongs.
    struct Place {
        let account: AccountID
        let version: UInt64
        let previousHash: Hash
        let generation: UInt64
    }

    static func seal(
        _ keyRing: KeyRing,
        to members: [Member],
        place: Place,
        random: any RandomSource
    ) throws(SealingError) -> [KeyEnvelope] {
        let text = try keyRing.encode()
        return try members.map { member throws(SealingError) in
            do {
                let sealed = try HPKE.sealPSK(
                    text,
                    to: member.agreementKey,
                    psk: preSharedKey(keyRing),
                    info: info(place, member: member.id),
                    random: random
                )
                return KeyEnvelope(member: member.id, sealed: sealed)
            } catch {
                // A key that nothing can be sealed to.
                throw .circle(.memberInvalid)
            }
        }
    }

    /// - Throws: ``SealingError/notAuthentic``.
    static func open(
        _ envelope: KeyEnvelope,
        with key: X25519PrivateKey,
        hedgeSecret: SharedSecret,
        place: Place
    ) throws(SealingError) -> KeyRing {
        let text: [UInt8]
        do {
            text = try HPKE.openPSK(
                envelope.sealed,
                with: key,
                psk: HPKE.PreSharedKey(hedgeSecret, id: pskID),
                info: info(place, member: envelope.member)
            )
        } catch {
            throw .notAuthentic
        }
        let keyRing = try KeyRing(decoding: text)
        // Whoever knows H could seal another H for everyone else.
        guard keyRing.hedgeSecret.isEqual(to: hedgeSecret) else { throw .notAuthentic }
        return keyRing
    }

    private static let pskID = "ring"

    private static func preSharedKey(_ keyRing: KeyRing) -> HPKE.PreSharedKey {
        HPKE.PreSharedKey(keyRing.hedgeSecret, id: pskID)
    }

    private static func info(_ place: Place, member: MemberID) -> [UInt8] {
        var encoder = CanonicalEncoder(label: "ring")
        encoder.fixed(place.account)
        encoder.integer(place.version)
        encoder.fixed(place.previousHash)
        encoder.fixed(member)
        encoder.integer(place.generation)
        return encoder.encoded
    }
}

extension KeyEnvelopes.Place {
    init(_ entry: CircleEntry) {
        account = entry.account
        version = entry.version
        previousHash = entry.previousHash
        generation = entry.generation
    }
}
