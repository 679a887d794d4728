package import KSAgent

/// Carries out calls, as the daemon does.
package protocol ItemService {
    /// The keychain's path, as it is printed.
    var keychain: String { get }

    func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer
}

/// The daemon of a home, which is started if it does not run.
package struct DaemonItemService: ItemService {
    package let keychain: String
    private let client: AgentClient

    /// `warn`: shows a sentence.
    package init(homeArgument: String?, warn: (String) -> Void) throws(AgentError) {
        let isMissing = AgentHome.missing(argument: homeArgument) != nil
        let home = try AgentHome(argument: homeArgument)
        if isMissing { warn(home.sentenceWhenNew) }
        keychain = home.path
        // The daemon identifies this program when it accepts the connection, which may be later.
        ProcessProtection.allowBeingLookedAt()
        do throws(AgentError) {
            client = try AgentClient(home: home)
        } catch {
            ProcessProtection.forbidMemoryReading()
            throw error
        }
    }

    package func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        // Once it has answered, the daemon has identified this program.
        defer { ProcessProtection.forbidMemoryReading() }
        return try client.call(call)
    }
}

extension AgentError {
    /// An error reply with one of Apple's statuses, made by this program instead of the daemon.
    package static func refused(_ status: Int32) -> AgentError {
        .failed(AgentFailure(code: status, status: ""))
    }
}

/// Connects to a home's daemon; the argument is what `--home` says.
package typealias ItemConnector = (String?) throws(AgentError) -> any ItemService
