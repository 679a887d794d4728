internal import Glibc
internal import KSAgent
internal import KSBytes
internal import KSDaemon
internal import KSEveryday

/// What `restore` does with an item and its versions.
struct ItemRestore {
    let words: [String]
    /// Whether the user says that it is one.
    let isItem: Bool
    let answer: AnswerOptions

    /// Whether the words mean an item, and not the file of a backup.
    ///
    /// One word may be both: then the user has to say it.
    func isMeant() throws -> Bool {
        guard let word = words.first else { return false }
        if isItem || words.count > 1 { return true }
        guard !word.contains("/"), AgentHome.missing(argument: answer.home.home) == nil else {
            return false
        }
        let isFile = unsafe access(word, F_OK) == 0
        let deleted: [ListedDeletion]
        do throws(CommandFailure) {
            deleted = try answer.home.call(ListDeletedItems()).items
        } catch {
            // The keychain may be locked, which a backup reports too.
            guard isFile else { throw error }
            return false
        }
        guard isFile else { return true }
        // A title that only contains the word must not stop a script that restores a backup.
        guard deleted.contains(where: { $0.title == word || $0.code == word }) else { return false }
        throw CommandFailure.usage(
            "\(word) is a file here, and may be a deleted item: give --file or --item."
        )
    }

    func restore() throws {
        let name = words[0]
        let items = NamedItems(answer.home)
        let numbers = try words.dropFirst().map(Self.version)
        guard !numbers.isEmpty else {
            let item = try deletedItem(named: name, items)
            return show(["Restored \(ItemLines.name(item))."], ItemLines.json(item))
        }
        let item = try item(named: name, items)
        let restored = try answer.home.call(RestoreVersions(item.reference, versions: numbers))
        let lines = RestoredLines.lines(restored, of: item).map { $0 + "." }
        show(lines, RestoredLines.json(restored, of: item))
    }

    private func deletedItem(named name: String, _ items: NamedItems) throws -> ListedItem {
        do {
            return try items.restoreDeleted(named: name)
        } catch let failure as CommandFailure where failure.exit == .notFound && !isItem {
            let sentence = failure.sentence + " There is no file of this name here either."
            throw CommandFailure(.notFound, sentence)
        }
    }

    private func show(_ lines: [String], _ json: JSONValue) {
        for line in answer.json ? [json.text] : lines.map(\.printable) { Console.say(line) }
    }

    /// The item of a code, or else of a name: a title may look like a code.
    private func item(named name: String, _ items: NamedItems) throws -> ListedItem {
        if ItemCode(parsing: name) != nil {
            let found = try answer.home.call(FindItemOfCode(name)).items
            if let item = found.first { return item }
        }
        return try items.item(named: name)
    }

    private static func version(_ word: String) throws -> Int64 {
        do {
            return try Everyday.version(word)
        } catch let failure as EverydayFailure {
            throw CommandFailure(failure)
        }
    }
}
