internal import KSAgent
package import KSEveryday
internal import KSBytes

/// The `keychain` command: runs a command line, prints the result, returns the exit status.
package struct Tool {
    /// Connects to a home's daemon; the argument is what `--home` says.
    let connect: ItemConnector
    let surroundings: any Surroundings
    /// Whether it runs under the name of macOS's tool, which has only its own commands.
    let isSecurity: Bool

    package init(
        connect: @escaping ItemConnector,
        surroundings: any Surroundings,
        isSecurity: Bool = false
    ) {
        self.connect = connect
        self.surroundings = surroundings
        self.isSecurity = isSecurity
    }

    /// The exit statuses of `security`.
    static let failed: Int32 = 1
    static let usageError: Int32 = 2
    /// The status of a command that was cancelled at a prompt; a shell sees 255.
    static let brokenOff: Int32 = -1

    /// Runs a command line; it fails if output was lost, as on a full disk.
    package func run(_ arguments: [[UInt8]]) -> Int32 {
        let status = carryOut(arguments)
        guard let error = surroundings.outputError else { return status }
        let name = isSecurity ? "security" : "keychain"
        say("\(name): standard output: \(error.text)\n", .error)
        return status == 0 ? Self.failed : status
    }

    private func carryOut(_ arguments: [[UInt8]]) -> Int32 {
        if arguments == [Array("--version".utf8)] {
            say(ProgramVersion.text + "\n", .output)
            return 0
        }
        let globals: Options
        do throws(UsageError) {
            globals = try Options(arguments[...], letters: Self.globalLetters)
        } catch {
            return refuseGlobals()
        }
        if globals.has("h") {
            printHelp()
            return 0
        }
        let session = Session(isVerbose: globals.has("v"), home: globals.home)
        let isInteractive = globals.has("i") || globals["p"] != nil
        // A command on the command line takes precedence over interactive mode.
        if isInteractive, globals.operands.isEmpty {
            let prompt = globals["p"] ?? Array("security> ".utf8)
            return interact(session, prompt: prompt, isQuiet: globals.has("q")) & 0xFF
        }
        guard !globals.operands.isEmpty else {
            guard !isSecurity, arguments.isEmpty, surroundings.isShown else {
                return refuseGlobals()
            }
            say(EverydayCommand.firstList, .output)
            return 0
        }
        // A shell sees the low byte of an OSStatus.
        return execute(globals.operands, session) & 0xFF
    }

    /// The global options, which apply to all commands of a run.
    struct Session {
        let isVerbose: Bool
        let home: String?
    }

    func execute(_ words: [[UInt8]], _ session: Session) -> Int32 {
        guard let typed = words.first else { return 0 }
        if session.isVerbose { surroundings.write(Self.echo(words), to: .error) }
        let name = String(decoding: typed, as: UTF8.self)
        if !isSecurity, let command = EverydayCommand.named(name) {
            let home = session.home.map { ["--home", $0].map { Array($0.utf8) } } ?? []
            return everyday.run(command, home + words.dropFirst())
        }
        // ``RPCReplacement`` handles `rpc` on the command line; in interactive mode it is unknown.
        guard !name.isEmpty, isSecurity || EverydayCommand.otherNames[name] == nil,
            // A slip must not become a command: `del` would delete a keychain.
            let description = CommandDescription.find(name, isWhole: !isSecurity),
            let run = description.run
        else { return refuse(name, words.dropFirst()) }
        do {
            let options = try Options(words.dropFirst(), of: description)
            return try run(Invocation(tool: self, options: options, session: session))
        } catch let error as UsageError {
            say(description.usage, .error)
            if !isSecurity, let unknown = error.unknown { say("keychain: \(unknown)\n", .error) }
            return Self.usageError
        } catch let failure as Failure {
            report(failure)
            return failure.status
        } catch let error as AgentError {
            // An error that ``Invocation/answering(_:isSilentAbout:_:)`` has not reported.
            report(Failure(error.sentence))
            return error.status
        } catch {
            return Self.failed
        }
    }

    private func refuse(_ name: String, _ words: ArraySlice<[UInt8]>) -> Int32 {
        guard !isSecurity else {
            report(Failure("unknown command \"\(name)\""))
            return Self.failed
        }
        return everyday.refuse(name, words, others: CommandDescription.names)
    }

    var everyday: Everyday { Everyday(console: surroundings, connect: connect) }

    /// The command and its arguments, each of these in double quotes.
    private static func echo(_ words: [[UInt8]]) -> [UInt8] {
        let quoted = words.dropFirst().flatMap { Array(" \"".utf8) + $0 + Array("\"".utf8) }
        return words[0] + quoted + Array("\n".utf8)
    }

    func say(_ text: String, _ stream: OutputStream) {
        surroundings.write(Array(text.utf8), to: stream)
    }

    func report(_ failure: Failure) {
        surroundings.write(failure.message, to: .error)
    }

    /// Prints the help to standard output, as on macOS: scripts look there for `security`.
    private func refuseGlobals() -> Int32 {
        printHelp()
        return Self.usageError
    }

    private func printHelp() {
        let name = isSecurity ? "security" : "keychain"
        say(
            "Usage: \(name) \(Self.globalUsage) [command] [options]\n"
                + "       keychain rpc [--home DIR] [--test]\n       keychain --version\n"
                + Self.globalHelp
                + (isSecurity ? "" : "Commands for people:\n" + EverydayCommand.list + "\n")
                + (isSecurity ? "Commands, which may be abbreviated:\n" : "As macOS has them:\n")
                + CommandDescription.list,
            .output
        )
    }
}

/// One command with its options, and what it needs to be carried out.
struct Invocation {
    let tool: Tool
    let options: Options
    let home: String?

    init(tool: Tool, options: Options, session: Tool.Session) {
        self.tool = tool
        self.options = options
        home = options.home ?? session.home
    }

    func say(_ text: String, _ stream: OutputStream) {
        tool.say(text, stream)
    }

    /// The value of an option as text.
    func text(_ letter: Character) -> String? {
        options[letter].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The keychains named after the options, as the daemon takes them: a path is made absolute,
    /// any other name is one of the home's folder.
    var keychains: [String] { options.names.map(path) }

    /// The keychains that the command line names; nil if it names none.
    var named: [String]? { options.operands.isEmpty ? nil : keychains }

    func path(_ name: String) -> String {
        guard name.contains("/"), !name.hasPrefix("/"),
            let folder = tool.surroundings.workingDirectory
        else { return name }
        return folder + "/" + name
    }

    /// Connects, makes calls, and prints an error reply under the name of the routine that
    /// `security` would have called.
    ///
    /// `isSilentAbout`: statuses that print nothing.
    func answering(
        _ routine: String,
        isSilentAbout silent: [Int32] = [],
        _ body: (any ItemService) throws(AgentError) -> Void
    ) throws(AgentError) -> Int32 {
        do throws(AgentError) {
            try body(try tool.connect(home))
            return 0
        } catch .failed(let failure) {
            guard !silent.contains(failure.code) else { return failure.code }
            let hint = failure.hint.isEmpty ? "" : " " + failure.hint
            let text = StatusMessages.text(for: failure.code)
            say("security: \(routine): \(text)\(hint)\n", .error)
            return failure.code
        }
    }

    /// Makes one call like ``answering(_:isSilentAbout:_:)``, and ignores its answer.
    func send<Call: AgentCall>(
        _ call: Call,
        as routine: String,
        isSilentAbout silent: [Int32] = []
    ) throws(AgentError) -> Int32 {
        try answering(routine, isSilentAbout: silent) { service throws(AgentError) in
            _ = try service.call(call)
        }
    }

    func ask(_ prompt: String) throws(Failure) -> [UInt8] {
        try tool.surroundings.askPassword(prompt)
    }

    /// Asks twice; if the answers differ, asks again, three times in all.
    func askTwice(_ first: String, _ second: String) throws(Failure) -> [UInt8] {
        for isLast in [false, false, true] {
            let typed = try ask(first)
            if try ask(second) == typed { return typed }
            if !isLast { tool.report(.passwordsDiffer) }
        }
        throw .passwordsDiffer
    }
}

// Commands that need no daemon.
extension Invocation {
    func help() throws -> Int32 {
        guard !options.operands.isEmpty else {
            let people = "For people:\n" + EverydayCommand.list + "\nAs macOS has them:\n"
            say((tool.isSecurity ? "" : people) + CommandDescription.list, .output)
            return 0
        }
        var result: Int32 = 0
        for name in options.names {
            if !tool.isSecurity, let command = EverydayCommand.named(name) {
                say(command.help, .output)
            } else if let description = CommandDescription.find(
                name,
                isWhole: !tool.isSecurity
            ) {
                say(description.usage, .output)
            } else if tool.isSecurity {
                tool.report(Failure("help: no such command: \(name)"))
                result = Tool.failed
            } else {
                result = tool.everyday.refuse(name, [], others: CommandDescription.names)
            }
        }
        return result
    }

    /// Always ends with 1, as `security error` does.
    func explainErrors() throws(UsageError) -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        for typed in options.names.map({ $0.lowercased() }) {
            let parsed =
                typed.hasPrefix("0x")
                ? UInt32(typed.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) } : Int32(typed)
            let status = parsed ?? 0
            let digits = String(UInt32(bitPattern: status), radix: 16, uppercase: true)
            let hex = String(repeating: "0", count: 8 - digits.count) + digits
            say("Error: 0x\(hex) \(status) \(StatusMessages.text(for: status))\n", .output)
        }
        return Tool.failed
    }
}
