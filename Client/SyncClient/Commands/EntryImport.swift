internal import KSAgent
internal import KSBytes
internal import KSDaemon
internal import KSEveryday
internal import KSMoving
internal import KSRPC

/// Imports a file of entries: reads it here, and sends the daemon a part after the other.
struct EntryImport {
    private let bytes: [UInt8]
    private let format: String?
    private let answer: AnswerOptions

    /// Entries in one transaction: few enough that other programs do not wait.
    private static let batchEntries = 200
    /// Parts of entries in one call, which has a limit of values.
    private static let batchPartsMax = 20_000
    /// Keeps a call far below the size that the daemon takes.
    private static let batchBytesMax = 8 << 20

    init(_ bytes: [UInt8], format: String?, answer: AnswerOptions) {
        (self.bytes, self.format, self.answer) = (bytes, format, answer)
    }

    /// - Returns: whether everything was taken.
    func run(prefer: String?, dryRun: Bool) throws -> Bool {
        let read: ReadEntries
        do throws(MovingError) {
            read = try EntryFormat.readFile(bytes, format: format)
        } catch {
            throw CommandFailure(error)
        }
        if !dryRun { _ = try answer.home.madeHome(expectsOne: true) }
        let placing = EntryPlacing(read)
        var taken = TakenEntries()
        taken.notes = placing.notes
        // The daemon takes the newer value unless the call says otherwise.
        let prefer = prefer == "newer" ? nil : prefer
        try send(placing, &taken, prefer: prefer, dryRun: dryRun)
        taken.notes.sort { $0.entry < $1.entry }
        show(read, taken, dryRun: dryRun)
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
        let total = placing.entries.count
        var start = 0
        while start < total {
            let end = Self.end(ofBatchFrom: start, placing.entries)
            let call = ImportEntries(
                entries: Array(placing.entries[start..<end]),
                numbers: placing.numbers[start..<end].map { Int64($0) },
                prefer: prefer,
                dryRun: dryRun
            )
            do throws(CommandFailure) {
                taken += try answer.home.call(call)
            } catch {
                guard start > 0, error.exit == .diskTrouble else { throw error }
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
        }
    }

    private static func end(ofBatchFrom start: Int, _ entries: [Entry]) -> Int {
        var (end, parts, bytes) = (start, 0, 0)
        while end < entries.count, end - start < batchEntries {
            let entry = entries[end]
            parts += 1 + entry.fields.count + entry.history.count + entry.tags.count
            parts += entry.addresses.count + entry.attributes.count
            bytes += entry.byteCount
            if end > start, parts > batchPartsMax || bytes > batchBytesMax { break }
            end += 1
        }
        return end
    }

    private func show(_ read: ReadEntries, _ taken: TakenEntries, dryRun: Bool) {
        for note in taken.notes { Console.warn(note.sentence) }
        let json: AgentValue = [
            "format": .string(read.format), "dryRun": .bool(dryRun),
            "entries": .integer(Int64(read.count)), "added": .integer(Int64(taken.added)),
            "changed": .integer(Int64(taken.changed)),
            "unchanged": .integer(Int64(taken.unchanged)), "kept": .integer(Int64(taken.kept)),
            "leftOut": .integer(Int64(taken.notes.leftOutCount)),
            "notes": EntryNoteLines.json(taken.notes),
        ]
        answer.say(EntryNoteLines.lines(read, taken, dryRun: dryRun), json: json)
    }
}

/// The lines that report what an import of entries did.
enum EntryNoteLines {
    static func lines(_ read: ReadEntries, _ taken: TakenEntries, dryRun: Bool) -> [String] {
        let be = dryRun ? "would be " : ""
        var lines = [
            "Format: \(read.format).",
            "\(counted(read.count, "entry", "entries")): \(taken.added) \(be)added,"
                + " \(taken.changed) \(be)changed, \(taken.unchanged)"
                + " \(taken.unchanged == 1 ? "was" : "were") there already.",
        ]
        if taken.kept > 0 {
            lines.append(
                "\(taken.kept) \(taken.kept == 1 ? "has" : "have") other values, which stay current"
                    + " since they are newer."
            )
        }
        lines += [EntryLines.leftOut(taken.notes), EntryLines.partly(taken.notes)]
            .compactMap(\.self)
        return lines
    }

    static func json(_ notes: [EntryNote]) -> AgentValue {
        .array(
            notes.map { note in
                .dictionary([
                    "entry": .integer(Int64(note.entry)), "title": .string(note.title),
                    "part": .string(note.part), "reason": .string(note.reason.rawValue),
                    "leftOut": .bool(note.reason.isLoss), "sentence": .string(note.sentence),
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
