internal import KSCOpenSSL

/// PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2).
package enum PBKDF2 {
    /// Several times what programs use, and some seconds.
    private static let iterationsMax = 10_000_000

    /// - Throws: ``FileCipherError/tooCostly`` before it takes time.
    package static func derive(
        password: [UInt8],
        salt: [UInt8],
        iterations: Int,
        count: Int = 32
    ) throws(FileCipherError) -> [UInt8] {
        guard iterations <= iterationsMax else { throw .tooCostly }
        guard iterations > 0, let iterations = Int32(exactly: iterations) else { throw .library }
        var result = [UInt8](repeating: 0, count: count)
        let status = unsafe password.withUnsafeBytes { password in
            unsafe PKCS5_PBKDF2_HMAC(
                password.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(password.count),
                salt,
                Int32(salt.count),
                iterations,
                EVP_sha256(),
                Int32(count),
                &result
            )
        }
        guard status == 1 else { throw .library }
        return result
    }
}

/// KeePass's derivation with AES: each half of a key is encrypted again and again, then hashed.
///
/// Source: keepass.info, "KDBX File Format", AES-KDF.
package enum AESKeyDerivation {
    /// Some ten seconds; KeePassXC's second is a twentieth of it.
    private static let roundsMax: UInt64 = 500_000_000
    private static let blockByteCount = 16
    private static let blocksOfPiece = 4096

    /// - Throws: ``FileCipherError/tooCostly`` before it takes time.
    package static func derive(
        key: [UInt8],
        seed: [UInt8],
        rounds: UInt64
    ) throws(FileCipherError) -> [UInt8] {
        guard rounds <= roundsMax else { throw .tooCostly }
        guard key.count == 2 * blockByteCount, seed.count == 32 else { throw .wrongLength }
        let halves = [Array(key[..<blockByteCount]), Array(key[blockByteCount...])]
        var result: [UInt8] = []
        for half in halves { result += try encrypt(half, key: seed, times: Int(rounds)) }
        return FileDigest.sha256(result[...])
    }

    /// CBC over zeros encrypts each result again, and in one call for many rounds.
    private static func encrypt(
        _ block: [UInt8],
        key: [UInt8],
        times: Int
    ) throws(FileCipherError) -> [UInt8] {
        guard times > 0 else { return block }
        let cipher = try OpenSSLCipher("AES-256-CBC", true, key, block)
        let zeros = [UInt8](repeating: 0, count: blocksOfPiece * blockByteCount)
        var (left, last) = (times, block)
        while left > 0 {
            let blocks = min(left, blocksOfPiece)
            last = Array(try cipher.update(zeros[..<(blocks * blockByteCount)]).suffix(16))
            left -= blocks
        }
        return last
    }
}
