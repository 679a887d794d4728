internal import Glibc
internal import KSDaemon
internal import KSEveryday
internal import KSFiles
internal import KSMoving
internal import KSPassFolders
internal import KSRunning

// `convert`: from one program's file to another's, without the keychain.
extension Everyday {
    private static let sourceBytesMax = 256_000_000

    func convert(_ options: WordOptions) throws {
        guard options.names.count == 2 else {
            throw EverydayFailure.usage("name the file to read and the file to write")
        }
        let (source, target) = (options.names[0], options.names[1])
        let known = EntryFormat.writableNames.joined(separator: ", ")
        guard let name = options.text("format"), let format = EntryFormat.named(name),
            let write = format.write
        else { throw EverydayFailure.usage("give --format, one of \(known)") }
        try check(format, options)
        guard unsafe access(target, F_OK) != 0 else {
            throw EverydayFailure("\(target) is there already; name a new file")
        }

        let read: ReadEntries
        var written: WrittenEntries
        do {
            read = try entries(source, options)
            written = try write(read.entries, try self.target(format, options))
        } catch let error as MovingError {
            throw EverydayFailure(error.sentence)
        }
        written.notes = numbered(written.notes, of: read)
        let notes = (read.notes + written.notes).sorted { $0.entry < $1.entry }
        let paths: [String]
        do throws(FileError) {
            paths = try NewFiles.write(written.files, to: target)
        } catch .exists {
            let present = NewFiles.present(target, count: written.files.count)
            throw EverydayFailure("\(present) is there already; move it or name another file")
        } catch {
            throw EverydayFailure(
                "\(target) cannot be written: \(error.text)",
                status: CommandFailure.Exit.diskTrouble.rawValue
            )
        }
        report(read, written, notes, paths: paths, format: name, options)
        if notes.hasLoss { throw SilentEnd(status: 1) }
    }

    /// The notes of a writer, which counts what it was given, with the numbers of the file that is
    /// read, which people know.
    ///
    /// An entry of the file may have become several: what is left out of them is a part of it.
    private func numbered(_ notes: [EntryNote], of read: ReadEntries) -> [EntryNote] {
        let leftOut = Set(notes.filter(\.reason.isOfEntry).map(\.entry))
        let held = Set(
            read.numbers.enumerated().filter { !leftOut.contains($0.offset + 1) }.map(\.element)
        )
        return notes.map { note in
            var numbered = note
            numbered.entry = read.numbers[note.entry - 1]
            guard note.reason.isOfEntry, held.contains(numbered.entry) else { return numbered }
            let type = read.entries[note.entry - 1].type
            return EntryNote(numbered.entry, title: note.title, part: "the \(type)", .partNotHeld)
        }
    }

    /// The user's own meaning of columns; nil without one.
    private func columnMap(_ options: WordOptions) throws -> ColumnMap? {
        let pairs = options.texts("map")
        guard !pairs.isEmpty else { return nil }
        guard let map = ColumnMap(pairs) else {
            let words = TableRole.words.map(\.word).joined(separator: ", ")
            throw EverydayFailure.usage("--map takes COLUMN=FIELD; the fields are \(words)")
        }
        return map
    }

    /// What is in the file, or in the folder of `pass`.
    private func entries(_ path: String, _ options: WordOptions) throws -> ReadEntries {
        let format = options.text("from")
        guard PassFolder.isFolder(path) else {
            var file = try self.source(path, options)
            file.map = try columnMap(options)
            return try EntryFormat.readFile(file, format: format) {
                try filePassword("Password of \(path): ", option: "password-file")
            }
        }
        let folder = PassFolder(path)
        guard format == PassEntries.formatName || format == nil && folder.isPass else {
            throw EverydayFailure(
                "\(path) is a folder, but not a store of pass: it has no .gpg-id; name a file, or"
                    + " give --from pass for a part of one"
            )
        }
        do throws(RunError) {
            return try folder.read()
        } catch {
            throw EverydayFailure("the files cannot be decrypted: \(error)")
        }
    }

    /// The file to read, with what opens it as far as the options give it.
    private func source(_ path: String, _ options: WordOptions) throws -> SourceFile {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try OpenFile(reading: path).contents(bytesMax: Self.sourceBytesMax)
        } catch {
            throw EverydayFailure("\(path) cannot be read: \(error.text)")
        }
        return SourceFile(
            bytes,
            name: path.split(separator: "/").last.map(String.init) ?? "",
            password: try options.text("password-file").map(secret(ofFile:)),
            keyFile: try options.text("key-file").map(self.read)
        )
    }

    /// What the new file is made with; asks for a password twice if it is encrypted.
    private func target(_ format: EntryFormat, _ options: WordOptions) throws -> TargetFile {
        let (passwordFile, keyFile) = (
            options.text("new-password-file"), options.text("new-key-file")
        )
        guard format.isEncrypted else { return TargetFile(time: NewFiles.milliseconds) }
        let key = try keyFile.map(self.read)
        let password: [UInt8]
        if let passwordFile {
            password = try secret(ofFile: passwordFile)
        } else {
            password = try filePassword("New password: ", option: "new-password-file")
            if console.isInteractive {
                let again = try filePassword("Repeat it: ", option: "new-password-file")
                guard again == password else {
                    throw EverydayFailure("the passwords differ; try again")
                }
            }
        }
        guard !password.isEmpty else { throw MovingError.emptyPassword }
        return TargetFile(time: NewFiles.milliseconds, password: password, keyFile: key)
    }

    private func filePassword(_ prompt: String, option: String) throws -> [UInt8] {
        do throws(Failure) {
            return try console.askPassword(prompt)
        } catch {
            guard error == .noTerminal else { throw error }
            throw EverydayFailure(
                "there is no terminal to ask for the password on; give --\(option) FILE, or - for"
                    + " standard input"
            )
        }
    }

    /// Refuses an option about passwords that the new file does not take.
    private func check(_ format: EntryFormat, _ options: WordOptions) throws {
        let given = ["new-password-file", "new-key-file"].first { options[$0] != nil }
        if !format.isEncrypted, let given {
            throw EverydayFailure.usage(
                "the format \(format.name) is not encrypted: leave out --\(given)"
            )
        }
        if !format.takesKeyFile, options["new-key-file"] != nil {
            throw EverydayFailure.usage(MovingError.noKeyFile(format: format.name).sentence)
        }
        if options.text("password-file") == "-", options.text("new-password-file") == "-" {
            throw EverydayFailure.usage("only one of the passwords can be on standard input")
        }
    }

    private func report(
        _ read: ReadEntries,
        _ written: WrittenEntries,
        _ notes: [EntryNote],
        paths: [String],
        format: String,
        _ options: WordOptions
    ) {
        let held = Set(read.numbers).count - written.leftOutCount
        if options.has("json") {
            let answer = JSONValue.object([
                ("from", .text(read.format)), ("format", .text(format)),
                ("files", .list(paths.map { .text($0) })),
                ("entries", .number(Int64(read.count))), ("held", .number(Int64(held))),
                ("leftOut", .number(Int64(notes.leftOutCount))),
                ("notes", .list(notes.map { EntryLines.json($0, unit: read.unit) })),
                ("remarks", .list(read.remarks.map { .text($0) })),
                ("neverHeld", .list(written.unheld.map(EntryLines.json))),
            ])
            return say(answer.text + "\n")
        }
        for remark in read.remarks { complain(remark) }
        for note in notes { complain(note.sentence(of: read.unit)) }
        for unheld in written.unheld {
            complain(EntryLines.sentence(unheld, format: format))
        }
        let files = paths.map { Printable.text($0) }.joined(separator: ", ")
        say("\(held) of \(read.count) from \(read.format) to \(format): \(files)\n")
        for line in [
            EntryLines.leftOut(notes, unit: read.unit), EntryLines.partly(notes, unit: read.unit),
        ] {
            if let line { say(line + "\n") }
        }
    }
}
