internal import FuzzInput
internal import KSFileCiphers
internal import KSKeePass

/// A database with its password: what is within its encryption, or its XML.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    guard let choice = bytes.first else { return 0 }
    let contents = Array(bytes.dropFirst())
    var count = 0
    let key = KeePassKey(password: [1])
    // Most input is refused; only what stops the program counts.
    switch choice % 4 {
    // Most input is refused.
    case 0: _ = try? KeePassReader.readXML(contents, entriesMax: 1000) { _, _ in count += 1 }
    case 1:
        let file = Frame.third(contents)
        // Most input is refused.
        _ = try? KeePassReader.read(file, key: key, entriesMax: 1000) { _, _ in count += 1 }
    case 2:
        let file = Frame.fourth(contents)
        // Most input is refused.
        _ = try? KeePassReader.read(file, key: key, entriesMax: 1000) { _, _ in count += 1 }
    default:
        // The header; the rest of the file is missing, so no key is derived.
        let file = Frame.signature + [1, 0, 3 + choice / 4 % 2, 0] + contents.prefix(200)
        // Most input is refused.
        _ = try? KeePassReader.read(file, key: key, entriesMax: 1000) { _, _ in count += 1 }
    }
    precondition(count <= 1000, "more entries than asked for")
    return 0
}

/// Encrypts input as databases are, with keys that cost nothing.
private enum Frame {
    static let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5]
    private static let seed = [UInt8](repeating: 7, count: 32)
    private static let vector = [UInt8](repeating: 8, count: 16)
    private static let aes: [UInt8] = [
        0x31, 0xC1, 0xF2, 0xE6, 0xBF, 0x71, 0x43, 0x50, 0xBE, 0x58, 0x05, 0x21, 0x6A, 0xFC, 0x5A,
        0xFF,
    ]
    private static let aesDerivation: [UInt8] = [
        0xC9, 0xD9, 0xF3, 0x9A, 0x62, 0x8A, 0x44, 0x60, 0xBF, 0x74, 0x0D, 0x08, 0xC1, 0x8A, 0x4F,
        0xEA,
    ]

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// After one round.
    private static var derived: [UInt8] {
        let password = FileDigest.sha256([1])
        let composite = FileDigest.sha256(password[...])
        // Its arguments are valid.
        return (try? AESKeyDerivation.derive(key: composite, seed: seed, rounds: 1)) ?? []
    }

    private static func encrypt(_ bytes: [UInt8]) -> [UInt8] {
        let key = FileDigest.sha256(seed[...], derived[...])
        // Its arguments are valid.
        return (try? FileCipher.run(.aes256, .encrypt, key: key, vector: vector, bytes[...])) ?? []
    }

    static func third(_ contents: [UInt8]) -> [UInt8] {
        var file = signature + [1, 0, 3, 0]
        func add(_ id: UInt8, _ value: [UInt8]) { file += [id] + number(value.count, 2) + value }
        add(2, aes)
        add(3, [0, 0, 0, 0])
        add(4, seed)
        add(5, seed)
        add(6, number(1, 8))
        add(7, vector)
        add(8, seed)
        add(9, seed)
        add(10, [2, 0, 0, 0])
        add(0, [])
        let block = number(0, 4) + FileDigest.sha256(contents[...]) + number(contents.count, 4)
        let end = number(1, 4) + [UInt8](repeating: 0, count: 36)
        return file + encrypt(seed + block + contents + end)
    }

    static func fourth(_ contents: [UInt8]) -> [UInt8] {
        var file = signature + [0, 0, 4, 0]
        func add(_ id: UInt8, _ value: [UInt8]) { file += [id] + number(value.count, 4) + value }
        var parameters: [UInt8] = [0, 1]
        func add(_ type: UInt8, _ name: String, _ value: [UInt8]) {
            parameters += [type] + number(name.utf8.count, 4) + Array(name.utf8)
            parameters += number(value.count, 4) + value
        }
        add(0x42, "$UUID", aesDerivation)
        add(0x42, "S", seed)
        add(5, "R", number(1, 8))
        add(2, aes)
        add(3, [1, 0, 0, 0])
        add(4, seed)
        add(7, vector)
        add(11, parameters + [0])
        add(0, [])
        let base = FileDigest.sha512(seed[...], derived[...], [1])
        func key(_ index: [UInt8]) -> [UInt8] { FileDigest.sha512(index[...], base[...]) }
        let header = file
        file += FileDigest.sha256(header[...])
        file += FileDigest.hmac(key: key([UInt8](repeating: 255, count: 8)), header[...])
        for (index, block) in [encrypt(contents), []].enumerated() {
            let (place, size) = (number(index, 8), number(block.count, 4))
            file += FileDigest.hmac(key: key(place), place[...], size[...], block[...])
            file += size + block
        }
        return file
    }
}
