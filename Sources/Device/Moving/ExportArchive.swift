internal import KSArchives

/// An export that is a ZIP archive: a JSON file with the entries, and their attachments.
enum ExportArchive {
    /// What an archive may unpack to beyond its own size, in bytes.
    ///
    /// What is read of it takes as much again.
    private static let extraBytesMax = 32 << 20
    /// As large as an attachment of an item may be.
    static let attachmentBytesMax = 1 << 20

    /// An attachment that an entry names.
    struct Attachment {
        /// The entry's place in ``ReadEntries/entries``.
        let entry: Int
        let number: Int
        let name: String
        /// The names that its file in the archive may have.
        let paths: [String]
        /// What such a name may begin with.
        var prefix: String?
    }

    /// The names of the files; nil for all else and for a damaged archive.
    static func names(_ file: SourceFile) -> [String]? {
        guard Archive.isArchive(file.bytes) else { return nil }
        // A damaged archive is of no known format, which `fault` tells.
        return try? read(file)
    }

    /// Why an archive of no known format cannot be taken; nil for all other files.
    static func fault(_ file: SourceFile) -> MovingError? {
        guard Archive.isArchive(file.bytes) else { return nil }
        do throws(ArchiveError) {
            _ = try read(file)
            return .unknownArchive
        } catch {
            return .archive(error)
        }
    }

    private static func read(_ file: SourceFile) throws(ArchiveError) -> [String] {
        try Archive.read(file.bytes, bytesMax: 0) { $0.members.map(\.name) }
    }

    /// Unpacks the first file that fits; nil without one.
    static func bytes(
        _ file: SourceFile,
        where isWanted: (String) -> Bool
    ) throws(MovingError) -> [UInt8]? {
        do throws(ArchiveError) {
            return try Archive.read(file.bytes, bytesMax: file.bytes.count + extraBytesMax) {
                archive throws(ArchiveError) in
                guard let member = archive.members.first(where: { isWanted($0.name) }) else {
                    return nil
                }
                return try archive.bytes(of: member)
            }
        } catch {
            throw .archive(error)
        }
    }

    /// Adds the attachments to their entries, and names those that are not taken.
    static func add(
        _ attachments: [Attachment],
        of file: SourceFile,
        to result: inout ReadEntries
    ) throws(MovingError) {
        guard !attachments.isEmpty else { return }
        // Somebody has unpacked the JSON file by hand.
        guard !file.isJSON else {
            for attachment in attachments { note(attachment, missing, in: &result) }
            return result.notes.sort { $0.entry < $1.entry }
        }
        do throws(ArchiveError) {
            try Archive.read(file.bytes, bytesMax: file.bytes.count + extraBytesMax) {
                archive throws(ArchiveError) in
                var places: [String: Int] = [:]
                // By what is before the name of its own.
                var prefixes: [Substring: Int] = [:]
                for (place, member) in archive.members.enumerated() {
                    places[member.name] = place
                    guard let end = member.name.firstRange(of: "__")?.upperBound else { continue }
                    let prefix = member.name[..<end]
                    prefixes[prefix] = prefixes[prefix] ?? place
                }
                for attachment in attachments {
                    let place =
                        attachment.paths.lazy.compactMap { places[$0] }.first
                        ?? attachment.prefix.flatMap { prefixes[$0[...]] }
                    let member = place.map { archive.members[$0] }
                    try add(attachment, member, &archive, to: &result)
                }
            }
        } catch {
            throw .archive(error)
        }
        result.notes.sort { $0.entry < $1.entry }
    }

    private static func add(
        _ attachment: Attachment,
        _ member: Archive.Member?,
        _ archive: inout Archive,
        to result: inout ReadEntries
    ) throws(ArchiveError) {
        guard let member else { return note(attachment, missing, in: &result) }
        guard member.bytesCount <= attachmentBytesMax else {
            let detail = ", which is larger than \(attachmentBytesMax) bytes"
            return note(attachment, detail, in: &result)
        }
        let bytes = try archive.bytes(of: member)
        result.entries[attachment.entry].fields.append(.init(attachment.name, "file", bytes))
    }

    private static let missing = ", which is not in the file"

    private static func note(
        _ attachment: Attachment,
        _ detail: String,
        in result: inout ReadEntries
    ) {
        result.notes.append(
            EntryNote(
                attachment.number,
                title: result.entries[attachment.entry].title,
                part: "the attachment \(attachment.name)",
                .partNotHeld,
                detail: detail
            )
        )
    }
}
