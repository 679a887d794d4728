internal import ArgumentParser
internal import Glibc
internal import KSAgent
internal import KSBytes
internal import KSDaemon
internal import KSEveryday
internal import KSFiles
internal import KSMoving
internal import KSRPC

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the items of this keychain into a file of another program.",
        discussion: """
            The formats: keychain-sync holds everything, and sync-client import reads it back; \
            bitwarden is Bitwarden's JSON; cxf is FIDO's Credential Exchange Format; chrome, \
            firefox, apple and keepassxc are the tables of these programs. These files are NOT \
            encrypted: delete them when the other program has them. bitwarden-encrypted, and kdbx, \
            a database of KeePass, are encrypted with a new password, which the command asks for.

            The command names each entry and part that the format cannot hold. Where a format \
            limits one file there are several, with numbers in their names. Only you can read \
            them, and no file is replaced. Items of ThisDeviceOnly classes stay here.

            The exit status is 0 only when everything is in the file.
            """
    )

    /// Items in one answer of the daemon, each with its attachments and history.
    private static let batchItems = 32

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @Option(
        help: """
            keychain-sync, bitwarden, bitwarden-encrypted, kdbx, cxf, chrome, firefox, apple or \
            keepassxc.
            """
    )
    var format: String

    @Option(help: ArgumentHelp("Only the items that these words find.", valueName: "search"))
    var only: String?

    @Option(
        help: """
            A file with the passcode; - for standard input. Without it the command asks, if this \
            device has a passcode.
            """
    )
    var passcodeFile: String?

    @OptionGroup
    var secrets: FilePasswordOptions

    @OptionGroup
    var answer: AnswerOptions

    func validate() throws {
        guard let format = EntryFormat.named(format), format.write != nil else {
            let known = EntryFormat.writableNames.joined(separator: ", ")
            throw ValidationError("The value '\(format)' is no format: use one of \(known).")
        }
        try secrets.check(for: format)
        try AccountOptions.checkStandardInput(
            [passcodeFile, secrets.passwordFile, secrets.keyFile]
        )
    }

    func run() throws {
        ProcessProtection.forbidMemoryReading()
        var isAllHeld = true
        try Console.run { isAllHeld = try export() }
        if !isAllHeld { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }

    /// - Returns: whether everything is in the file.
    private func export() throws -> Bool {
        guard let format = EntryFormat.named(format), let write = format.write else { return false }
        guard file != "-" else {
            throw CommandFailure.usage("Name a file: an export does not go to standard output.")
        }
        let path = try FileInput.newFilePath(file)
        guard unsafe access(path, F_OK) != 0 else { throw CommandFailure(code: .fileExists) }
        try answer.home.refuseIfLocked()
        try answer.home.askPasscode(file: passcodeFile)
        let target = try secrets.target(format, time: NewFiles.milliseconds)
        let (entries, bound) = try readItems()
        guard only == nil || !entries.isEmpty || !bound.isEmpty else {
            throw CommandFailure(code: .exportFindsNothing)
        }
        var written: WrittenEntries
        do throws(MovingError) {
            written = try write(entries, target)
        } catch {
            throw CommandFailure(error)
        }
        for (index, title) in bound.enumerated() {
            written.notes.append(EntryNote(entries.count + index + 1, title: title, .deviceOnly))
        }
        let paths: [String]
        do throws(FileError) {
            paths = try NewFiles.write(written.files, to: path)
        } catch .exists {
            let present = NewFiles.present(path, count: written.files.count)
            let sentence = "A file of that name exists already: \(present); name another one."
            throw CommandFailure(code: .fileExists, sentence: sentence)
        } catch {
            let why = AgentError.words(errno: error.number)
            throw CommandFailure.diskTrouble("The file cannot be written (\(why)): \(path)")
        }
        show(entries.count + bound.count, written, paths, isEncrypted: format.isEncrypted)
        return !written.notes.hasLoss
    }

    /// The items that may leave the device, and the titles of those that may not.
    private func readItems() throws -> (entries: EntryList, bound: [String]) {
        var list = ListItems()
        list.words = only
        list.leavesOutNear = true
        let items = try answer.home.call(list).items
        let line = ProgressLine()
        defer { line.clear() }
        var (entries, bound): (EntryList, [String]) = ([], [])
        for start in stride(from: 0, to: items.count, by: Self.batchItems) {
            let end = min(start + Self.batchItems, items.count)
            let references = items[start..<end].map(\.reference)
            let part = try answer.home.call(ExportItems(references))
            for entry in part.entries { entries.append(entry) }
            bound += part.bound
            line.show(
                AgentProgress(
                    done: UInt64(end),
                    total: UInt64(items.count),
                    text: "Reading items"
                )
            )
        }
        return (entries, bound)
    }

    private func show(
        _ count: Int,
        _ written: WrittenEntries,
        _ paths: [String],
        isEncrypted: Bool
    ) {
        for note in written.notes { Console.warn(note.sentence) }
        for unheld in written.unheld {
            Console.warn(EntryLines.sentence(unheld, format: format))
        }
        let held = count - written.leftOutCount
        let json: AgentValue = [
            "format": .string(format), "files": .array(paths.map { .string($0) }),
            "entries": .integer(Int64(count)), "held": .integer(Int64(held)),
            "leftOut": .integer(Int64(written.leftOutCount)),
            "notes": EntryNoteLines.json(written.notes),
            "neverHeld": .array(
                written.unheld.map { unheld in
                    .dictionary([
                        "part": .string(unheld.part), "entries": .integer(Int64(unheld.count)),
                    ])
                }
            ),
        ]
        let files = paths.map(\.printable).joined(separator: ", ")
        let lines =
            ["Exported \(held) of \(counted(count, "item")): \(files)"]
            + [EntryLines.leftOut(written.notes), EntryLines.partly(written.notes)]
            .compactMap(\.self)
            + (isEncrypted
                ? [] : ["The file is not encrypted: delete it when the other program has it."])
        answer.say(lines, json: json)
    }
}
