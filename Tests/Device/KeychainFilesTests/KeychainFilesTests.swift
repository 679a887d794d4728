import Foundation
import GRDB
import KSAgent
import KSCertificates
import KSDigests
import KSKeychain
import KSKeychainFiles
import KSPrivateKeys
import KSTestSupport
import Testing

/// Files of keys and certificates, and the keychains that they are imported into.
struct KeychainFilesTests {
    private static let random = SeededRandomSource(seed: 4)

    /// A keychain file without a password, which needs no key derivation.
    private func withKeychain(_ body: (ItemStore) throws -> Void) throws {
        try withKeychain { keychain, _ in try body(keychain) }
    }

    private func withKeychain(_ body: (ItemStore, _ path: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "kst-" + UUID().uuidString.prefix(8)
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "k").path
        let file = try KeychainFile.create(path: path, password: [], random: Self.random)
        try body(file.keychain, path)
        try file.close()
        // The keychain's file can be opened again.
        try KeychainFile.open(path: path, random: Self.random).close()
    }

    /// A timer of so many seconds would end the daemon.
    @Test
    func `a keychain of somebody else locks itself after seconds that a timer takes`() throws {
        let parts = KeychainParts(database: try KeychainFileStorage.inMemory())
        for seconds in [Int.max, Int(Int32.max) + 1] {
            try parts.setPart("settings", Array("0 1 \(seconds)".utf8))
            #expect(try KeychainSettings.load(parts).idleSeconds == Int(Int32.max))
        }
        for seconds in [0, -1, Int.min] {
            try parts.setPart("settings", Array("0 1 \(seconds)".utf8))
            #expect(try KeychainSettings.load(parts).idleSeconds == nil)
        }
        try KeychainSettings(idleSeconds: 7).save(parts)
        #expect(try KeychainSettings.load(parts).idleSeconds == 7)
    }

    private func read(
        _ text: String,
        kind: KeychainImport.Kind = .all
    ) throws(KeychainFileError) -> KeychainImport {
        try KeychainImport(
            Array(text.utf8),
            format: nil,
            kind: kind,
            passphrase: Array("geheim".utf8)
        )
    }

    private static let all = [
        KeyFixtures.certificate, KeyFixtures.p256, KeyFixtures.rsaPKCS1Encrypted,
    ].joined(separator: "\n")

    @Test
    func `everything in a file is imported, once`() throws {
        try withKeychain { keychain in
            var counts = try read(Self.all).add(to: keychain, isExtractable: true)
            #expect(counts.agentValue == ["identities": 0, "keys": 2, "certificates": 1])
            #expect(throws: ItemStoreError.duplicateItem) {
                try read(Self.all).add(to: keychain, isExtractable: true)
            }
            counts = try read(Self.all + "\n" + KeyFixtures.ed25519)
                .add(to: keychain, isExtractable: true)
            #expect(counts.agentValue == ["identities": 0, "keys": 1, "certificates": 0])
            let certificate = try ParsedCertificate(pem: KeyFixtures.certificate)
            #expect(try keychain.certificates(.init()).map(\.certificate) == [certificate])
            #expect(try keychain.hasPrivateKey(hash: certificate.publicKeyHash))
            #expect(try keychain.privateKeys().count == 3)
        }
    }

    @Test
    func `everything in a file is imported, or nothing`() throws {
        try withKeychain { keychain, path in
            let disk = try DatabaseQueue(path: path)
            try disk.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER broken BEFORE INSERT ON cert
                        BEGIN SELECT RAISE(ABORT, 'broken'); END
                        """
                )
            }
            #expect(throws: ItemStoreError.self) {
                try read(Self.all).add(to: keychain, isExtractable: true)
            }
            try disk.write { try $0.execute(sql: "DROP TRIGGER broken") }
            #expect(try keychain.privateKeys().isEmpty)
            let counts = try read(Self.all).add(to: keychain, isExtractable: true)
            #expect(counts.keys == 2 && counts.certificates == 1)
        }
    }

    @Test
    func `only the requested kind is imported`() throws {
        try withKeychain { keychain in
            let certificates = try read(Self.all, kind: .certificates)
                .add(to: keychain, isExtractable: true)
            #expect(
                certificates.agentValue == ["identities": 0, "keys": 0, "certificates": 1]
            )
            let keys = try read(Self.all, kind: .privateKeys).add(to: keychain, isExtractable: true)
            #expect(keys.agentValue == ["identities": 0, "keys": 2, "certificates": 0])
        }
        #expect(throws: KeychainFileError.nothingFound) { try read(Self.all, kind: .publicKeys) }
    }

    @Test(arguments: [KeychainImport.Kind.certificates, .privateKeys, .all])
    func `a bundle is imported whole, whatever kind a script names`(
        kind: KeychainImport.Kind
    ) throws {
        let bundle = try KeyBundle(
            keys: [PrivateKey(pem: PEMBlock.blocks(in: KeyFixtures.p256)[0])],
            certificates: [ParsedCertificate(pem: KeyFixtures.certificate)]
        )
        let passphrase = Array("geheim".utf8)
        let file = try KeychainImport(
            bundle.pkcs12(passphrase: passphrase),
            format: .pkcs12,
            kind: kind,
            passphrase: passphrase
        )
        try withKeychain { keychain in
            let counts = try file.add(to: keychain, isExtractable: true)
            #expect(counts.agentValue == ["identities": 1, "keys": 0, "certificates": 0])
        }
    }

    @Test(
        arguments: [
            ("codesigning", nil, [false, true, false]), ("ssl-server", nil, [true, false, false]),
            ("ssl-server", "www.example.com", [true, false, false]),
            ("ssl-server", "example.org", [false, false, false]),
            ("smime", nil, [false, false, true]), ("basic", nil, [true, true, true]),
            ("ipsec", nil, [true, true, true]), (nil, nil, [true, true, true]),
        ] as [(String?, String?, [Bool])]
    )
    func `an identity is listed for the uses of its certificate`(
        command: String?,
        name: String?,
        expected: [Bool]
    ) throws {
        let policy = CertificatePolicy(command: command, name: name)
        let certificates = [PolicyFixtures.server, PolicyFixtures.code, PolicyFixtures.mail]
        let listed = try certificates.map { policy.isPurpose(of: try ParsedCertificate(pem: $0)) }
        #expect(listed == expected)
    }

    @Test
    func `criteria find a certificate by name, address and hash`() throws {
        try withKeychain { keychain in
            let both = KeyFixtures.certificate + "\n" + KeyFixtures.rsaCertificate
            _ = try read(both).add(to: keychain, isExtractable: true)
            func names(_ criteria: CertificateCriteria) throws -> [String] {
                try keychain.certificates(criteria).map(\.label)
            }
            #expect(try names(.init()) == ["Ada Lovelace", "Only Org"])
            for part in ["Love", "ada l", "ADA LOVELACE"] {
                #expect(try names(.init(name: part)) == ["Ada Lovelace"])
            }
            #expect(try names(.init(name: "o")) == ["Ada Lovelace", "Only Org"])
            #expect(try names(.init(name: "")) == [])
            #expect(try names(.init(email: "ADA@example.com")) == ["Ada Lovelace"])
            let der = try ParsedCertificate(pem: KeyFixtures.rsaCertificate).der
            #expect(try names(.init(hash: SHA1.hash(der))) == ["Only Org"])
            #expect(try names(.init(hash: SHA256.hash(der))) == ["Only Org"])
        }
    }

    @Test
    func `a key that must not leave stays`() throws {
        try withKeychain { keychain in
            _ = try read(KeyFixtures.rsa).add(to: keychain, isExtractable: false)
            _ = try read(KeyFixtures.p256).add(to: keychain, isExtractable: true)
            var export = KeychainExport()
            try export.collect(.privateKeys, from: keychain)
            let file = try export.file(.openssl, isArmoured: true, passphrase: nil)
            #expect(String(decoding: file, as: UTF8.self) == KeyFixtures.p256 + "\n")
            #expect(throws: KeychainFileError.unsupported) {
                try export.file(.x509, isArmoured: false, passphrase: nil)
            }
            #expect(throws: KeychainFileError.passphraseNeeded) {
                try export.file(.pkcs12, isArmoured: false, passphrase: nil)
            }
        }
    }

    @Test
    func `a key does not leave in the clear where a passphrase is given`() throws {
        try withKeychain { keychain in
            _ = try read(KeyFixtures.p256).add(to: keychain, isExtractable: true)
            var export = KeychainExport()
            try export.collect(.privateKeys, from: keychain)
            #expect(try !export.file(.raw, isArmoured: false, passphrase: nil).isEmpty)
            #expect(throws: KeychainFileError.unsupported) {
                try export.file(.raw, isArmoured: false, passphrase: Array("pw".utf8))
            }
        }
    }

    @Test(arguments: [true, false])
    func `certificates are imported and exported as PKCS 7`(isArmoured: Bool) throws {
        let texts = [KeyFixtures.certificate, KeyFixtures.rsaCertificate]
        let certificates = try texts.map { try ParsedCertificate(pem: $0) }
        let file =
            isArmoured
            ? try Array(CertificateBundle.pem(certificates).utf8)
            : try CertificateBundle.der(certificates)
        try withKeychain { keychain in
            for format in [KeyFileFormat.pkcs7, nil] {
                let chain = try KeychainImport(file, format: format, kind: .all, passphrase: nil)
                if format == nil {
                    #expect(throws: ItemStoreError.duplicateItem) {
                        try chain.add(to: keychain, isExtractable: true)
                    }
                } else {
                    let counts = try chain.add(to: keychain, isExtractable: true)
                    #expect(counts.certificates == 2 && counts.keys == 0)
                }
            }
            var export = KeychainExport()
            try export.collect(.all, from: keychain)
            #expect(try export.file(.pkcs7, isArmoured: isArmoured, passphrase: nil) == file)
            _ = try read(KeyFixtures.p256).add(to: keychain, isExtractable: true)
            try export.collect(.privateKeys, from: keychain)
            #expect(throws: KeychainFileError.unsupported) {
                try export.file(.pkcs7, isArmoured: isArmoured, passphrase: nil)
            }
        }
    }

    @Test
    func `invalid files and an empty export are different errors`() throws {
        for text in ["hello", "", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
        {
            #expect(throws: KeychainFileError.unknownFormat) { try read(text) }
        }
        #expect(throws: KeychainFileError.nothingFound) {
            try read("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n")
        }
        #expect(throws: KeychainFileError.unsupported) { try read(KeyFixtures.secp256k1) }
        #expect(throws: KeychainFileError.nothingFound) {
            try KeychainExport().file(nil, isArmoured: false, passphrase: nil)
        }
    }

    @Test
    func `the search list is stored, and drops deleted keychains`() throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "kst-" + UUID().uuidString.prefix(8)
        ).path
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: true
        )
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(atPath: home) }
        var list = try KeychainSearchList.load(home: home)
        #expect(list == KeychainSearchList(search: [home], defaultKeychain: home))
        list = KeychainSearchList(search: ["/a", home], defaultKeychain: "/a")
        try list.save(home: home)
        #expect(try KeychainSearchList.load(home: home) == list)
        list.forget(home: home) { $0 == "/a" }
        #expect(list == KeychainSearchList(search: [home], defaultKeychain: home))
        list.defaultKeychain = nil
        try list.save(home: home)
        #expect(try KeychainSearchList.load(home: home).defaultKeychain == nil)
        for (text, fault) in [
            ("[]", "this should be an object: { … }."),
            ("{", "The JSON is not valid at line 1, column 2."),
            (#"{"search":["a",1]}"#, "search: 1: this should be a text in quotes."),
            (#"{"search":[],"defalt":"a"}"#, "unknown field \"defalt\"."),
        ] {
            try Data(text.utf8).write(to: URL(filePath: home + "/keychains.json"))
            #expect(throws: KeychainFileError.listDamaged(fault: fault)) {
                try KeychainSearchList.load(home: home)
            }
        }
        try StateFile(path: home + "/keychains.json").expectReplacedWholeOrNot(
            throwing: KeychainFileError.unavailable(errno: EISDIR)
        ) { try list.save(home: home) }
    }
}
