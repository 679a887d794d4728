import KSFileCiphers
import KSTestSupport
import Testing

/// The ciphers, derivations and hashes of files against published vectors.
struct FileCipherTests {
    private func hex(_ text: String) -> [UInt8] { Hexadecimal.bytes(text) }

    /// NIST SP 800-38A F.2.5, the Twofish paper's key of zeros, RFC 8439 A.1.
    @Test(arguments: [
        (
            FileCipher.Algorithm.aes256,
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "000102030405060708090a0b0c0d0e0f", "6bc1bee22e409f96e93d7e117393172a",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd6"
        ),
        (
            .twofish, String(repeating: "00", count: 32), String(repeating: "00", count: 16),
            String(repeating: "00", count: 16), "57ff739d4dc92c1bd7fc01700cc8216f"
        ),
        (
            .chaCha20, String(repeating: "00", count: 32), String(repeating: "00", count: 12),
            String(repeating: "00", count: 32),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        ),
    ])
    func `a cipher gives the published bytes`(
        algorithm: FileCipher.Algorithm,
        key: String,
        vector: String,
        text: String,
        sealed: String
    ) throws {
        let (key, vector) = (hex(key), hex(vector))
        let bytes = try FileCipher.run(
            algorithm,
            .encrypt,
            key: key,
            vector: vector,
            hex(text)[...]
        )
        #expect(Hexadecimal.text(Array(bytes.prefix(sealed.count / 2))) == sealed)
        // Whatever the pieces are, decrypting gives the text again.
        for step in [1, 7, 16, 64] {
            let cipher = try FileCipher(algorithm, .decrypt, key: key, vector: vector)
            var opened: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                opened += try cipher.update(bytes[start..<min(start + step, bytes.count)])
            }
            opened += try cipher.finish()
            #expect(opened == hex(text))
        }
    }

    @Test(arguments: [FileCipher.Algorithm.aes256, .twofish])
    func `wrong padding and cut blocks are refused`(algorithm: FileCipher.Algorithm) throws {
        let key = [UInt8](repeating: 7, count: 32)
        let vector = [UInt8](repeating: 8, count: 16)
        let text = [UInt8](repeating: 99, count: 20)
        let bytes = try FileCipher.run(algorithm, .encrypt, key: key, vector: vector, text[...])
        #expect(bytes.count == 32)
        for cut in [0, 5, 16, 31] {
            #expect(throws: FileCipherError.notPadded, "\(cut)") {
                try FileCipher.run(algorithm, .decrypt, key: key, vector: vector, bytes[..<cut])
            }
        }
        #expect(throws: FileCipherError.wrongLength) {
            try FileCipher(algorithm, .decrypt, key: key, vector: [])
        }
    }

    /// Made with PyCryptodome 3.24.2; the second text begins within a block of the stream.
    @Test
    func `a key stream goes on where it stopped`() throws {
        let key = (0..<32).map { UInt8($0) }
        for (algorithm, start, rest) in [
            (
                KeyStream.Algorithm.salsa20, "2ead0f5f185729ce",
                "a13a2b59d9047b8dbeb93ec4b78ce1a59bc210641318ccce694d30ff81d2afe7bdf5a3d5"
            ),
            (
                .chaCha20, "103af111c18b549d",
                "89fb08002917a540b7833ff3981d0e63c970b2e75174adb9e6972fc575c0a63cec802cf3"
            ),
        ] {
            let nonce = (0..<algorithm.nonceByteCount).map { UInt8($0) }
            let stream = try KeyStream(algorithm, key: key, nonce: nonce)
            var (first, between) = (
                [UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 56)
            )
            var last = [UInt8](repeating: 0, count: 36)
            try stream.apply(to: &first)
            try stream.apply(to: &between)
            try stream.apply(to: &last)
            #expect(Hexadecimal.text(first) == start)
            #expect(Hexadecimal.text(last) == rest)
        }
    }

    /// RFC 9106, sections 5.1 and 5.3.
    @Test(arguments: [
        (Argon2.Variant.d, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
        (.id, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"),
    ])
    func `Argon2 gives the published bytes`(variant: Argon2.Variant, tag: String) throws {
        let result = try Argon2(variant, memoryKiB: 32, passes: 3, lanes: 4).derive(
            password: [UInt8](repeating: 1, count: 32),
            salt: [UInt8](repeating: 2, count: 16),
            secret: [UInt8](repeating: 3, count: 8),
            associatedData: [UInt8](repeating: 4, count: 12)
        )
        #expect(Hexadecimal.text(result) == tag)
    }

    @Test
    func `costs beyond what programs ask for are refused at once`() {
        for cost in [
            Argon2(.id, memoryKiB: 4 << 20, passes: 1, lanes: 1),
            Argon2(.d, memoryKiB: 1024, passes: 1 << 40, lanes: 1),
            Argon2(.d, memoryKiB: .max, passes: .max, lanes: 1),
            Argon2(.d, memoryKiB: 0, passes: .max, lanes: 1),
            Argon2(.d, memoryKiB: 1024, passes: 1, lanes: 100_000),
        ] {
            #expect(throws: FileCipherError.tooCostly) {
                try cost.derive(password: [1], salt: [UInt8](repeating: 2, count: 16))
            }
        }
        #expect(throws: FileCipherError.tooCostly) {
            try PBKDF2.derive(password: [1], salt: [2], iterations: .max)
        }
        #expect(throws: FileCipherError.tooCostly) {
            try AESKeyDerivation.derive(
                key: [UInt8](repeating: 1, count: 32),
                seed: [UInt8](repeating: 1, count: 32),
                rounds: .max
            )
        }
        // What no program asks for at all is refused too.
        #expect(throws: FileCipherError.library) {
            try Argon2(.d, memoryKiB: 8, passes: 0, lanes: 1).derive(password: [1], salt: [2])
        }
    }

    /// RFC 7914, section 11, and Python's hashlib.
    @Test
    func `PBKDF2, HMAC and KeePass's derivation give the published bytes`() throws {
        let first = try PBKDF2.derive(
            password: Array("passwd".utf8),
            salt: Array("salt".utf8),
            iterations: 1
        )
        #expect(
            Hexadecimal.text(first)
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        )
        let empty = try PBKDF2.derive(password: [], salt: Array("salt".utf8), iterations: 1000)
        #expect(Hexadecimal.text(empty).hasPrefix("94fb56af3ea22e5d"))
        let tag = FileDigest.hmac(
            key: [UInt8](repeating: UInt8(ascii: "k"), count: 70),
            Array("a".utf8)[...],
            Array("bc".utf8)[...]
        )
        #expect(Hexadecimal.text(tag).hasPrefix("3aee79d2a06f8dc1"))
        // AES again and again with PyCryptodome 3.24.2, whose rounds end within a piece of ours.
        let key = (100..<132).map { UInt8($0) }
        let seed = (0..<32).map { UInt8($0) }
        for (rounds, start) in [(1, "1b65f1533dafca31"), (10_000, "38383e99745dfb29")] {
            let derived = try AESKeyDerivation.derive(
                key: key,
                seed: seed,
                rounds: UInt64(rounds)
            )
            #expect(Hexadecimal.text(derived).hasPrefix(start), "\(rounds)")
        }
    }
}
