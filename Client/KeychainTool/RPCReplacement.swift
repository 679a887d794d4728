internal import KSEveryday
internal import KSAgent
internal import Glibc

/// `keychain rpc` and some commands for people: the daemon's program carries them out in this
/// process's place, and the test bench beside it answers `keychain rpc --test`.
package enum RPCReplacement {
    private static let command = "rpc"
    private static let testBench = "keychain-test-bench"

    /// Replaces this process by the other program; if that fails, reports why.
    ///
    /// - Returns: the exit status after a failure; nil for any other command.
    static func run(_ arguments: [String]) -> Int32? {
        guard let wanted = words(arguments.dropFirst().map { Array($0.utf8) }) else { return nil }
        guard var program = ProgramSearch.daemon() else { return refuse(.daemonNotFound) }
        if wanted.contains("--test"), let slash = program.lastIndex(of: "/") {
            program = program[...slash] + testBench
        }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + wanted)
            .map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        _ = unsafe execv(program, words)
        return refuse(.system(errno: errno))
    }

    /// The arguments of the daemon's program, with a home that was named before the command.
    ///
    /// - Returns: nil for any other command.
    package static func words(_ arguments: [[UInt8]]) -> [String]? {
        // The tool reports a malformed command line itself.
        guard let globals = try? Options(arguments[...], letters: Tool.globalLetters),
            let name = globals.operands.first.map({ String(decoding: $0, as: UTF8.self) }),
            !globals.has("h")
        else { return nil }
        let rest = globals.operands.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        let home = globals.home.map { ["--home", $0] } ?? []
        if name == command { return [command] + home + rest }
        guard let known = EverydayCommand.named(name), known.run == nil else { return nil }
        return [EverydayCommand.replacementWord, name] + home + rest
    }

    private static func refuse(_ error: AgentError) -> Int32 {
        Terminal().write(Array("keychain: \(error.sentence)\n".utf8), to: .error)
        return error.status & 0xFF
    }
}
