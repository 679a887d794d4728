package import KSDigests
package import KSFileCiphers

/// What a database is made of.
///
/// Its entries are made when they are written, so that memory holds one of them at a time.
package struct KeePassContents {
    /// The names of the groups around each entry, and its number.
    private(set) var places: [(path: [String], number: Int)] = []
    /// The most earlier states of an entry.
    private(set) var historyMax = 0
    private(set) var attachments: [[UInt8]] = []
    /// Makes the entry with a number.
    let entry: (Int) -> KeePassEntry

    package init(entry: @escaping (Int) -> KeePassEntry) { self.entry = entry }

    package init(_ entries: [KeePassWriter.Placed]) {
        entry = { entries[$0].entry }
        for (number, placed) in entries.enumerated() {
            add(placed.entry, number, in: placed.path)
        }
    }

    /// Takes what has to be known of an entry beforehand.
    package mutating func add(_ entry: KeePassEntry, _ number: Int, in path: [String]) {
        // Many entries share the path of the one before, and its memory.
        if let last = places.last, last.path == path {
            places.append((last.path, number))
        } else {
            places.append((path, number))
        }
        historyMax = max(historyMax, entry.history.count)
        attachments += entry.attachments.compactMap(\.bytes)
    }
}

/// Writes databases of version 4, as KeePassXC does by default.
package struct KeePassWriter {
    /// An entry and the names of the groups around it.
    package typealias Placed = (path: [String], entry: KeePassEntry)

    /// KeePassXC's own choice: about a second on a small computer.
    package static let usual = Argon2(.d, memoryKiB: 64 << 10, passes: 10, lanes: 2)
    private static let cipher = FileCipher.Algorithm.aes256
    private static let innerCipher: UInt32 = 3
    private static let minor: UInt16 = 0
    private static let major: UInt16 = 4

    private let key: KeePassKey
    private let derivation: Argon2
    private let random: any RandomSource

    /// Seeds and keys come from `random`, new ones for each file.
    package init(
        key: KeePassKey,
        derivation: Argon2 = usual,
        random: any RandomSource
    ) {
        (self.key, self.derivation, self.random) = (key, derivation, random)
    }

    /// The database with these entries.
    ///
    /// `time`: now, in milliseconds since 1970.
    ///
    /// - Throws: ``KeePassError/tooCostly`` if there is too little memory for the derivation.
    package func write(_ entries: [Placed], time: Int64) throws(KeePassError) -> [UInt8] {
        try write(KeePassContents(entries), time: time)
    }

    /// The database with these contents.
    package func write(_ entries: KeePassContents, time: Int64) throws(KeePassError) -> [UInt8] {
        let (masterSeed, vector) = (random.bytes(32), random.bytes(Self.cipher.vectorByteCount))
        let salt = random.bytes(32)
        let header = self.header(masterSeed, vector, salt)
        let sealed: [UInt8]
        let blocks: TaggedBlocks
        do throws(FileCipherError) {
            let derived = try derivation.derive(password: key.composites[0], salt: salt)
            let seed = masterSeed[...]
            let cipher = try FileCipher(
                Self.cipher,
                .encrypt,
                key: FileDigest.sha256(seed, derived[...]),
                vector: vector
            )
            blocks = TaggedBlocks(key: FileDigest.sha512(seed, derived[...], [1]))
            sealed = try contents(entries, time, cipher)
        } catch {
            throw .tooCostly
        }
        var file = header + FileDigest.sha256(header[...]) + blocks.tag(ofHeader: header[...])
        file.reserveCapacity(file.count + sealed.count + 4096)
        var number: UInt64 = 0
        for start in stride(from: 0, to: sealed.count, by: TaggedBlocks.blockBytes) {
            let end = min(start + TaggedBlocks.blockBytes, sealed.count)
            file += blocks.written(sealed[start..<end], number: number)
            number += 1
        }
        return file + blocks.written([], number: number)
    }

    // MARK: Headers

    private func header(_ masterSeed: [UInt8], _ vector: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        var bytes = FileHeader.signature + FileHeader.second
        bytes += Self.minor.littleEndianBytes + Self.major.littleEndianBytes
        func add(_ id: UInt8, _ value: [UInt8]) {
            bytes += [id] + UInt32(value.count).littleEndianBytes + value
        }
        add(FileHeader.Field.cipher, FileHeader.ciphers[Self.cipher] ?? [])
        add(FileHeader.Field.compression, UInt32(1).littleEndianBytes)
        add(FileHeader.Field.masterSeed, masterSeed)
        add(FileHeader.Field.vector, vector)
        add(FileHeader.Field.derivation, parameters(salt))
        add(FileHeader.Field.end, Array("\r\n\r\n".utf8))
        return bytes
    }

    private func parameters(_ salt: [UInt8]) -> [UInt8] {
        var bytes = VariantDictionary.version.littleEndianBytes
        func add(_ type: UInt8, _ name: String, _ value: [UInt8]) {
            bytes += [type] + UInt32(name.utf8.count).littleEndianBytes + Array(name.utf8)
            bytes += UInt32(value.count).littleEndianBytes + value
        }
        let id =
            derivation.variant == .d
            ? VariantDictionary.Derivation.argon2d : VariantDictionary.Derivation.argon2id
        add(VariantDictionary.byteArray, "$UUID", id)
        add(VariantDictionary.byteArray, "S", salt)
        add(VariantDictionary.number32, "P", derivation.lanes.littleEndianBytes)
        add(VariantDictionary.number64, "M", (derivation.memoryKiB * 1024).littleEndianBytes)
        add(VariantDictionary.number64, "I", derivation.passes.littleEndianBytes)
        add(VariantDictionary.number32, "V", derivation.version.littleEndianBytes)
        return bytes + [VariantDictionary.end]
    }

    // MARK: Contents

    /// The inner header and the XML, packed and encrypted piece by piece.
    private func contents(
        _ entries: KeePassContents,
        _ time: Int64,
        _ cipher: FileCipher
    ) throws(FileCipherError) -> [UInt8] {
        let streamKey = random.bytes(64)
        let hash = FileDigest.sha512(streamKey[...])
        let nonce = Array(hash[32..<44])
        let stream = try KeyStream(.chaCha20, key: Array(hash[..<32]), nonce: nonce)
        // A gzip that cannot be begun has no memory.
        guard let gzip = try? Gzip() else { throw .library }
        var sealed: [UInt8] = []
        func take(_ bytes: [UInt8], isLast: Bool = false) throws(FileCipherError) {
            let packed = gzip.pack(bytes, isLast: isLast)
            if !packed.isEmpty { sealed += try cipher.update(packed[...]) }
        }
        func field(_ id: UInt8, _ value: [UInt8]) -> [UInt8] {
            [id] + UInt32(value.count).littleEndianBytes + value
        }
        try take(field(InnerHeader.Field.streamCipher, Self.innerCipher.littleEndianBytes))
        try take(field(InnerHeader.Field.streamKey, streamKey))
        var numbers: [[UInt8]: Int] = [:]
        for bytes in entries.attachments where numbers[bytes] == nil {
            numbers[bytes] = numbers.count
            // Equal bytes stand there once; the first one says that programs protect them.
            try take(field(InnerHeader.Field.binary, [1] + bytes))
        }
        try take(field(InnerHeader.Field.end, []))
        var document = DocumentWriter(stream: stream, numbers: numbers, random: random)
        document.begin(entries.historyMax, time)
        try document.write(entries, time) { bytes throws(FileCipherError) in try take(bytes) }
        document.end()
        try take(document.taken(), isLast: true)
        return sealed + (try cipher.finish())
    }
}
