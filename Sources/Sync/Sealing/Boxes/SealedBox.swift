internal import KSPrimitives
package import KSDigests
package import KSSecrets

/// A key that seals boxes, made ready once: what is derived for each box then costs two HMACs.
package final class BoxKey: Sendable {
    /// Keyed with the key itself: HKDF-Expand's PRF.
    private let expansion: HMACKey
    /// Keyed with K(key, "hedge").
    private let hedge: HMACKey

    package init(_ key: SharedSecret) {
        expansion = HMACKey(key)
        hedge = HMACKey(KeyDerivation.key(key, "hedge"))
    }

    /// Seals a text: 0x01 ‖ salt(32) ‖ commitment(32) ‖ ciphertext ‖ tag(16).
    ///
    /// `context`: where the box belongs; it opens nowhere else.
    package func seal(
        _ text: [UInt8],
        purpose: BoxPurpose,
        context: [UInt8],
        random: any RandomSource
    ) -> [UInt8] {
        let contextHash = SHA256.hash(context)
        let padded = Padding.pad(text)
        // Two copies of a machine that draw the same bytes still get different salts for different
        // texts, so that a key is never used for two of them.
        let salt = hedge.authenticate(random.bytes(SealedBox.saltByteCount), contextHash, padded)
        var box: [UInt8] = []
        box.reserveCapacity(SealedBox.addedByteCount + padded.count)
        box.append(SealedBox.version)
        box.append(contentsOf: salt)
        withDerived(purpose: purpose, salt: salt, contextHash: contextHash) { derived in
            unsafe derived.extracting(SealedBox.derivedCommitment).withUnsafeBytes { commitment in
                unsafe box.append(contentsOf: commitment)
            }
            box += AES256GCM.seal(
                padded,
                key: derived.extracting(SealedBox.derivedKey),
                nonce: SealedBox.nonce,
                associatedData: []
            )
        }
        return box
    }

    /// Opens a box.
    ///
    /// - Throws: ``SealingError/notAuthentic``, whatever is wrong with it.
    package func open(
        _ box: [UInt8],
        purpose: BoxPurpose,
        context: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard box.count >= SealedBox.addedByteCount + Padding.smallestByteCount,
            box[0] == SealedBox.version
        else { throw .notAuthentic }
        let commitmentStart = 1 + SealedBox.saltByteCount
        let sealedStart = commitmentStart + SealedBox.commitmentByteCount
        let bytes = unsafe box.span.bytes
        var padded: [UInt8]?
        withDerived(
            purpose: purpose,
            salt: box[1..<commitmentStart],
            contextHash: SHA256.hash(context)
        ) { derived in
            // Before anything is decrypted: GCM alone would let one box open under two keys.
            let stated = bytes.extracting(commitmentStart..<sealedStart)
            guard ConstantTime.areEqual(stated, derived.extracting(SealedBox.derivedCommitment))
            else { return }
            // A box that is not authentic gives no text.
            padded = try? AES256GCM.open(
                bytes.extracting(sealedStart..<bytes.byteCount),
                key: derived.extracting(SealedBox.derivedKey),
                nonce: SealedBox.nonce,
                associatedData: []
            )
        }
        guard let padded, let text = Padding.unpad(padded) else { throw .notAuthentic }
        return text
    }

    /// HKDF-Expand(key, L("box") ‖ L(purpose) ‖ salt ‖ SHA-256(context), 64): the key that seals
    /// this box and nothing else, and the commitment to key, purpose and context.
    private func withDerived(
        purpose: BoxPurpose,
        salt: some Collection<UInt8>,
        contextHash: [UInt8],
        _ body: (RawSpan) -> Void
    ) {
        var info = purpose.infoStart
        info.reserveCapacity(info.count + salt.count + contextHash.count)
        info.append(contentsOf: salt)
        info.append(contentsOf: contextHash)
        expansion.withExpanded(info: info, count: SealedBox.derivedCommitment.upperBound, body)
    }
}

/// The form of everything sealed that is stored or sent: bound to its key, its purpose and its
/// place, and padded, so that its size reveals little.
package enum SealedBox {
    package static let version: UInt8 = 1
    static let saltByteCount = 32
    static let commitmentByteCount = 32
    /// Where the key and the commitment lie in what is derived for a box.
    static let derivedKey = 0..<AES256GCM.keyByteCount
    static let derivedCommitment =
        AES256GCM.keyByteCount..<AES256GCM.keyByteCount + commitmentByteCount
    /// How much longer a box is than its padded text.
    package static let addedByteCount = 1 + saltByteCount + commitmentByteCount + 16
    /// Always zero: a box's key seals nothing else.
    static let nonce = [UInt8](repeating: 0, count: 12)
}
