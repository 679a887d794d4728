internal import KSBytes
internal import KSDigests
internal import KSFileCiphers

// Bitwarden's JSON that a password encrypts.
// Source: its whitepaper, and KeePassXC's BitwardenReader.

extension EntryFormat {
    static let bitwardenEncrypted = EntryFormat(
        name: "bitwarden-encrypted",
        isFormat: { file in
            EntryFormat.bitwarden.isFormat?(file) == true
                && file.outline?.members["encrypted"]?.bool == true
        },
        read: { file throws(MovingError) in try BitwardenReader.read(file) },
        write: { entries, target throws(MovingError) in
            var written = BitwardenWriter.write(entries, target.time)
            let encryption = try BitwardenEncryption(target)
            for index in written.files.indices {
                written.files[index] = try encryption.file(written.files[index], target.random)
            }
            return written
        },
        isEncrypted: true
    )
}

/// The keys and the parameters of one encrypted file.
struct BitwardenEncryption {
    /// How a password becomes a key.
    private enum Derivation {
        case pbkdf2(iterations: Int)
        case argon2(memoryMiB: Int, passes: Int, lanes: Int)
    }

    private static let format = "Bitwarden"
    private static let validation = "encKeyValidation_DO_NOT_EDIT"
    private static let saltByteCount = 16
    private static let vectorByteCount = 16
    private static let tagByteCount = 32
    /// What Bitwarden's programs use unless the user chooses.
    private static let usual = Derivation.argon2(memoryMiB: 64, passes: 3, lanes: 4)

    private let salt: String
    private let derivation: Derivation
    private let cipherKey: [UInt8]
    private let tagKey: [UInt8]

    private init(
        salt: String,
        _ derivation: Derivation,
        password: [UInt8]
    ) throws(MovingError) {
        (self.salt, self.derivation) = (salt, derivation)
        let key: [UInt8]
        do throws(FileCipherError) {
            key = try Self.key(password, Array(salt.utf8), derivation)
        } catch .tooCostly {
            throw .tooCostly
        } catch {
            throw .wrongShape(format: Self.format, member: "kdfType")
        }
        // HKDF-Expand (RFC 5869) of one block each.
        cipherKey = FileDigest.hmac(key: key, Array("enc\u{1}".utf8)[...])
        tagKey = FileDigest.hmac(key: key, Array("mac\u{1}".utf8)[...])
    }

    private static func key(
        _ password: [UInt8],
        _ salt: [UInt8],
        _ derivation: Derivation
    ) throws(FileCipherError) -> [UInt8] {
        switch derivation {
        case .pbkdf2(let iterations):
            return try PBKDF2.derive(password: password, salt: salt, iterations: iterations)
        case .argon2(let memoryMiB, let passes, let lanes):
            guard let memory = UInt64(exactly: memoryMiB), memory <= 1 << 20,
                let passes = UInt64(exactly: passes), let lanes = UInt32(exactly: lanes)
            else { throw .tooCostly }
            return try Argon2(.id, memoryKiB: memory << 10, passes: passes, lanes: lanes)
                .derive(password: password, salt: FileDigest.sha256(salt[...]))
        }
    }

    // MARK: Reading

    /// The contents of a file: the JSON that Bitwarden writes unencrypted.
    ///
    /// - Throws: ``MovingError/wrongPassword`` before anything is decrypted.
    static func contents(_ file: SourceFile) throws(MovingError) -> [UInt8] {
        let members = file.outline?.members ?? [:]
        // Only the form with a password has a salt.
        guard let salt = members["salt"]?.string else { throw .encryptedForAccount }
        guard file.keyFile == nil else { throw .noKeyFile(format: Self.format) }
        guard let password = file.password else { throw .passwordNeeded }
        func number(_ name: String) throws(MovingError) -> Int {
            guard let number = members[name]?.integer else {
                throw .wrongShape(format: Self.format, member: name)
            }
            return Int(number)
        }
        let derivation: Derivation
        switch try number("kdfType") {
        case 0: derivation = .pbkdf2(iterations: try number("kdfIterations"))
        case 1:
            derivation = .argon2(
                memoryMiB: try number("kdfMemory"),
                passes: try number("kdfIterations"),
                lanes: try number("kdfParallelism")
            )
        default: throw .wrongShape(format: Self.format, member: "kdfType")
        }
        let validation = try Sealed(members[Self.validation]?.string, Self.validation)
        let data = try Sealed(Self.data(file.bytes), "data")
        let encryption = try Self(salt: salt, derivation, password: password)
        guard encryption.isAuthentic(validation) else { throw .wrongPassword }
        guard encryption.isAuthentic(data) else { throw .damaged }
        return try encryption.open(data)
    }

    /// The text that is the whole vault, which the outline does not keep.
    private static func data(_ bytes: [UInt8]) throws(MovingError) -> String? {
        var text: String?
        var scanner = JSONScanner(bytes)
        try scanner.object { name, scanner throws(MovingError) in
            guard name == "data" else { return try scanner.skip() }
            text = try scanner.tree().string
        }
        return text
    }

    /// Bitwarden's form of encrypted bytes: `2.VECTOR|BYTES|TAG`, each in Base64.
    private struct Sealed {
        let vector: [UInt8]
        let bytes: [UInt8]
        let tag: [UInt8]

        init(_ text: String?, _ member: String) throws(MovingError) {
            guard let text, text.hasPrefix("2.") else {
                throw .wrongShape(format: BitwardenEncryption.format, member: member)
            }
            let parts = text.dropFirst(2).utf8
                .split(separator: UInt8(ascii: "|"), maxSplits: 3, omittingEmptySubsequences: false)
                .map { Base64Text.decode($0) }
            guard parts.count == 3, let vector = parts[0], let bytes = parts[1], let tag = parts[2],
                vector.count == vectorByteCount, tag.count == tagByteCount
            else { throw .wrongShape(format: BitwardenEncryption.format, member: member) }
            (self.vector, self.bytes, self.tag) = (vector, bytes, tag)
        }
    }

    private func isAuthentic(_ sealed: Sealed) -> Bool {
        let tag = FileDigest.hmac(key: tagKey, sealed.vector[...], sealed.bytes[...])
        return ConstantTime.areEqual(tag, sealed.tag)
    }

    private func open(_ sealed: Sealed) throws(MovingError) -> [UInt8] {
        do throws(FileCipherError) {
            return try FileCipher.run(
                .aes256,
                .decrypt,
                key: cipherKey,
                vector: sealed.vector,
                sealed.bytes[...]
            )
        } catch {
            throw .damaged
        }
    }

    // MARK: Writing

    init(_ target: TargetFile) throws(MovingError) {
        guard target.keyFile == nil else { throw .noKeyFile(format: Self.format) }
        guard let password = target.password, !password.isEmpty else { throw .emptyPassword }
        let salt = Base64Text.encode(target.random.bytes(Self.saltByteCount))
        try self.init(
            salt: String(decoding: salt, as: UTF8.self),
            Self.usual,
            password: password
        )
    }

    /// The encrypted file with these contents.
    func file(_ contents: [UInt8], _ random: any RandomSource) throws(MovingError) -> [UInt8] {
        // Any text will do; Bitwarden's programs take the name of a UUID.
        let validation = Base64Text.encode(random.bytes(Self.saltByteCount))
        var writer = JSONWriter()
        writer.write("{\"encrypted\":true,\n \"passwordProtected\":true,\n \"salt\":")
        writer.write(.text(salt))
        switch derivation {
        case .pbkdf2(let iterations):
            writer.write(",\n \"kdfType\":0,\n \"kdfIterations\":\(iterations)")
        case .argon2(let memoryMiB, let passes, let lanes):
            writer.write(
                ",\n \"kdfType\":1,\n \"kdfIterations\":\(passes),\n \"kdfMemory\":\(memoryMiB)"
                    + ",\n \"kdfParallelism\":\(lanes)"
            )
        }
        writer.write(",\n \"\(Self.validation)\":")
        writer.write(.plain(try seal(validation, random)))
        writer.write(",\n \"data\":")
        writer.write(.plain(try seal(contents, random)))
        writer.write("\n}\n")
        return writer.bytes
    }

    private func seal(
        _ bytes: [UInt8],
        _ random: any RandomSource
    ) throws(MovingError) -> [UInt8] {
        let vector = random.bytes(Self.vectorByteCount)
        let sealed: [UInt8]
        do throws(FileCipherError) {
            sealed = try FileCipher.run(
                .aes256,
                .encrypt,
                key: cipherKey,
                vector: vector,
                bytes[...]
            )
        } catch {
            throw .damaged
        }
        let tag = FileDigest.hmac(key: tagKey, vector[...], sealed[...])
        let bar = [UInt8(ascii: "|")]
        return Array("2.".utf8) + Base64Text.encode(vector) + bar + Base64Text.encode(sealed) + bar
            + Base64Text.encode(tag)
    }
}
