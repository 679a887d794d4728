internal import KSAgent
internal import KSDaemon
internal import KSEveryday

/// The items of a home as people name them, for commands of this program.
struct NamedItems {
    private let everyday: Everyday
    private let options: WordOptions

    init(_ home: HomeOption) {
        everyday = Everyday(console: Terminal()) { _ throws(AgentError) in
            HomeItemService(home: home, keychain: "")
        }
        options = WordOptions(home: home.home)
    }

    /// The item that a name means; asks on a terminal if it may be several.
    func item(named name: String) throws -> ListedItem {
        try failing { try everyday.item(named: name, options) }
    }

    /// Makes a deleted item again.
    func restoreDeleted(named name: String) throws -> ListedItem {
        try failing { try everyday.restoreDeleted(named: name, options) }
    }

    /// Turns the failures of commands for people into those of this program.
    private func failing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as EverydayFailure {
            throw CommandFailure(failure)
        } catch let failure as Failure {
            throw CommandFailure.other(String(decoding: failure.message, as: UTF8.self))
        } catch let error as AgentError {
            throw CommandFailure(error)
        }
    }
}

/// Carries out calls over the connection of a command.
private struct HomeItemService: ItemService {
    let home: HomeOption
    let keychain: String

    func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        try DaemonConnection.call(call, on: home.agentHome()) { _ in }
    }
}

extension CommandFailure {
    /// A failure of a command for people: their sentences are lines of `keychain`.
    init(_ failure: EverydayFailure) {
        let exit: Exit =
            switch failure.status {
            case EverydayFailure.notFoundStatus: .notFound
            case EverydayFailure.lockedStatus: .tryAgain
            case EverydayFailure.usage("").status: .usage
            default: .other
            }
        let first = failure.sentence.prefix(1).uppercased()
        self.init(exit, first + failure.sentence.dropFirst() + ".")
    }
}
