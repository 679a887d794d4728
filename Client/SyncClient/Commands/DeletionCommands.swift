internal import ArgumentParser
internal import KSAgent
internal import KSBytes
internal import KSDaemon
internal import KSEveryday

/// What the user does about many deletions at once.
struct DeletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deletions",
        abstract: "Lists what other devices deleted, when it is most of what is here.",
        discussion: """
            When other devices delete more than 20 items within a day, and more than half of what \
            is here, the rest stays until keep or accept; keep brings all of them back. All else \
            syncs, and items that you change meanwhile stay anyway.
            """,
        subcommands: [
            ShowDeletionsCommand.self, KeepDeletionsCommand.self, AcceptDeletionsCommand.self,
        ],
        defaultSubcommand: ShowDeletionsCommand.self
    )
}

struct ShowDeletionsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Lists the items that others have deleted within a day."
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let unreadable = try answer.list(ListHeldDeletions())
        if unreadable > 0 { Console.warn("\(unreadable) more items cannot be shown.") }
    }
}

struct KeepDeletionsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Keeps the items, and brings them back on all devices."
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        try answer.show(AnswerDeletions(keeps: true)) { answered in
            [
                answered.count == 0
                    ? "There is nothing to decide."
                    : "Kept \(counted(answered.count, "item")): sync brings them to all devices."
            ]
        }
    }
}

struct AcceptDeletionsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Deletes the items here too; sync-client deleted lists them for 30 days."
    )

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        if !yes { try ask() }
        try answer.show(AnswerDeletions(keeps: false)) { answered in
            [
                answered.count == 0
                    ? "There is nothing to decide."
                    : "Deleted \(counted(answered.count, "item"))."
            ]
        }
    }

    private func ask() throws {
        let count = try answer.home.call(ListHeldDeletions()).items.count
        guard count > 0 else { return }
        guard Console.canAsk else {
            throw CommandFailure.usage("Nobody can answer the question here: give --yes.")
        }
        let question = "Delete \(counted(count, "item")) here too?"
        guard try SetupQuestion.isYes(question) else {
            throw CommandFailure.refused("Nothing was deleted.")
        }
    }
}
