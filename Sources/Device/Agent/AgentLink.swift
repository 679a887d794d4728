internal import Glibc
internal import Synchronization

/// A program's link to its daemon: one connection for all threads, opened on demand, and again
/// after the daemon restarts.
///
/// Calls run one after the other.
package final class AgentLink: Sendable {
    private struct State {
        var client: AgentClient?
        /// The home that the connection belongs to, as it was asked for.
        var home: String?
        /// The process that opened it; after a fork two would read from one connection.
        var process: pid_t = 0
        /// Whether a failed call left the connection unusable.
        var isBroken = false
    }

    private let homeArgument: String?
    /// What answers in place of a daemon, if anything does.
    package let standIn: (any DeviceStandIn)?
    private let state = Mutex(State())

    /// A link to the home that the argument names, or else the environment, which may change
    /// between calls.
    package init(home: String? = nil) { (homeArgument, standIn) = (home, nil) }

    /// A link to a device in this process.
    package init(to standIn: any DeviceStandIn) { (homeArgument, self.standIn) = (nil, standIn) }

    /// Calls the daemon and waits for its answer; starts it when none runs.
    ///
    /// If the daemon goes away, a call that certainly never arrived is repeated. A call that may
    /// have been carried out is repeated only if `mayRepeat` says that this does no harm.
    package func call(
        _ call: String,
        _ arguments: AgentDictionary,
        mayRepeat: Bool
    ) throws(AgentError) -> AgentValue {
        if let standIn { return try standIn.answer(call, arguments) }
        return try state.withLock { state throws(AgentError) in
            do throws(AgentError) {
                return try self.call(call, arguments, &state)
            } catch .connectionLost where mayRepeat || state.client?.hasSentRequest == false {
                state.client = nil
            }
            return try self.call(call, arguments, &state)
        }
    }

    private func call(
        _ call: String,
        _ arguments: AgentDictionary,
        _ state: inout State
    ) throws(AgentError) -> AgentValue {
        if state.isBroken { state.client = nil }
        let client = try connection(&state)
        do throws(AgentError) {
            return try client.call(call, arguments)
        } catch {
            switch error {
            // These leave the connection usable.
            case .failed, .messageTooLarge: break
            default: state.isBroken = true
            }
            throw error
        }
    }

    /// The open connection if the next call can use it, else a new one.
    private func connection(_ state: inout State) throws(AgentError) -> AgentClient {
        let home = AgentHome.wantedPath(argument: homeArgument, environment: Environment.value)
        if let client = state.client, state.home == home, state.process == getpid(), !client.isStale
        {
            return client
        }
        state.client = nil
        let isNew = AgentHome.missing(argument: homeArgument) != nil
        let made = try AgentHome(argument: homeArgument)
        // A mistyped home would be another device without a word.
        if isNew {
            let line = Array("KeychainSync: \(made.sentenceWhenNew)\n".utf8)
            _ = unsafe write(STDERR_FILENO, line, line.count)
        }
        let client = try AgentClient(home: made)
        state.client = client
        state.home = home
        state.process = getpid()
        state.isBroken = false
        return client
    }
}
