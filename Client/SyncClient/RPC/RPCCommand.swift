internal import ArgumentParser
internal import Glibc

/// What `keychain rpc` becomes: the SecItem calls for programs in any language.
struct RPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc",
        abstract: "Answers SecItem calls: a JSON request a line in, a JSON answer a line out.",
        shouldDisplay: false
    )

    @OptionGroup
    var home: HomeOption

    @Flag(help: "Work on an empty keychain of its own, which ends with the command.")
    var test = false

    func run() throws {
        do {
            let keychain: any RPCKeychain =
                test ? try TestKeychain() : DaemonKeychain(home: home.home)
            let session = RPCSession(keychain: keychain)
            while let line = readLine() {
                if line.allSatisfy(\.isWhitespace) { continue }
                Console.write(session.answer(line) + "\n", to: STDOUT_FILENO)
            }
        } catch {
            try Console.end(CommandFailure(error))
        }
    }
}
