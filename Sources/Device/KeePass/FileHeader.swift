internal import KSFileCiphers

/// The outer header of a database, which is in the clear.
///
/// Source: keepass.info, "KDBX File Format Specification".
struct FileHeader {
    enum Derivation {
        case aes(seed: [UInt8], rounds: UInt64)
        case argon2(Argon2, salt: [UInt8], secret: [UInt8], associatedData: [UInt8])
    }

    static let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
    static let second: [UInt8] = [0x67, 0xFB, 0x4B, 0xB5]
    /// KeePass 1, and KeePass 2 before its first release.
    private static let earlier: [[UInt8]] = [
        [0x65, 0xFB, 0x4B, 0xB5], [0x66, 0xFB, 0x4B, 0xB5],
    ]
    private static let newest: UInt16 = 4

    /// The numbers of the fields.
    enum Field {
        static let end: UInt8 = 0
        static let cipher: UInt8 = 2
        static let compression: UInt8 = 3
        static let masterSeed: UInt8 = 4
        static let transformSeed: UInt8 = 5
        static let transformRounds: UInt8 = 6
        static let vector: UInt8 = 7
        static let streamKey: UInt8 = 8
        static let startBytes: UInt8 = 9
        static let streamCipher: UInt8 = 10
        static let derivation: UInt8 = 11
    }

    static let ciphers: [FileCipher.Algorithm: [UInt8]] = [
        .aes256: UUIDText.bytes("31C1F2E6BF714350BE5805216AFC5AFF"),
        .twofish: UUIDText.bytes("AD68F29F576F4BB9A36AD47AF965346C"),
        .chaCha20: UUIDText.bytes("D6038A2B8B6F4CB5A524339A31DBB59A"),
    ]

    /// 3 or 4.
    private(set) var major: UInt16 = 0
    private(set) var cipher = FileCipher.Algorithm.aes256
    private(set) var isCompressed = false
    private(set) var masterSeed: [UInt8] = []
    private(set) var vector: [UInt8] = []
    private(set) var derivation = Derivation.aes(seed: [], rounds: 0)
    /// Of version 3; version 4 has it within.
    private(set) var streamKey: [UInt8] = []
    private(set) var streamCipher: UInt32 = 0
    /// Of version 3: what the contents begin with if the key is the right one.
    private(set) var startBytes: [UInt8] = []
    /// All bytes of the header.
    private(set) var bytes: ArraySlice<UInt8> = []

    static func isDatabase(_ bytes: [UInt8]) -> Bool {
        let second = bytes.dropFirst(4).prefix(4)
        return bytes.starts(with: signature)
            && (second.elementsEqual(Self.second) || earlier.contains(Array(second)))
    }

    static func isOfFirstGeneration(_ bytes: [UInt8]) -> Bool {
        isDatabase(bytes) && !bytes[4..<8].elementsEqual(second)
    }

    init(_ file: [UInt8]) throws(KeePassError) {
        guard Self.isDatabase(file) else { throw .notKeePass }
        guard !Self.isOfFirstGeneration(file) else { throw .firstGeneration }
        var reader = ByteReader(file, at: 8)
        _ = try reader.number(UInt16.self)
        major = try reader.number()
        guard major <= Self.newest else { throw .newerVersion }
        guard major >= 3 else { throw .firstGeneration }
        var (seed, rounds): ([UInt8], UInt64) = ([], 0)
        while true {
            let id = try reader.number(UInt8.self)
            let value =
                major == 3
                ? try reader.take(Int(try reader.number(UInt16.self))) : try reader.counted()
            switch id {
            case Field.transformSeed: seed = Array(value)
            case Field.transformRounds: rounds = UInt64(littleEndian: value.prefix(8))
            default: try take(id, value)
            }
            if id == Field.end { break }
        }
        if major == 3 { derivation = .aes(seed: seed, rounds: rounds) }
        bytes = file[..<reader.index]
        guard masterSeed.count == 32, vector.count == cipher.vectorByteCount else { throw .damaged }
    }

    private mutating func take(_ id: UInt8, _ value: ArraySlice<UInt8>) throws(KeePassError) {
        switch id {
        case Field.cipher:
            guard let found = Self.ciphers.first(where: { $0.value.elementsEqual(value) }) else {
                throw .unknownCipher
            }
            cipher = found.key
        case Field.compression: isCompressed = UInt32(littleEndian: value.prefix(4)) == 1
        case Field.masterSeed: masterSeed = Array(value)
        case Field.vector: vector = Array(value)
        case Field.streamKey: streamKey = Array(value)
        case Field.startBytes: startBytes = Array(value)
        case Field.streamCipher: streamCipher = UInt32(littleEndian: value.prefix(4))
        case Field.derivation where major > 3:
            derivation = try VariantDictionary(value).derivation
        // A program's own data, and fields that are not known yet.
        default: break
        }
    }

    /// The key that a composite key gives.
    func transformed(_ composite: [UInt8]) throws(KeePassError) -> [UInt8] {
        do throws(FileCipherError) {
            switch derivation {
            case .aes(let seed, let rounds):
                return try AESKeyDerivation.derive(key: composite, seed: seed, rounds: rounds)
            case .argon2(let argon2, let salt, let secret, let associatedData):
                return try argon2.derive(
                    password: composite,
                    salt: salt,
                    secret: secret,
                    associatedData: associatedData
                )
            }
        } catch {
            throw error == .tooCostly ? .tooCostly : .damaged
        }
    }
}

/// The parameters of a key derivation, each with a name and a type.
struct VariantDictionary {
    enum Derivation {
        static let aes = [
            UUIDText.bytes("C9D9F39A628A4460BF740D08C18A4FEA"),
            UUIDText.bytes("7C02BB8279A74AC0927D114A00648238"),
        ]
        static let argon2d = UUIDText.bytes("EF636DDF8C29444B91F7A9A403E30A0C")
        static let argon2id = UUIDText.bytes("9E298B1956DB4773B23DFC3EC6F0A1E6")
    }

    static let version: UInt16 = 0x0100
    static let end: UInt8 = 0
    static let number32: UInt8 = 4
    static let number64: UInt8 = 5
    static let byteArray: UInt8 = 0x42

    private var values: [String: [UInt8]] = [:]

    init(_ bytes: ArraySlice<UInt8>) throws(KeePassError) {
        var reader = ByteReader(Array(bytes))
        // A higher minor version is read, too.
        guard try reader.number(UInt16.self) & 0xFF00 == Self.version else { throw .newerVersion }
        while try reader.number(UInt8.self) != Self.end {
            let name = String(decoding: try reader.counted(), as: UTF8.self)
            values[name] = Array(try reader.counted())
        }
    }

    private func number<Number: FixedWidthInteger>(_ name: String) -> Number {
        Number(littleEndian: (values[name] ?? []).prefix(Number.bitWidth / 8))
    }

    var derivation: FileHeader.Derivation {
        get throws(KeePassError) {
            let id = values["$UUID"] ?? []
            let salt = values["S"] ?? []
            if Derivation.aes.contains(id) { return .aes(seed: salt, rounds: number("R")) }
            let variant: Argon2.Variant
            switch id {
            case Derivation.argon2d: variant = .d
            case Derivation.argon2id: variant = .id
            default: throw .unknownCipher
            }
            let argon2 = Argon2(
                variant,
                version: number("V"),
                memoryKiB: number("M") / 1024 as UInt64,
                passes: number("I"),
                lanes: number("P")
            )
            return .argon2(
                argon2,
                salt: salt,
                secret: values["K"] ?? [],
                associatedData: values["A"] ?? []
            )
        }
    }
}

/// UUIDs that the format fixes.
enum UUIDText {
    /// `digits`: 32 hexadecimal digits.
    static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        precondition(values.count == 32, "a UUID has 32 digits")
        return stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
