internal import KSDigests
internal import KSFileCiphers

/// Reads databases of KeePass: KDBX 3 and 4, and XML in the clear.
package enum KeePassReader {
    /// What may be kept in memory beside the file.
    private static let memoryBytesMax = 40 << 20
    /// How much larger than the file its attachments may be.
    private static let attachmentBytesMax = 16 << 20
    /// How much larger than a file the XML in it may be, beside that.
    private static let growthMax = 10
    private static let pieceBytes = 1 << 18
    private static let salsaNonce: [UInt8] = [0xE8, 0x30, 0x09, 0x4B, 0x97, 0x20, 0x5D, 0x2A]
    private static let xmlStartBytes = 4096

    /// Whether a file is a database, of any version and also of KeePass 1.
    package static func isDatabase(_ file: [UInt8]) -> Bool { FileHeader.isDatabase(file) }

    /// Whether a database is one of KeePass 1, which is not read.
    package static func isOfFirstGeneration(_ file: [UInt8]) -> Bool {
        FileHeader.isOfFirstGeneration(file)
    }

    /// Whether a file is KeePass's XML.
    package static func isXML(_ file: [UInt8]) -> Bool {
        let start = file.prefix(xmlStartBytes).filter { $0 != 0 }
        return start.contains(UInt8(ascii: "<")) && !start.isEmpty
            && String(decoding: start, as: UTF8.self).contains("<KeePassFile")
    }

    /// Reads a database; gives `take` each entry with the place of its group.
    ///
    /// - Returns: what there is beside entries.
    /// - Throws: ``KeePassError``; what was taken until then does not count.
    package static func read(
        _ file: [UInt8],
        key: KeePassKey,
        entriesMax: Int,
        take: @escaping (KeePassEntry, _ group: Int) -> Void
    ) throws(KeePassError) -> KeePassDatabase {
        let header = try FileHeader(file)
        let payload =
            header.major == 3
            ? try openThird(file, header, key) : try openFourth(file, header, key)
        let contents = Contents(header, fileBytes: file.count, entriesMax: entriesMax, take: take)
        try payload.decrypt(file) { piece throws(KeePassError) in try contents.feed(piece) }
        return try contents.finish()
    }

    /// Reads XML in the clear, as programs export it.
    package static func readXML(
        _ file: [UInt8],
        entriesMax: Int,
        take: @escaping (KeePassEntry, _ group: Int) -> Void
    ) throws(KeePassError) -> KeePassDatabase {
        let reader = DocumentReader(
            stream: nil,
            binaries: [],
            bytesMax: file.count + memoryBytesMax,
            entriesMax: entriesMax,
            take: take
        )
        try XMLScanner.read(file, reader)
        return reader.database
    }

    // MARK: Keys

    /// Encrypted bytes, and what decrypts them.
    private struct Payload {
        let header: FileHeader
        let key: [UInt8]
        let ranges: [Range<Int>]

        func decrypt(
            _ file: [UInt8],
            _ take: (ArraySlice<UInt8>) throws(KeePassError) -> Void
        ) throws(KeePassError) {
            let cipher: FileCipher
            do throws(FileCipherError) {
                cipher = try FileCipher(header.cipher, .decrypt, key: key, vector: header.vector)
            } catch {
                throw .damaged
            }
            for range in ranges {
                for start in stride(from: range.lowerBound, to: range.upperBound, by: pieceBytes) {
                    let end = min(start + pieceBytes, range.upperBound)
                    let piece = try KeePassReader.piece { () throws(FileCipherError) in
                        try cipher.update(file[start..<end])
                    }
                    try take(piece[...])
                }
            }
            let last = try KeePassReader.piece { () throws(FileCipherError) in
                try cipher.finish()
            }
            try take(last[...])
        }
    }

    private static func piece(
        _ body: () throws(FileCipherError) -> [UInt8]
    ) throws(KeePassError) -> [UInt8] {
        do throws(FileCipherError) {
            return try body()
        } catch {
            throw .damaged
        }
    }

    private static func openFourth(
        _ file: [UInt8],
        _ header: FileHeader,
        _ key: KeePassKey
    ) throws(KeePassError) -> Payload {
        var reader = ByteReader(file, at: header.bytes.endIndex)
        let hash = Array(try reader.take(32))
        let tag = Array(try reader.take(32))
        guard FileDigest.sha256(header.bytes) == hash else { throw .damaged }
        for composite in key.composites {
            let derived = try header.transformed(composite)
            let seed = header.masterSeed[...]
            let blocks = TaggedBlocks(key: FileDigest.sha512(seed, derived[...], [1]))
            guard ConstantTime.areEqual(blocks.tag(ofHeader: header.bytes), tag) else { continue }
            return Payload(
                header: header,
                key: FileDigest.sha256(seed, derived[...]),
                ranges: try blocks.check(file, from: reader.index)
            )
        }
        throw .wrongPassword
    }

    /// Of version 3 only the first bytes of the contents tell a wrong key.
    private static func openThird(
        _ file: [UInt8],
        _ header: FileHeader,
        _ key: KeePassKey
    ) throws(KeePassError) -> Payload {
        let start = header.bytes.endIndex
        guard file.count - start >= 48, header.startBytes.count == 32 else { throw .damaged }
        for composite in key.composites {
            let derived = try header.transformed(composite)
            let key = FileDigest.sha256(header.masterSeed[...], derived[...])
            let first = try piece { () throws(FileCipherError) in
                try FileCipher(header.cipher, .decrypt, key: key, vector: header.vector)
                    .update(file[start..<start + 48])
            }
            guard ConstantTime.areEqual(Array(first.prefix(32)), header.startBytes) else {
                continue
            }
            return Payload(header: header, key: key, ranges: [start..<file.count])
        }
        throw .wrongPassword
    }

    // MARK: Contents

    /// What is decrypted, on its way to entries.
    private final class Contents {
        private let header: FileHeader
        private let bytesMax: Int
        private let attachmentBytesMax: Int
        private let entriesMax: Int
        private let take: DocumentReader.Take
        private var gunzip: Gunzip?
        private var blocks = HashedBlocks()
        private var startBytesLeft = 0
        /// What may still be unpacked.
        private var bytesLeft: Int
        /// The inner header of version 4, until it is complete.
        private var inner = InnerHeader()
        private var document: (reader: DocumentReader, scanner: XMLScanner)?

        init(
            _ header: FileHeader,
            fileBytes: Int,
            entriesMax: Int,
            take: @escaping DocumentReader.Take
        ) {
            self.header = header
            bytesMax = fileBytes + memoryBytesMax
            attachmentBytesMax = fileBytes + KeePassReader.attachmentBytesMax
            bytesLeft = growthMax * fileBytes + memoryBytesMax
            (self.entriesMax, self.take) = (entriesMax, take)
            if header.major == 3 { startBytesLeft = header.startBytes.count }
        }

        func feed(_ piece: ArraySlice<UInt8>) throws(KeePassError) {
            guard header.major == 3 else { return try unpack(piece) }
            let skipped = min(startBytesLeft, piece.count)
            startBytesLeft -= skipped
            try blocks.feed(piece.dropFirst(skipped)) { block throws(KeePassError) in
                try unpack(block)
            }
        }

        private func unpack(_ piece: ArraySlice<UInt8>) throws(KeePassError) {
            guard header.isCompressed else { return try read(piece) }
            if gunzip == nil { gunzip = try Gunzip() }
            try gunzip?.unpack(piece) { piece throws(KeePassError) in try read(piece) }
        }

        private func read(_ piece: ArraySlice<UInt8>) throws(KeePassError) {
            bytesLeft -= piece.count
            guard bytesLeft >= 0 else { throw .tooLarge }
            if let document { return try document.scanner.feed(piece) }
            if header.major == 3 {
                try begin(header.streamCipher, header.streamKey, [])
                return try read(piece)
            }
            guard let rest = try inner.feed(piece, bytesMax: attachmentBytesMax) else { return }
            let binaries = inner.binaries
            try begin(inner.streamCipher, inner.streamKey, binaries)
            inner = InnerHeader()
            try document?.scanner.feed(rest)
        }

        private func begin(
            _ cipher: UInt32,
            _ key: [UInt8],
            _ binaries: [[UInt8]]
        ) throws(KeePassError) {
            let stream: KeyStream?
            do throws(FileCipherError) {
                switch cipher {
                case 0: stream = nil
                case 2:
                    let key = FileDigest.sha256(key[...])
                    stream = try KeyStream(.salsa20, key: key, nonce: salsaNonce)
                case 3:
                    let hash = FileDigest.sha512(key[...])
                    let nonce = Array(hash[32..<44])
                    stream = try KeyStream(.chaCha20, key: Array(hash[..<32]), nonce: nonce)
                default: throw .wrongLength
                }
            } catch {
                throw error == .wrongLength ? .unknownCipher : .damaged
            }
            let used = binaries.reduce(0) { $0 + $1.count }
            let reader = DocumentReader(
                stream: stream,
                binaries: binaries,
                headerHash: header.major == 3 ? FileDigest.sha256(header.bytes) : nil,
                bytesMax: bytesMax - used,
                entriesMax: entriesMax,
                take: take
            )
            document = (reader, try XMLScanner(reader))
        }

        func finish() throws(KeePassError) -> KeePassDatabase {
            guard header.major != 3 || blocks.isEnded else { throw .damaged }
            try gunzip?.finish()
            guard let document else { throw .damaged }
            try document.scanner.finish()
            return document.reader.database
        }
    }
}
