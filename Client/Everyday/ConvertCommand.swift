internal import Glibc
internal import KSFiles
internal import KSMoving

// `convert`: from one program's file to another's, without the keychain.
extension Everyday {
    static let convertOptions = WordOptions.Accepted(valued: ["format", "from"])

    func convert(_ options: WordOptions) throws {
        guard options.names.count == 2 else {
            throw EverydayFailure.usage("name the file to read and the file to write")
        }
        let (source, target) = (options.names[0], options.names[1])
        let known = EntryFormat.writableNames.joined(separator: ", ")
        guard let name = options.text("format"), let format = EntryFormat.named(name),
            let write = format.write
        else { throw EverydayFailure.usage("give --format, one of \(known)") }
        guard unsafe access(target, F_OK) != 0 else {
            throw EverydayFailure("\(target) is there already; name a new file")
        }
        let bytes = try self.read(source)
        let read: ReadEntries
        do throws(MovingError) {
            read = try EntryFormat.readFile(bytes, format: options.text("from"))
        } catch {
            throw EverydayFailure(error.sentence)
        }
        var written = write(read.entries, NewFiles.milliseconds)
        // A writer counts what it was given; people know the numbers of the file that is read.
        written.notes = written.notes.map { note in
            var note = note
            note.entry = read.numbers[note.entry - 1]
            return note
        }
        let notes = (read.notes + written.notes).sorted { $0.entry < $1.entry }
        let paths: [String]
        do throws(FileError) {
            paths = try NewFiles.write(written.files, to: target)
        } catch {
            throw EverydayFailure("\(target) cannot be written: \(error.text)")
        }
        report(read, written, notes, paths: paths, format: name, options)
        if notes.hasLoss { throw SilentEnd(status: 1) }
    }

    private func report(
        _ read: ReadEntries,
        _ written: WrittenEntries,
        _ notes: [EntryNote],
        paths: [String],
        format: String,
        _ options: WordOptions
    ) {
        let held = read.entries.count - written.leftOutCount
        if options.has("json") {
            let answer = JSONValue.object([
                ("from", .text(read.format)), ("format", .text(format)),
                ("files", .list(paths.map { .text($0) })),
                ("entries", .number(Int64(read.count))), ("held", .number(Int64(held))),
                ("leftOut", .number(Int64(notes.leftOutCount))),
                ("notes", .list(notes.map(EntryLines.json))),
                ("neverHeld", .list(written.unheld.map(EntryLines.json))),
            ])
            return say(answer.text + "\n")
        }
        for note in notes { complain(note.sentence) }
        for unheld in written.unheld {
            complain(EntryLines.sentence(unheld, format: format))
        }
        let files = paths.map { Printable.text($0) }.joined(separator: ", ")
        say("\(held) of \(read.count) from \(read.format) to \(format): \(files)\n")
        for line in [EntryLines.leftOut(notes), EntryLines.partly(notes)] {
            if let line { say(line + "\n") }
        }
    }
}
