internal import KSImporting

/// A format of files: what reads it and what writes it.
///
/// A new one is a file of its own and a line of ``all``.
package struct EntryFormat: Sendable {
    /// The word of `--format`.
    package let name: String
    /// Whether a file is of this format, by its content; nil for one that is only written, and for
    /// a table.
    let isFormat: (@Sendable (SourceFile) -> Bool)?
    let read: (@Sendable (SourceFile) throws(MovingError) -> ReadEntries)?
    package let write: (@Sendable (EntryList, TargetFile) throws(MovingError) -> WrittenEntries)?
    /// Whether its files are encrypted, so that a writer needs a password.
    package var isEncrypted = false
    /// Whether a key file can open its files.
    package var takesKeyFile = false

    /// Those that programs can be given, in the order of help.
    package static let all: [EntryFormat] = [
        .keychainSync, .bitwarden, .bitwardenEncrypted, .chrome, .firefox, .apple, .keepassxc,
        .kdbx, .keepassXML, .cxf, .onePassword, .protonPass, .gitCredentials, .netrc,
    ]

    package static func named(_ name: String) -> EntryFormat? { all.first { $0.name == name } }

    package static var writableNames: [String] { all.filter { $0.write != nil }.map(\.name) }

    /// The most entries of a file.
    static let entriesMax = 100_000
    /// The most bytes of an entry in its file: reading takes several times as much memory.
    static let entryBytesMax = 8 << 20

    /// Reads a file of any known format, which its content says.
    ///
    /// `format`: the name of the format that it has to be; nil for any.
    ///
    /// - Returns: what is in the file.
    /// - Throws: ``MovingError`` if nothing of it can be read; nothing is taken then.
    package static func readFile(
        _ file: SourceFile,
        format: String? = nil
    ) throws(MovingError) -> ReadEntries {
        var file = file
        try file.scan()
        // A file may be of several formats, of which the user names one.
        let fitting = all.filter { $0.isFormat?(file) == true }
        guard let found = fitting.first(where: { $0.name == format }) ?? fitting.first else {
            // A list of JSON, such as some programs write, is no table.
            guard !file.isJSON, !JSONScanner.isList(file.bytes) else { throw .unknownFormat }
            if let fault = ExportArchive.fault(file) { throw fault }
            let named = format.flatMap(TableLayout.named)
            if let format, named == nil { throw .otherFormat(format) }
            return try ReadEntries(table: file.bytes, format: named, map: file.map)
        }
        guard file.map == nil else { throw .mapOfOther }
        if let format, format != found.name { throw .otherFormat(format) }
        guard let read = found.read else { throw .unknownFormat }
        return try read(file)
    }
}

extension EntryFormat {
    /// Reads a file, and asks for its password when it does not open without.
    ///
    /// `ask`: gives the password that somebody has typed.
    ///
    /// - Throws: ``MovingError``, or the error of `ask`.
    package static func readFile(
        _ file: SourceFile,
        format: String?,
        askingPassword ask: () throws -> [UInt8]
    ) throws -> ReadEntries {
        do throws(MovingError) {
            return try readFile(file, format: format)
        } catch {
            // A key file alone may have been too little.
            guard file.password == nil, [.passwordNeeded, .wrongPassword].contains(error) else {
                throw error
            }
        }
        var file = file
        file.password = try ask()
        return try readFile(file, format: format)
    }
}

/// The members of a file that is one object, without the long ones.
struct JSONOutline: Sendable {
    private(set) var members: [String: JSONTree] = [:]
    /// The most bytes of a member that is kept.
    private static let memberBytesMax = 1 << 16

    /// The names of members that are lists, objects or long.
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
            } else if let value = try scanner.tree(bytesMax: Self.memberBytesMax) {
                members[name] = value
            } else {
                long.insert(name)
            }
        }
        try scanner.end()
        (self.members, self.long) = (members, long)
    }

    func has(_ name: String) -> Bool { long.contains(name) || members[name] != nil }
}
