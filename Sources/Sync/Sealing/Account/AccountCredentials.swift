package import KSPrimitives
package import KSRecords
internal import KSSecrets

/// The keys derived from password and Account Key: a member of the circle that no device stores.
package final class AccountCredentials: Sendable {
    package let memberID: MemberID
    let signingKey: Ed25519PrivateKey
    let agreementKey: X25519PrivateKey
    let wrapKey: SharedSecret

    package var signingPublicKey: [UInt8] { signingKey.publicKey }
    package var agreementPublicKey: [UInt8] { agreementKey.publicKey }

    private init(master: SharedSecret) {
        signingKey = Ed25519PrivateKey(seed: KeyDerivation.key(master, "credentials sign"))
        agreementKey = X25519PrivateKey(KeyDerivation.key(master, "credentials agree"))
        wrapKey = KeyDerivation.key(master, "credentials wrap")
        memberID = MemberID(signingKey: signingKey.publicKey)
    }

    /// Derives the keys from the password.
    ///
    /// With ``ScryptCost/k1`` this takes a third of a second and 128 MiB.
    ///
    /// The derivation uses neither data of a server nor the account's name, so that no server can
    /// change how much work it is.
    /// `password`: text in UTF-8; the same text in another Unicode form is the same password.
    package static func derive(
        password: [UInt8],
        accountKey: AccountKey,
        cost: ScryptCost
    ) throws(SealingError) -> AccountCredentials {
        let accountSecret = SharedSecret(bytes: accountKey.bytes)
        let salt = KeyDerivation.key(
            HKDF.extract(salt: version, inputKey: accountSecret),
            "K1 salt"
        )
        let derived = try SecretText.derivedKey(password, salt: salt, cost: cost)
        let master = HKDF.extract(
            salt: version,
            inputKey: SharedSecret.joining([derived, accountSecret])
        )
        return AccountCredentials(master: master)
    }

    /// HKDF's salt: these two bytes, no label.
    private static let version = Array("K1".utf8)
}
