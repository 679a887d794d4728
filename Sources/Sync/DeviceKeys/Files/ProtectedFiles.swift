package import KSDigests
internal import KSFiles
internal import Glibc

/// Protects files on the disk, and reads protected ones back.
///
/// Whatever goes wrong, and whenever the process is killed, the original stays until the new file
/// is whole and on the disk. All calls throw ``ProtectedFileError`` or ``FileError``.
package struct ProtectedFiles: Sendable {
    private let keyFile: LocalKeyFile
    private let random: any RandomSource
    private let beforeOpening: @Sendable () -> Void

    /// `beforeOpening`: for tests; called after a protected file was checked, before it is read.
    package init(
        keyFile: LocalKeyFile,
        random: any RandomSource,
        beforeOpening: @escaping @Sendable () -> Void = {}
    ) {
        self.keyFile = keyFile
        self.random = random
        self.beforeOpening = beforeOpening
    }

    /// Seals a file.
    ///
    /// `path`: absolute, of a regular file. `output`: a new file for the sealed contents; nil
    /// replaces the original.
    package func protect(
        _ path: String,
        as level: FileClass,
        to output: String? = nil
    ) throws {
        let source = try OpenFile.reading(regular: path)
        let before = try source.state()
        try Self.check(before, isReplaced: output == nil)
        guard try source.read(FileHeader.magic.count) != FileHeader.magic else {
            throw ProtectedFileError.alreadyProtected
        }
        try source.seek(to: 0)
        let hash = try contentHash(of: source)
        let (header, key) = try keyFile.fileHeader(level, contentHash: hash, random: random)
        var target = try ReplacementFile(for: output ?? path, replaces: output == nil)
        try target.write(header.encoded)
        var cipher = FileCipher(fileKey: key, header: header)
        try source.seek(to: 0)
        var hasher = ContentHasher()
        try Self.copyChunks(of: source, FileCipher.chunkBytes) { chunk, isLast in
            hasher.add(chunk)
            try target.write(cipher.seal(chunk, isLast: isLast))
        }
        guard try source.state() == before, hasher.hash == hash else {
            throw ProtectedFileError.changedMeanwhile
        }
        try target.finish(permissions: before.permissions)
    }

    /// Opens a protected file.
    ///
    /// `path`: absolute, of a regular file. `output`: a new file for the contents; nil replaces the
    /// sealed one.
    package func unprotect(_ path: String, to output: String? = nil) throws {
        let source = try OpenFile.reading(regular: path)
        let before = try source.state()
        try Self.check(before, isReplaced: output == nil)
        beforeOpening()
        let (header, byteCount) = try FileHeader.decode(try source.read(FileHeader.byteCountMax))
        let key = try keyFile.fileKey(of: header)
        var cipher = FileCipher(fileKey: key, header: header)
        try source.seek(to: byteCount)
        // Only the user can read the new file, whatever the permissions of the sealed one.
        var target = try ReplacementFile(for: output ?? path, replaces: output == nil)
        try Self.copyChunks(of: source, FileCipher.sealedChunkBytes) { chunk, isLast in
            try target.write(try cipher.open(chunk, isLast: isLast))
        }
        guard try source.state() == before else { throw ProtectedFileError.changedMeanwhile }
        try target.finish(permissions: before.permissions & 0o700)
    }

    /// The contents of a protected file, which stays sealed.
    package func contents(of path: String, bytesMax: Int) throws -> [UInt8] {
        let source = try OpenFile.reading(regular: path)
        let (header, byteCount) = try FileHeader.decode(try source.read(FileHeader.byteCountMax))
        guard try source.state().byteCount <= Int64(bytesMax) else {
            throw FileError.system(errno: EFBIG)
        }
        var cipher = FileCipher(fileKey: try keyFile.fileKey(of: header), header: header)
        try source.seek(to: byteCount)
        var contents: [UInt8] = []
        try Self.copyChunks(of: source, FileCipher.sealedChunkBytes) { chunk, isLast in
            contents += try cipher.open(chunk, isLast: isLast)
        }
        return contents
    }

    /// The protection level of a protected file.
    package func level(of path: String) throws -> FileClass {
        let source = try OpenFile.reading(regular: path)
        return try FileHeader.decode(try source.read(FileHeader.byteCountMax)).header.level
    }

    // MARK: Parts

    private static func check(_ state: OpenFile.State, isReplaced: Bool) throws {
        guard !isReplaced || state.linkCount == 1 else { throw ProtectedFileError.hasFurtherNames }
    }

    private func contentHash(of source: borrowing OpenFile) throws -> [UInt8] {
        var hasher = ContentHasher()
        try Self.copyChunks(of: source, FileCipher.chunkBytes) { chunk, _ in
            hasher.add(chunk)
        }
        return hasher.hash
    }

    /// Calls the body with each chunk; there is one at least, which may be empty.
    private static func copyChunks(
        of source: borrowing OpenFile,
        _ chunkBytes: Int,
        _ body: (_ chunk: [UInt8], _ isLast: Bool) throws -> Void
    ) throws {
        var chunk = try source.read(chunkBytes)
        while true {
            let next = chunk.count == chunkBytes ? try source.read(chunkBytes) : []
            try body(chunk, next.isEmpty)
            if next.isEmpty { return }
            chunk = next
        }
    }
}

/// A hash over the hashes of all chunks.
private struct ContentHasher {
    private(set) var hash = [UInt8](repeating: 0, count: SHA256.byteCount)

    mutating func add(_ chunk: [UInt8]) {
        hash = SHA256.hash(hash + SHA256.hash(chunk))
    }
}
