internal import Agent
internal import Glibc

/// `keychain rpc`: the daemon's program answers it, in this process's place.
enum RPCReplacement {
    private static let command = "rpc"

    /// Runs it and does not return, or says why not and returns the exit status.
    ///
    /// - Returns: nil when the arguments ask for something else.
    static func run(_ arguments: [String]) -> Int32? {
        guard arguments.count > 1, arguments[1] == command else { return nil }
        guard let program = DaemonProgram.find() else {
            return refuse(.daemonNotFound)
        }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments.dropFirst())
            .map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        _ = unsafe execv(program, words)
        return refuse(.system(errno: errno))
    }

    private static func refuse(_ error: AgentError) -> Int32 {
        Terminal.write(Array("security: \(error.sentence)\n".utf8), to: .error)
        return error.status & 0xFF
    }
}
