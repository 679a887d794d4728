package import KSRedaction

/// A call to the daemon: its arguments, the type of its answer, and who may make it.
///
/// Programs and the daemon use the same type, so neither reads or writes a dictionary by hand. A
/// call without a stated permission does not compile. Many calls hold passwords, so none shows
/// what it holds.
package protocol AgentCall: AgentCoded, Redacted {
    /// The type of the answer; most calls that change something have an empty one.
    associatedtype Answer: AgentCoded = AgentNothing

    /// Its name on the socket.
    static var name: String { get }
    /// Who may make it.
    static var permission: AgentPermission { get }
    /// Whether it does no harm when it is carried out twice, because the first answer was lost.
    var mayRepeat: Bool { get }
    /// False for calls that only read the device's state: the device can be idle meanwhile.
    static var countsAsUse: Bool { get }
    /// Whether its errors are Apple's numbers; those of other calls are exit codes.
    static var failsByStatus: Bool { get }
}

extension AgentCall {
    package var mayRepeat: Bool { false }
    package static var countsAsUse: Bool { true }
    package static var failsByStatus: Bool { false }
}

/// What a program needs in order to make a call.
package enum AgentPermission: Sendable {
    /// Any program may make it; what it sees depends on its access groups.
    case anyProgram
    /// Only `keychain`, `sync-client` and programs that see all access groups.
    case seesAll
    /// Any program, unless all access groups were taken from it; it names its own files.
    case hasAccessGroup
}

extension AgentClient {
    /// Makes a call and waits for its answer.
    ///
    /// - Throws: ``AgentError/failed(_:)`` when the daemon refuses it; other errors when there is
    ///   no answer.
    package func call<Call: AgentCall>(
        _ call: Call,
        whenProgress: (AgentProgress) -> Void = { _ in }
    ) throws(AgentError) -> Call.Answer {
        let arguments = call.agentValue.members
        return try Call.Answer(try self.call(Call.name, arguments, whenProgress: whenProgress))
    }
}

extension AgentLink {
    /// Makes a call and waits for its answer; starts the daemon when none runs.
    package func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        let arguments = call.agentValue.members
        return try Call.Answer(try self.call(Call.name, arguments, mayRepeat: call.mayRepeat))
    }
}

/// An empty answer.
package struct AgentNothing: AgentCoded, Equatable {
    package init() {}
    package init(_ value: AgentValue) {}
    package var agentValue: AgentValue { .null }
}
