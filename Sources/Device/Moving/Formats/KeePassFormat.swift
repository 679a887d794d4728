internal import KSKeePass

// Databases of KeePass, KeePassXC and their kin, and the XML that these programs export.

extension EntryFormat {
    static let kdbx = EntryFormat(
        name: "kdbx",
        isFormat: { KeePassReader.isDatabase($0.bytes) },
        read: { file throws(MovingError) in
            // Before somebody types a password that opens nothing here.
            guard !KeePassReader.isOfFirstGeneration(file.bytes) else { throw .firstKeePass }
            guard file.password != nil || file.keyFile != nil else { throw .passwordNeeded }
            let key = KeePassKey(password: file.password, keyFile: file.keyFile)
            return try readKeePass("kdbx", file.bytes) { take throws(KeePassError) in
                try KeePassReader.read(file.bytes, key: key, entriesMax: entriesMax, take: take)
            }
        },
        write: { entries, target throws(MovingError) in try writeKeePass(entries, target) },
        isEncrypted: true,
        takesKeyFile: true
    )

    static let keepassXML = EntryFormat(
        name: "keepass-xml",
        isFormat: { KeePassReader.isXML($0.bytes) },
        read: { file throws(MovingError) in
            try readKeePass("keepass-xml", file.bytes) { take throws(KeePassError) in
                try KeePassReader.readXML(file.bytes, entriesMax: entriesMax, take: take)
            }
        },
        write: nil
    )

    private typealias Take = (KeePassEntry, _ group: Int) -> Void

    private static func readKeePass(
        _ format: String,
        _ file: [UInt8],
        _ read: (@escaping Take) throws(KeePassError) -> KeePassDatabase
    ) throws(MovingError) -> ReadEntries {
        // A class, since the reader keeps what it calls.
        let gathered = KeePassEntries()
        let database: KeePassDatabase
        do throws(KeePassError) {
            database = try read { gathered.add($0, group: $1) }
        } catch {
            throw MovingError(error)
        }
        return try gathered.result(format, database, of: file)
    }
}

/// Gathers the entries of a database while it is read.
private final class KeePassEntries {
    private var entries: EntryList = []
    private var groups: [Int] = []
    private var ids: [[UInt8]] = []
    private var notes: [[EntryNote]] = []

    func add(_ source: KeePassEntry, group: Int) {
        var list = NoteList()
        list.begin(
            entries.count + 1,
            source["Title"].map { String(decoding: $0, as: UTF8.self) } ?? ""
        )
        let reader = KeePassEntryReader(source, &list)
        entries.append(reader.entry)
        groups.append(group)
        ids.append(source.id)
        notes.append(list.notes)
    }

    func result(
        _ format: String,
        _ database: KeePassDatabase,
        of file: [UInt8]
    ) throws(MovingError) -> ReadEntries {
        var references = KeePassReferences(entries, ids: ids)
        let areInBin = database.areInBin
        var paths: [Int: String] = [:]
        var result = ReadEntries(format: format, of: file)
        result.count = entries.count
        for (index, group) in groups.enumerated() {
            let number = index + 1
            guard !areInBin[group] else {
                let title = entries[index].shownTitle
                result.notes.append(EntryNote(number, title: title, .inTrash))
                continue
            }
            var list = NoteList()
            list.begin(number, entries[index].shownTitle)
            var entry = references.resolve(entries[index], &list)
            let path = paths[group] ?? database.path(of: group).joined(separator: "/")
            paths[group] = path
            if !path.isEmpty, !entry.tags.contains(path) { entry.tags.insert(path, at: 0) }
            try result.append(ofFile: entry, number: number)
            result.notes += notes[index] + list.notes
        }
        result.remarks = remarks(database)
        return result
    }

    private func remarks(_ database: KeePassDatabase) -> [String] {
        var remarks: [String] = []
        if database.hasStaleHash {
            remarks.append(
                "The hash of the header in this file is that of an earlier header, as pykeepass"
                    + " leaves it; the entries are read nevertheless."
            )
        }
        let areInBin = database.areInBin
        let groups = database.groups.indices.count { index in
            database.groups[index].hasOthers && !areInBin[index]
        }
        if groups > 0 {
            let have = groups == 1 ? "1 group has" : "\(groups) groups have"
            remarks.append("\(have) a note, an icon, tags or settings, which are not taken.")
        }
        return remarks
    }
}

extension MovingError {
    fileprivate init(_ error: KeePassError) {
        self =
            switch error {
            case .notKeePass: .unknownFormat
            case .firstGeneration: .firstKeePass
            case .newerVersion: .newerVersion
            case .damaged: .damaged
            case .wrongPassword: .wrongPassword
            case .tooCostly: .tooCostly
            case .unknownCipher: .unknownCipher
            case .tooLarge: .tooLarge
            case .tooManyEntries: .tooManyEntries(max: EntryFormat.entriesMax)
            case .notXML(let line): .notXML(line: line)
            case .hostileXML: .hostileXML
            }
    }
}
