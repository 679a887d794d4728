internal import KSAgent
internal import KSBytes
internal import KSDaemon
internal import KSEveryday
internal import KSMoving
internal import KSRPC

/// Imports a file of entries: reads it here, and sends the daemon a part after the other.
struct EntryImport {
    private var read: ReadEntries
    private let answer: AnswerOptions
    /// Takes the entries of a dry run where no device has begun; nil for the device.
    private var empty: EmptyKeychain?

    /// Entries in one transaction: few enough that other programs do not wait.
    private static let batchEntries = 250
    /// The same where all have one site and user name.
    private static let groupEntriesMax = 1000
    /// Parts of entries in one call, which has a limit of values.
    private static let batchPartsMax = 20_000
    /// Keeps a call far below the size that the daemon takes.
    private static let batchBytesMax = 8 << 20

    init(_ read: ReadEntries, answer: AnswerOptions) {
        (self.read, self.answer) = (read, answer)
    }

    static func read(_ file: SourceFile, format: String?) throws -> ReadEntries {
        do {
            return try EntryFormat.readFile(file, format: format) {
                try PromptedSecret.filePassword.read(file: nil, isNew: false)
            }
        } catch let error as MovingError {
            throw CommandFailure(error)
        }
    }

    /// - Returns: whether everything was taken.
    mutating func run(prefer: String?, dryRun: Bool) throws -> Bool {
        if !dryRun {
            _ = try answer.home.madeHome(expectsOne: true)
        } else if let path = AgentHome.unused(argument: answer.home.home) {
            empty = try EmptyKeychain()
            read.remarks.append(
                "There is no device at \(path) yet: this is what an import into a new one does."
            )
        }
        let placing = EntryPlacing(taking: &read)
        if !placing.assumed.isEmpty {
            let unit = read.unit.lowercased()
            read.remarks.append(EntryPlacing.remark(ofAssumed: placing.assumed, unit: unit))
        }
        var taken = TakenEntries()
        taken.notes = placing.notes
        // The daemon takes the newer value unless the call says otherwise.
        let prefer = prefer == "newer" ? nil : prefer
        try send(placing, &taken, prefer: prefer, dryRun: dryRun)
        taken.notes.sort { $0.entry < $1.entry }
        show(read, taken, placing.repeated.count, dryRun: dryRun)
        return !taken.notes.hasLoss
    }

    private func send(
        _ placing: EntryPlacing,
        _ taken: inout TakenEntries,
        prefer: String?,
        dryRun: Bool
    ) throws {
        let line = ProgressLine()
        defer { line.clear() }
        let order = placing.order
        let total = order.count
        var start = 0
        // A file without entries is a call too, which reports what is wrong with the home.
        repeat {
            let end = Self.end(ofBatchFrom: start, order, placing.entries)
            let call = ImportEntries(
                entries: order[start..<end].map { placing.entries[$0] },
                numbers: order[start..<end].map { Int64(placing.numbers[$0]) },
                prefer: prefer,
                // What is in memory alone stays for the next part.
                dryRun: dryRun && empty == nil,
                namesRealms: read.namesRealms
            )
            do throws(CommandFailure) {
                taken += try take(call)
            } catch {
                guard start > 0, !dryRun, error.exit == .diskTrouble else { throw error }
                throw CommandFailure(
                    code: .diskFullImport,
                    ["count": counted(start, "entry", "entries")]
                )
            }
            start = end
            line.show(
                AgentProgress(
                    done: UInt64(end),
                    total: UInt64(total),
                    text: "Importing entries"
                )
            )
        } while start < total
    }

    private func take(_ call: ImportEntries) throws(CommandFailure) -> TakenEntries {
        if let empty { return try empty.take(call) }
        return try answer.home.call(call)
    }

    /// Entries of one site and user name go together, since one may be what another one changes.
    private static func end(
        ofBatchFrom start: Int,
        _ order: [Int],
        _ entries: EntryList
    ) -> Int {
        var (end, parts, bytes) = (start, 0, 0)
        var last: [[UInt8]]?
        while end < order.count {
            let entry = entries[order[end]]
            let key = entry.twinKey
            let count = end - start
            if count >= batchEntries, key != last || count >= groupEntriesMax { break }
            last = key
            parts += 1 + entry.fields.count + entry.history.count + entry.tags.count
            parts += entry.addresses.count + entry.attributes.count
            bytes += entry.byteCount
            if end > start, parts > batchPartsMax || bytes > batchBytesMax { break }
            end += 1
        }
        return end
    }

    private func show(
        _ read: ReadEntries,
        _ taken: TakenEntries,
        _ repeated: Int,
        dryRun: Bool
    ) {
        for remark in read.remarks { Console.warn(remark) }
        for note in taken.notes { Console.warn(note.sentence(of: read.unit)) }
        let json: AgentValue = [
            "format": .string(read.format), "dryRun": .bool(dryRun),
            "entries": .integer(Int64(read.count)), "added": .integer(Int64(taken.added)),
            "changed": .integer(Int64(taken.changed)),
            "unchanged": .integer(Int64(taken.unchanged)), "kept": .integer(Int64(taken.kept)),
            "leftOut": .integer(Int64(taken.notes.leftOutCount)),
            "repeated": .integer(Int64(repeated)),
            "notes": EntryNoteLines.json(taken.notes, unit: read.unit),
            "remarks": .array(read.remarks.map { .string($0) }),
            "separator": .string(read.table?.separator ?? ""),
            "columns": .array((read.table?.columns ?? []).map { .string($0) }),
        ]
        answer.say(EntryNoteLines.lines(read, taken, repeated, dryRun: dryRun), json: json)
    }
}

/// The lines that report what an import of entries did.
enum EntryNoteLines {
    static func lines(
        _ read: ReadEntries,
        _ taken: TakenEntries,
        _ repeated: Int,
        dryRun: Bool
    ) -> [String] {
        let be = dryRun ? "would be " : ""
        let isTable = read.table != nil
        let count =
            isTable ? counted(read.count, "row") : counted(read.count, "entry", "entries")
        var lines = [
            format(read),
            "\(count): \(taken.added) \(be)added,"
                + " \(taken.changed) \(be)changed, \(taken.unchanged)"
                + " \(taken.unchanged == 1 ? "was" : "were") there already.",
        ]
        if taken.kept > 0 {
            lines.append(
                "\(taken.kept) \(taken.kept == 1 ? "has" : "have") other values, which stay"
                    + " current."
            )
        }
        if repeated > 0 {
            let unit = isTable ? counted(repeated, "row") : counted(repeated, "entry", "entries")
            lines.append("\(unit) \(repeated == 1 ? "repeats" : "repeat") an earlier one.")
        }
        lines += [
            EntryLines.leftOut(taken.notes, unit: read.unit),
            EntryLines.partly(taken.notes, unit: read.unit),
        ].compactMap(\.self)
        return lines
    }

    /// What the file is; of a table of an unknown program also the columns that are read.
    private static func format(_ read: ReadEntries) -> String {
        guard let table = read.table else { return "Format: \(read.format)." }
        let separator = table.separator == "comma" ? "" : ", with \(table.separator)s"
        let columns = table.columns.map(\.printable).joined(separator: ", ")
        let isOther = read.format == TableLayout.otherName
        return "Layout: \(read.format)\(separator)." + (isOther ? " Its columns: \(columns)." : "")
    }

    static func json(_ notes: [EntryNote], unit: String = "Entry") -> AgentValue {
        .array(
            notes.map { note in
                .dictionary([
                    "entry": .integer(Int64(note.entry)), "title": .string(note.title),
                    "part": .string(note.part), "reason": .string(note.reason.rawValue),
                    "leftOut": .bool(note.reason.isLoss),
                    "sentence": .string(note.sentence(of: unit)),
                ])
            }
        )
    }
}

extension CommandFailure {
    init(_ error: MovingError) {
        self.init(code: .importFailed, sentence: error.sentence)
    }
}

extension Entry {
    /// Roughly the bytes that it takes in a call.
    fileprivate var byteCount: Int {
        let texts = [title, place, userName, note, type].reduce(0) { $0 + $1.utf8.count }
        let fields = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
        return texts + fields + (secret?.count ?? 0)
            + history.reduce(0) { $0 + $1.value.count }
    }
}
