internal import KSSealing
internal import KSDigests
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// What a backup begins with: the key derivation of its passphrase, and a tag that only the right
/// passphrase makes.
struct BackupHeader {
    private static let label = "backup"
    private static let format: UInt64 = 1
    static let idByteCount = 16

    /// How every backup begins.
    static let magic = CanonicalEncoder(label: label).encoded
    static let byteCount = magic.count + 8 + (8 + idByteCount) + (8 + 32) + 3 * 8 + 32 + 32

    let backupID: [UInt8]
    let key: SharedSecret
    let encoded: [UInt8]

    /// The header of a new backup.
    init(passphrase: [UInt8], cost: ScryptCost, random: any RandomSource) throws(BackupError) {
        backupID = random.bytes(Self.idByteCount)
        let derivation = PasscodeDerivation(cost: cost, random: random)
        key = try Self.key(passphrase, derivation, cost: cost)
        let fields = Self.fields(backupID, derivation)
        let tag = Self.tagKey(key).authenticate(fields)
        encoded = fields + tag + SHA256.hash(fields + tag)
    }

    /// E("backup"; format, backup id, salt, log N, r, p).
    ///
    /// After them come HMAC(K(key, "backup check"), the fields), which checks the passphrase, and
    /// the SHA-256 of everything before, which distinguishes damage from a wrong passphrase.
    private static func fields(_ backupID: [UInt8], _ derivation: PasscodeDerivation) -> [UInt8] {
        var encoder = CanonicalEncoder(label: label)
        encoder.integer(format)
        encoder.bytes(backupID)
        encoder.derivation(derivation)
        return encoder.encoded
    }

    private static func tagKey(_ key: SharedSecret) -> HMACKey {
        HMACKey(KeyDerivation.key(key, "backup check"))
    }

    private static func key(
        _ passphrase: [UInt8],
        _ derivation: PasscodeDerivation,
        cost: ScryptCost
    ) throws(BackupError) -> SharedSecret {
        guard !passphrase.isEmpty else { throw .passphraseEmpty }
        let salt = SharedSecret(bytes: derivation.salt)
        do throws(SealingError) {
            return try SecretText.derivedKey(passphrase, salt: salt, cost: cost)
        } catch .passwordNotText {
            throw .passphraseNotText
        } catch {
            throw .memoryMissing
        }
    }

    /// Reads the first ``byteCount`` bytes of a backup.
    init(decoding encoded: [UInt8], passphrase: [UInt8], cost: ScryptCost) throws(BackupError) {
        guard encoded.starts(with: Self.magic) else { throw .notBackup }
        let derivation: PasscodeDerivation
        do {
            var decoder = try CanonicalDecoder(encoded, label: Self.label)
            try decoder.formatNumber(upTo: Self.format)
            guard encoded.count == Self.byteCount,
                SHA256.hash(Array(encoded.dropLast(32))) == Array(encoded.suffix(32))
            else { throw RecordsError.malformed }
            backupID = try decoder.bytes(count: Self.idByteCount)
            derivation = try decoder.derivation()
            // One cost only, so that a changed file cannot make a passphrase cheaper to guess.
            guard derivation.hasCost(cost) else { throw RecordsError.malformed }
        } catch RecordsError.formatTooNew(let format) {
            throw .updateThisClient(format: format)
        } catch {
            throw .notAuthentic
        }
        key = try Self.key(passphrase, derivation, cost: cost)
        let tag = Array(encoded.dropLast(32).suffix(32))
        guard Self.tagKey(key).isValid(tag: tag, of: Self.fields(backupID, derivation)) else {
            throw .wrongPassphrase
        }
        self.encoded = encoded
    }
}
