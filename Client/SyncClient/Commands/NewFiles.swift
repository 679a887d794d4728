internal import Glibc
internal import KSEveryday
internal import KSFiles
internal import KSImporting
internal import KSMoving

/// Writes what a writer of entries has made into new files that only their user can access.
enum NewFiles {
    /// The paths of the files: further ones have a number before the ending.
    static func paths(_ path: String, count: Int) -> [String] {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
        let (start, ending) = (path.dropLast(name[dot...].count), name[dot...])
        return (1...max(1, count)).map { $0 == 1 ? path : "\(start)-\($0)\(ending)" }
    }

    /// Writes all files or none, and replaces none.
    ///
    /// - Returns: their paths.
    /// - Throws: ``FileError/exists`` if one is there already.
    static func write(
        _ files: [[UInt8]],
        to path: String
    ) throws(FileError) -> [String] {
        let paths = paths(path, count: files.count)
        var written: [String] = []
        do throws(FileError) {
            for (bytes, path) in zip(files, paths) {
                var file = try ReplacementFile(for: path, replaces: false)
                try file.write(bytes)
                try file.finish(permissions: 0o600)
                written.append(path)
            }
        } catch {
            for path in written { unsafe unlink(path) }
            throw error
        }
        return paths
    }

    /// The file that is there already; the first one if none of them can be found.
    static func present(_ path: String, count: Int) -> String {
        paths(path, count: count).first { unsafe access($0, F_OK) == 0 } ?? path
    }

    /// Now, in milliseconds since 1970, for entries whose source says no time.
    static var milliseconds: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}

/// The words about what a file cannot hold.
enum EntryLines {
    /// What a format never holds, once for all entries.
    static func sentence(_ unheld: UnheldPart, format: String) -> String {
        let entries = unheld.count == 1 ? "entry" : "entries"
        return "The format \(format) never holds \(unheld.part), which \(unheld.count) \(entries)"
            + " \(unheld.count == 1 ? "has" : "have")."
    }

    /// The numbers of entries that are left out; nil without any.
    static func leftOut(_ notes: [EntryNote], unit: String = "Entry") -> String? {
        let numbers = Set(notes.filter(\.reason.isOfEntry).map(\.entry)).sorted()
        guard !numbers.isEmpty else { return nil }
        let were = numbers.count == 1 ? "was" : "were"
        let shown = RowNumbers.text(Array(numbers.prefix(50)))
        return "\(counted(numbers.count, unit)) \(were) left out:"
            + " \(shown)\(numbers.count > 50 ? ", …" : "")."
    }

    /// How many entries are there only in part; nil without any.
    static func partly(_ notes: [EntryNote], unit: String = "Entry") -> String? {
        let whole = Set(notes.filter(\.reason.isOfEntry).map(\.entry))
        let parts = Set(notes.filter(\.reason.isLoss).map(\.entry)).subtracting(whole)
        guard !parts.isEmpty else { return nil }
        return "\(counted(parts.count, unit)) \(parts.count == 1 ? "lacks" : "lack") a part."
    }

    private static func counted(_ count: Int, _ unit: String) -> String {
        let word = unit == "Row" ? ["row", "rows"] : ["entry", "entries"]
        return "\(count) \(word[count == 1 ? 0 : 1])"
    }

    /// A note as a member of an answer in JSON.
    static func json(_ note: EntryNote, unit: String) -> JSONValue {
        .object([
            ("entry", .number(Int64(note.entry))), ("title", .text(note.title)),
            ("part", .text(note.part)), ("reason", .text(note.reason.rawValue)),
            ("leftOut", .bool(note.reason.isLoss)), ("sentence", .text(note.sentence(of: unit))),
        ])
    }

    static func json(_ unheld: UnheldPart) -> JSONValue {
        .object([("part", .text(unheld.part)), ("entries", .number(Int64(unheld.count)))])
    }
}
