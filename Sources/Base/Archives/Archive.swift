internal import KSCZip

/// A ZIP archive in memory, whose files are unpacked one by one and into memory alone.
///
/// A file's name is only ever compared: nothing is written, so no name can lead anywhere.
@safe
package struct Archive: ~Copyable {
    /// One file of the archive.
    package struct Member: Sendable {
        package let name: String
        /// The bytes that it says to have when it is unpacked.
        package let bytesCount: Int
        fileprivate let index: zip_uint64_t
    }

    package let members: [Member]
    /// The bytes that may still be unpacked, of all files together.
    private var bytesLeft: Int
    private let handle: OpaquePointer

    /// More names than any export has.
    private static let membersMax = 100_000
    private static let nameBytesMax = 1024

    /// Whether the bytes begin as those of an archive do.
    package static func isArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
    }

    /// Opens an archive for as long as the body runs.
    ///
    /// `bytesMax`: how many bytes may be unpacked, of all files together.
    ///
    /// - Throws: ``ArchiveError`` if there is no list of files, or one of them is encrypted.
    package static func read<Output>(
        _ bytes: [UInt8],
        bytesMax: Int,
        _ body: (inout Archive) throws(ArchiveError) -> Output
    ) throws(ArchiveError) -> Output {
        try unsafe bytes.withUnsafeBufferPointer { buffer throws(ArchiveError) in
            var archive = try unsafe Archive(buffer, bytesMax: bytesMax)
            return try body(&archive)
        }
    }

    private init(
        _ buffer: UnsafeBufferPointer<UInt8>,
        bytesMax: Int
    ) throws(ArchiveError) {
        var error = unsafe zip_error_t()
        unsafe zip_error_init(&error)
        defer { unsafe zip_error_fini(&error) }
        guard
            let source = unsafe zip_source_buffer_create(
                buffer.baseAddress,
                zip_uint64_t(buffer.count),
                0,
                &error
            )
        else { throw .notReadable }
        guard let handle = unsafe zip_open_from_source(source, ZIP_RDONLY, &error) else {
            unsafe zip_source_free(source)
            throw .notReadable
        }
        do throws(ArchiveError) {
            members = try unsafe Self.members(handle)
        } catch {
            unsafe zip_discard(handle)
            throw error
        }
        unsafe self.handle = handle
        bytesLeft = bytesMax
    }

    deinit { unsafe zip_discard(handle) }

    private static func members(_ handle: OpaquePointer) throws(ArchiveError) -> [Member] {
        let count = unsafe zip_get_num_entries(handle, 0)
        guard (0...Int64(membersMax)).contains(count) else { throw .tooManyFiles }
        var members: [Member] = []
        for index in 0..<zip_uint64_t(count) {
            var status = unsafe zip_stat_t()
            unsafe zip_stat_init(&status)
            let wanted = zip_uint64_t(ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_ENCRYPTION_METHOD)
            guard unsafe zip_stat_index(handle, index, 0, &status) == 0,
                unsafe status.valid & wanted == wanted, let name = unsafe status.name,
                unsafe status.size <= zip_uint64_t(Int.max)
            else { throw .notReadable }
            guard unsafe status.encryption_method == zip_uint16_t(ZIP_EM_NONE) else {
                throw .encrypted
            }
            let text = unsafe String(cString: name)
            guard text.utf8.count <= nameBytesMax else { throw .notReadable }
            members.append(Member(name: text, bytesCount: unsafe Int(status.size), index: index))
        }
        return members
    }

    /// Unpacks a file.
    ///
    /// - Throws: ``ArchiveError/tooLarge`` if more bytes come out of the archive than may be, or
    ///   than the file says to have.
    package mutating func bytes(of member: Member) throws(ArchiveError) -> [UInt8] {
        guard member.bytesCount <= bytesLeft else { throw .tooLarge }
        guard let file = unsafe zip_fopen_index(handle, member.index, 0) else {
            throw .notReadable
        }
        defer { unsafe zip_fclose(file) }
        // The list may lie: what comes out is counted too, with one byte more to see it.
        var bytes = [UInt8](repeating: 0, count: member.bytesCount + 1)
        var end = 0
        while end < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
                return unsafe zip_fread(file, rest.baseAddress, zip_uint64_t(rest.count))
            }
            guard count >= 0 else { throw .notReadable }
            guard count > 0 else { break }
            end += Int(count)
        }
        guard end <= member.bytesCount else { throw .tooLarge }
        guard end == member.bytesCount else { throw .notReadable }
        bytes.removeLast()
        bytesLeft -= end
        return bytes
    }
}

/// Why an archive cannot be read.
package enum ArchiveError: Error, Equatable {
    /// It is no archive, or a part of one.
    case notReadable
    case encrypted
    case tooManyFiles
    /// More bytes come out of it than may be.
    case tooLarge
}
