internal import KSAgent

/// Carries out the calls: the daemon.
protocol ItemService {
    /// What is printed as the keychain's path.
    var keychain: String { get }

    func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer
}

/// The daemon of a home, started when it does not run.
struct DaemonItemService: ItemService {
    let keychain: String
    private let client: AgentClient

    init(homeArgument: String?) throws(AgentError) {
        let home = try AgentHome(argument: homeArgument)
        keychain = home.path
        // The daemon takes the connection when it gets to it, at the latest before it answers.
        ProcessProtection.allowBeingLookedAt()
        do throws(AgentError) {
            client = try AgentClient(home: home)
        } catch {
            ProcessProtection.forbidMemoryReading()
            throw error
        }
    }

    func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        // By its first answer it knows who is there.
        defer { ProcessProtection.forbidMemoryReading() }
        return try client.call(call)
    }
}

/// The `keychain` command: what it is asked, what it prints, and its exit status.
struct Tool {
    /// Connects to a home's daemon; the argument is what `--home` says.
    let connect: (String?) throws(AgentError) -> any ItemService
    let surroundings: Surroundings

    /// `security`'s own numbers.
    static let failed: Int32 = 1
    static let usageError: Int32 = 2
    /// What a command gives that was broken off at a prompt; a shell sees 255.
    static let brokenOff: Int32 = -1

    /// Carries a command line out; output that got lost, as on a full disk, makes it fail.
    func run(_ arguments: [[UInt8]]) -> Int32 {
        let status = carryOut(arguments)
        guard let error = surroundings.outputError() else { return status }
        say("security: standard output: \(error.text)\n", .error)
        return status == 0 ? Self.failed : status
    }

    private func carryOut(_ arguments: [[UInt8]]) -> Int32 {
        let globals: Options
        do throws(UsageError) {
            globals = try Options(
                arguments[...],
                letters: Self.globalLetters
            )
        } catch {
            return refuseGlobals()
        }
        if globals.has("h") {
            printHelp()
            return 0
        }
        let session = Session(isVerbose: globals.has("v"), home: globals.home)
        let isInteractive = globals.has("i") || globals["p"] != nil
        // A command that is named comes first.
        if isInteractive, globals.operands.isEmpty {
            let prompt = globals["p"] ?? Array("security> ".utf8)
            return interact(session, prompt: prompt, isQuiet: globals.has("q")) & 0xFF
        }
        guard !globals.operands.isEmpty else { return refuseGlobals() }
        // A shell sees the low byte of an OSStatus.
        return execute(globals.operands, session) & 0xFF
    }

    /// What holds for all commands of a run.
    struct Session {
        let isVerbose: Bool
        let home: String?
    }

    func execute(_ words: [[UInt8]], _ session: Session) -> Int32 {
        guard let typed = words.first else { return 0 }
        if session.isVerbose { surroundings.write(Self.echo(words), .error) }
        let name = String(decoding: typed, as: UTF8.self)
        // `rpc` has taken this process's place where it is one: not here, among other commands.
        guard !name.isEmpty, let description = CommandDescription.find(name),
            description.command != .rpc
        else {
            say("security: unknown command \"\(name)\"\n", .error)
            return Self.failed
        }
        return run(description, words.dropFirst(), session)
    }

    /// The command and its arguments, each of these in double quotes.
    private static func echo(_ words: [[UInt8]]) -> [UInt8] {
        let quote = [UInt8(ascii: "\"")]
        return words[0] + words.dropFirst().flatMap { Array(" ".utf8) + quote + $0 + quote } + [
            0x0A
        ]
    }

    private func run(
        _ description: CommandDescription,
        _ arguments: ArraySlice<[UInt8]>,
        _ session: Session
    ) -> Int32 {
        do {
            // A code begins with a minus sign and is no option.
            if description.command == .error { return try explain(Array(arguments)) }
            var arguments = arguments
            // These have their file before their options.
            let isFileFirst =
                [.importFile, .protect, .unprotect].contains(description.command)
                && arguments.first?.first != UInt8(ascii: "-")
            let file = isFileFirst ? arguments.popFirst() : nil
            let options = try Options(arguments, letters: description.letters)
            let call = Invocation(tool: self, options: options, home: options.home ?? session.home)
            switch description.command {
            case .help: return help(options.operands)
            case .add(let itemClass): return try ItemCommand(call: call).add(itemClass)
            case .find(let itemClass): return try ItemCommand(call: call).find(itemClass)
            case .delete(let itemClass): return try ItemCommand(call: call).delete(itemClass)
            case .keychains(let kind): return try KeychainsCommand(call: call).run(kind)
            case .dump: return try DumpCommand(call: call).run()
            case .certificates(let kind): return try CertificateCommand(call: call).run(kind)
            case .importFile: return try TransferCommand(call: call).importFile(file)
            case .addCertificates: return try TransferCommand(call: call).addCertificates()
            case .export: return try TransferCommand(call: call).export()
            case .protect, .unprotect:
                let isProtecting = description.command == .protect
                return try ProtectCommand(call: call).run(file, isProtecting: isProtecting)
            case .setPartitions(let itemClass):
                return try PartitionCommand(call: call).run(itemClass)
            case .error, .rpc, .missing: return 0
            }
        } catch is UsageError {
            say(description.usage, .error)
            return Self.usageError
        } catch let error as FourCharactersError {
            surroundings.write(error.message, .error)
            return Self.failed
        } catch let error as NoTerminal {
            say(error.sentence, .error)
            return Self.failed
        } catch let error as AgentError {
            // The daemon's own answers were told apart already; this is about reaching it.
            say("security: \(error.sentence)\n", .error)
            return error.status
        } catch {
            return Self.failed
        }
    }

    func say(_ text: String, _ stream: OutputStream) {
        surroundings.write(Array(text.utf8), stream)
    }
}

/// One command with its options, and what it needs to be carried out.
struct Invocation {
    let tool: Tool
    let options: Options
    let home: String?

    func say(_ text: String, _ stream: OutputStream) {
        tool.say(text, stream)
    }

    /// The keychains that stand behind the options, as the daemon wants them: a path is made
    /// absolute, any other name is one of the home's folder.
    var keychains: [String] {
        options.operands.map { path(String(decoding: $0, as: UTF8.self)) }
    }

    func path(_ name: String) -> String {
        guard name.contains("/"), !name.hasPrefix("/"),
            let folder = tool.surroundings.workingDirectory()
        else { return name }
        return folder + "/" + name
    }

    /// Connects, makes the call, and prints an error reply under the name of the routine that
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

    /// Asks twice, three times at most; nil when the two always differ.
    func askTwice(_ first: String, _ second: String) throws(NoTerminal) -> [UInt8]? {
        for _ in 0..<3 {
            let typed = try tool.surroundings.askPassword(first)
            if try tool.surroundings.askPassword(second) == typed { return typed }
            say("security: the passwords differ\n", .error)
        }
        return nil
    }
}

// Commands that need no daemon.
extension Tool {
    /// As on macOS it goes to standard output, where scripts look whether there is a `security`.
    private func refuseGlobals() -> Int32 {
        printHelp()
        return Self.usageError
    }

    private func printHelp() {
        say(
            "Usage: security \(Self.globalUsage) [command] [options]\n"
                + "       keychain rpc [--home DIR] [--test]\n" + Self.globalHelp
                + "Commands, which may be typed short:\n" + Self.list,
            .output
        )
    }

    private static var list: String {
        CommandDescription.table.filter { $0.command != .missing }.map { description in
            let padding = String(repeating: " ", count: max(0, 36 - description.name.count))
            return "    \(description.name)\(padding) \(description.summary)\n"
        }.joined()
    }

    private func help(_ arguments: [[UInt8]]) -> Int32 {
        guard !arguments.isEmpty else {
            say(Self.list, .output)
            return 0
        }
        var result: Int32 = 0
        for argument in arguments {
            let name = String(decoding: argument, as: UTF8.self)
            if let description = CommandDescription.find(name) {
                say(description.usage, .output)
            } else {
                say("security: help: no such command: \(name)\n", .error)
                result = Self.failed
            }
        }
        return result
    }

    /// Always ends with 1, as `security error` does.
    private func explain(_ arguments: [[UInt8]]) throws(UsageError) -> Int32 {
        guard !arguments.isEmpty else { throw UsageError() }
        for argument in arguments {
            let typed = String(decoding: argument, as: UTF8.self).lowercased()
            let parsed =
                typed.hasPrefix("0x")
                ? UInt32(typed.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) } : Int32(typed)
            let status = parsed ?? 0
            let digits = String(UInt32(bitPattern: status), radix: 16, uppercase: true)
            let hex = String(repeating: "0", count: 8 - digits.count) + digits
            say("Error: 0x\(hex) \(status) \(StatusMessages.text(for: status))\n", .output)
        }
        return Self.failed
    }
}
