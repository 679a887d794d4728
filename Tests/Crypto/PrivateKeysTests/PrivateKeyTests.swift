import KSCertificates
import Foundation
import KSPrivateKeys
import KSTestSupport
import Testing

struct PrivateKeyTests {
    static let passphrase = Array("geheim".utf8)

    private func block(_ text: String) throws -> PEMBlock {
        try #require(try PEMBlock.blocks(in: text).first)
    }

    private func key(_ text: String, _ passphrase: [UInt8]? = nil) throws -> PrivateKey {
        try PrivateKey(pem: block(text), passphrase: passphrase)
    }

    private func decoded(_ base64: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters)))
    }

    @Test(arguments: [
        KeyFixtures.p256, KeyFixtures.p256PKCS8, KeyFixtures.p256PKCS8Encrypted,
        KeyFixtures.p256PKCS8EncryptedOld,
    ])
    func `an elliptic key is the same in every form`(text: String) throws {
        let key = try key(text, Self.passphrase)
        #expect(key.kind == .ellipticCurve)
        #expect(key.bits == 256)
        #expect(key.external.count == 97)
        // The values that openssl(1) prints as "pub" and "priv".
        #expect(key.external.starts(with: [0x04, 0x12, 0x35, 0x3A, 0x6E]))
        #expect(key.external.suffix(4) == [0x99, 0xFE, 0x6A, 0x9A, 0x41].suffix(4))
        let certificate = try ParsedCertificate(pem: KeyFixtures.certificate)
        #expect(key.publicKey == certificate.publicKey)
        #expect(key.publicKeyHash == certificate.publicKeyHash)
        #expect(try PrivateKey(external: key.external, kind: .ellipticCurve) == key)
    }

    @Test(arguments: [KeyFixtures.rsa, KeyFixtures.rsaPKCS1, KeyFixtures.rsaPKCS1Encrypted])
    func `an RSA key is the same in every form`(text: String) throws {
        let key = try key(text, Self.passphrase)
        #expect(key.kind == .rsa)
        #expect(key.bits == 1024)
        let certificate = try ParsedCertificate(pem: KeyFixtures.rsaCertificate)
        #expect(key.publicKey == certificate.publicKey)
        #expect(try PrivateKey(external: key.external, kind: .rsa) == key)
        #expect(try key.traditionalPEM() == KeyFixtures.rsaPKCS1 + "\n")
    }

    @Test(arguments: [
        KeyFixtures.p256, KeyFixtures.p384, KeyFixtures.rsa, KeyFixtures.ed25519,
    ])
    func `written keys can be read`(text: String) throws {
        let key = try key(text)
        #expect(try self.key(key.pem()) == key)
        #expect(try self.key(key.pem(passphrase: Self.passphrase), Self.passphrase) == key)
        #expect(try PrivateKey(der: key.pkcs8()) == key)
        #expect(try PrivateKey(external: key.external, kind: key.kind) == key)
        #expect(try PublicKeyInfo(pem: block(key.publicKey.pem())) == key.publicKey)
    }

    @Test
    func `new keys can be used`() throws {
        for key in [
            try PrivateKey.generate(.ellipticCurve, bits: 256),
            try PrivateKey.generate(.rsa, bits: 2048),
        ] {
            #expect(try PrivateKey(external: key.external, kind: key.kind) == key)
            #expect(key.bits == (key.kind == .rsa ? 2048 : 256))
        }
    }

    @Test(arguments: [
        KeyFixtures.p256PKCS8Encrypted, KeyFixtures.p256PKCS8EncryptedOld,
        KeyFixtures.rsaPKCS1Encrypted,
    ])
    func `an encrypted key needs its passphrase`(text: String) throws {
        #expect(throws: OpenSSLError.passphraseNeeded) { try key(text) }
        for wrong in ["", "Geheim", "geheim\0", String(repeating: "x", count: 2000)] {
            #expect(throws: OpenSSLError.wrongPassphrase) { try key(text, Array(wrong.utf8)) }
        }
    }

    @Test
    func `other curves, other keys and nonsense are refused`() throws {
        #expect(throws: OpenSSLError.unsupported) { try key(KeyFixtures.secp256k1) }
        #expect(throws: OpenSSLError.malformed) { try key(KeyFixtures.certificate) }
        var external = try key(KeyFixtures.p256).external
        #expect(throws: OpenSSLError.malformed) {
            try PrivateKey(external: external, kind: .rsa)
        }
        // A public and a private half that do not belong together.
        external[96] ^= 1
        #expect(throws: OpenSSLError.malformed) {
            try PrivateKey(external: external, kind: .ellipticCurve)
        }
        #expect(throws: OpenSSLError.tooLarge) {
            try PrivateKey(der: [UInt8](repeating: 0, count: 1 << 17))
        }
        let der = try key(KeyFixtures.p256).pkcs8()
        for count in 0..<der.count {
            #expect(throws: OpenSSLError.self) { try PrivateKey(der: Array(der.prefix(count))) }
        }
    }

    // MARK: PKCS#12

    @Test
    func `a bundle of another program is read`() throws {
        let bundle = try KeyBundle(
            pkcs12: decoded(KeyFixtures.bundle),
            passphrase: Self.passphrase
        )
        #expect(bundle.keys == [try key(KeyFixtures.p256)])
        #expect(bundle.certificates == [try ParsedCertificate(pem: KeyFixtures.certificate)])
    }

    @Test
    func `an old bundle is read, with all its certificates`() throws {
        let bundle = try KeyBundle(
            pkcs12: decoded(KeyFixtures.oldBundle),
            passphrase: Self.passphrase
        )
        #expect(bundle.keys == [try key(KeyFixtures.rsa)])
        #expect(bundle.certificates.map(\.summary) == ["Only Org", "Ada Lovelace"])
    }

    @Test
    func `a bundle of several identities survives encoding`() throws {
        let bundle = KeyBundle(
            keys: [try key(KeyFixtures.p256), try key(KeyFixtures.rsa)],
            certificates: try [KeyFixtures.certificate, KeyFixtures.rsaCertificate]
                .map(ParsedCertificate.init(pem:))
        )
        let file = try bundle.pkcs12(passphrase: Self.passphrase)
        #expect(KeyBundle.isPKCS12(file))
        #expect(try KeyBundle(pkcs12: file, passphrase: Self.passphrase) == bundle)
        #expect(throws: OpenSSLError.wrongPassphrase) {
            try KeyBundle(pkcs12: file, passphrase: [])
        }
        #expect(throws: OpenSSLError.malformed) {
            try KeyBundle(keys: [], certificates: []).pkcs12(passphrase: Self.passphrase)
        }
    }

    @Test
    func `a damaged bundle is an error, never a crash`() throws {
        let file = try decoded(KeyFixtures.bundle)
        for count in stride(from: 0, to: file.count, by: 7) {
            #expect(throws: OpenSSLError.self) {
                try KeyBundle(pkcs12: Array(file.prefix(count)), passphrase: Self.passphrase)
            }
        }
        for index in stride(from: 0, to: file.count, by: 13) {
            var changed = file
            changed[index] ^= 0x41
            // The check value covers the contents; bytes around them may still change.
            do throws(OpenSSLError) {
                _ = try KeyBundle(pkcs12: changed, passphrase: Self.passphrase)
            } catch {
                #expect(error != .passphraseNeeded)
            }
        }
        #expect(!KeyBundle.isPKCS12(Array("hello".utf8)))
    }
}
