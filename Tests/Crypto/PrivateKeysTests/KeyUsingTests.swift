import KSCertificates
import KSPrivateKeys
import KSTestSupport
import Testing

/// Signing, encrypting and agreeing; the vectors are those of the named RFCs.
struct KeyUsingTests {
    private func bytes(_ hex: String) -> [UInt8] {
        var digits = Substring(hex)
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    private let message = Array("sample".utf8)

    /// RFC 6979, A.2.5.
    private var point: [UInt8] {
        bytes(
            "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
                + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
        )
    }

    @Test
    func `a known signature is right in both forms, and one with a changed bit is not`() throws {
        let key = PublicKeyInfo(type: "73", bits: 256, external: point)
        var flat = bytes(
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
        )
        let ofMessage = SignatureScheme(.rfc4754, .sha256, takesDigest: false)
        let ofDigest = SignatureScheme(.rfc4754, .sha256, takesDigest: true)
        #expect(try key.isValid(flat, of: message, ofMessage))
        #expect(try key.isValid(flat, of: DigestKind.sha256.hash(message), ofDigest))
        // r and s with a zero before each, as both begin with a set bit.
        let der = bytes("3046022100") + flat.prefix(32) + bytes("022100") + flat.suffix(32)
        #expect(try key.isValid(der, of: message, .init(.x962, .sha256, takesDigest: false)))
        #expect(try !key.isValid(der, of: message, .init(.x962, .sha384, takesDigest: false)))
        flat[5] ^= 1
        #expect(try !key.isValid(flat, of: message, ofMessage))
        #expect(try !key.isValid([], of: message, ofMessage))
        #expect(throws: OpenSSLError.malformed) {
            try key.isValid(flat, of: [1, 2, 3], ofDigest)
        }
    }

    /// RFC 5903, 8.1.
    @Test
    func `two keys agree on the known number`() throws {
        let initiator = try PrivateKey(
            external: bytes(
                "04DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180"
                    + "5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3"
                    + "C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433"
            ),
            kind: .ellipticCurve
        )
        let responder = try PrivateKey(
            external: bytes(
                "04D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63"
                    + "56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB"
                    + "C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53"
            ),
            kind: .ellipticCurve
        )
        let shared = bytes("D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
        #expect(try initiator.sharedSecret(with: responder.publicKey) == shared)
        #expect(try responder.sharedSecret(with: initiator.publicKey) == shared)
    }

    @Test(arguments: [
        (PrivateKey.Kind.ellipticCurve, 256), (.ellipticCurve, 384), (.ellipticCurve, 521),
        (.rsa, 2048),
    ])
    func `only its public key accepts a key's signature`(
        kind: PrivateKey.Kind,
        bits: Int
    ) throws {
        let key = try PrivateKey.generate(kind, bits: bits)
        let other = try PrivateKey.generate(kind, bits: bits)
        #expect(key.bits == bits)
        let forms: [SignatureScheme.Form] = kind == .rsa ? [.pkcs1, .pss] : [.x962, .rfc4754]
        for form in forms {
            for digest in DigestKind.allCases {
                let scheme = SignatureScheme(form, digest, takesDigest: false)
                let signature = try key.sign(message, scheme)
                #expect(try key.publicKey.isValid(signature, of: message, scheme))
                #expect(try !other.publicKey.isValid(signature, of: message, scheme))
                #expect(try !key.publicKey.isValid(signature, of: message + [0], scheme))
            }
            if form == .rfc4754 {
                let scheme = SignatureScheme(form, .sha256, takesDigest: false)
                #expect(try key.sign(message, scheme).count == (bits + 7) / 8 * 2)
            }
        }
    }

    @Test(arguments: [EncryptionPadding.pkcs1, .oaep(.sha1), .oaep(.sha256), .oaep(.sha512)])
    func `only its private key opens an encrypted text`(padding: EncryptionPadding) throws {
        let key = try PrivateKey.generate(.rsa, bits: 2048)
        let scheme = EncryptionScheme.rsa(padding)
        let box = try key.publicKey.encrypt(message, scheme)
        #expect(box.count == 256)
        #expect(try key.decrypt(box, scheme) == message)
        var changed = box
        changed[100] ^= 1
        // PKCS #1 may return other bytes instead of an error.
        #expect((try? key.decrypt(changed, scheme)) != message)
        #expect(throws: OpenSSLError.self) {
            try key.publicKey.encrypt([UInt8](repeating: 1, count: 300), scheme)
        }
    }

    @Test
    func `operations that a kind of key lacks are refused`() throws {
        let curve = try PrivateKey.generate(.ellipticCurve, bits: 256)
        let rsa = try PrivateKey(pem: PEMBlock.blocks(in: KeyFixtures.rsa)[0])
        let ofRSA = SignatureScheme(.pkcs1, .sha256, takesDigest: false)
        let ofCurve = SignatureScheme(.x962, .sha256, takesDigest: false)
        #expect(throws: OpenSSLError.unsupported) { try curve.sign(message, ofRSA) }
        #expect(throws: OpenSSLError.unsupported) { try rsa.sign(message, ofCurve) }
        #expect(throws: OpenSSLError.unsupported) { try curve.decrypt(message, .rsa(.pkcs1)) }
        #expect(throws: OpenSSLError.unsupported) {
            try rsa.sharedSecret(with: rsa.publicKey)
        }
        #expect(throws: OpenSSLError.unsupported) {
            try curve.sharedSecret(with: rsa.publicKey)
        }
        for (kind, bits) in [
            (PrivateKey.Kind.rsa, 512), (.rsa, 100_000), (.ellipticCurve, 255), (.ed25519, 1),
        ] {
            #expect(throws: OpenSSLError.unsupported) {
                try PrivateKey.generate(kind, bits: bits)
            }
        }
    }
}
