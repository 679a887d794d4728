internal import KSImporting

/// A format of files: what reads it and what writes it.
///
/// A new one is a file of its own and a line of ``all``.
package struct EntryFormat: Sendable {
    /// The word of `--format`.
    package let name: String
    /// Whether a file is of this format, by its content; nil for one that is only written.
    let isFormat: (@Sendable (JSONOutline) -> Bool)?
    let read: (@Sendable ([UInt8]) throws(MovingError) -> ReadEntries)?
    /// `time`: now, in milliseconds since 1970, for what has none.
    package let write: (@Sendable (_ entries: [Entry], _ time: Int64) -> WrittenEntries)?

    /// Those that programs can be given, in the order of help.
    package static let all: [EntryFormat] = [
        .keychainSync, .bitwarden, .chrome, .firefox, .apple, .keepassxc,
    ]

    package static func named(_ name: String) -> EntryFormat? { all.first { $0.name == name } }

    package static var writableNames: [String] { all.filter { $0.write != nil }.map(\.name) }

    /// The most entries of a file.
    static let entriesMax = 100_000

    /// Whether a file is JSON; all else is a table.
    package static func isJSON(_ bytes: [UInt8]) -> Bool { JSONScanner.isObject(bytes) }

    /// Reads a file of any known format, which its content says.
    ///
    /// `format`: the name of the format that it has to be; nil for any.
    ///
    /// - Returns: what is in the file.
    /// - Throws: ``MovingError`` if nothing of it can be read; nothing is taken then.
    package static func readFile(
        _ bytes: [UInt8],
        format: String? = nil
    ) throws(MovingError) -> ReadEntries {
        guard isJSON(bytes) else {
            let named = format.flatMap(ImportFormat.init(rawValue:))
            if let format, named == nil { throw .otherFormat(format) }
            return try ReadEntries(table: bytes, format: named)
        }
        let outline = try JSONOutline(bytes)
        guard let found = all.first(where: { $0.isFormat?(outline) == true }) else {
            throw .unknownFormat
        }
        if let format, format != found.name { throw .otherFormat(format) }
        guard let read = found.read else { throw .unknownFormat }
        return try read(bytes)
    }
}

/// The members of a file that is one object, without the long ones.
struct JSONOutline {
    private(set) var members: [String: JSONTree] = [:]
    /// The names of members that are lists or objects.
    private(set) var long: Set<String> = []

    /// - Throws: ``MovingError`` if the file is no JSON, wherever its fault is.
    init(_ bytes: [UInt8]) throws(MovingError) {
        var scanner = JSONScanner(bytes)
        var members: [String: JSONTree] = [:]
        var long: Set<String> = []
        try scanner.object { name, scanner throws(MovingError) in
            if let next = scanner.peek(), "{[".utf8.contains(next) {
                try scanner.skip()
                long.insert(name)
            } else {
                members[name] = try scanner.tree()
            }
        }
        try scanner.end()
        (self.members, self.long) = (members, long)
    }

    func has(_ name: String) -> Bool { long.contains(name) || members[name] != nil }
}
