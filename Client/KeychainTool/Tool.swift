internal import Agent

/// Whoever carries out the calls: the daemon.
protocol ItemService {
    /// What is printed as the keychain's path.
    var keychain: String { get }

    func call(_ call: String, _ arguments: AgentDictionary) throws(AgentError) -> AgentValue
}

/// The daemon of a home, started when it does not run.
struct DaemonItemService: ItemService {
    let keychain: String
    private let client: AgentClient

    init(homeArgument: String?) throws(AgentError) {
        let home = try AgentHome(argument: homeArgument)
        keychain = home.path
        client = try AgentClient(home: home)
    }

    func call(_ call: String, _ arguments: AgentDictionary) throws(AgentError) -> AgentValue {
        try client.call(call, arguments)
    }
}

/// The `keychain` command: what it is asked, what it prints, and its exit status.
struct Tool {
    /// Connects to a home's daemon; the argument is what `--home` says.
    let connect: (String?) throws(AgentError) -> any ItemService
    let askPassword: (String) throws(NoTerminal) -> [UInt8]
    let write: ([UInt8], OutputStream) -> Void

    /// `security`'s own numbers.
    private static let failed: Int32 = 1
    static let usageError: Int32 = 2

    func run(_ arguments: [[UInt8]]) -> Int32 {
        let globals: Options
        do throws(UsageError) {
            globals = try Options(
                arguments[...],
                letters: OptionLetters(valued: "", flags: "hqv")
            )
        } catch {
            return refuseGlobals()
        }
        if globals.has("h") {
            printHelp(to: .output)
            return 0
        }
        guard let typed = globals.operands.first else { return refuseGlobals() }
        let words = globals.operands
        if globals.has("v") { say(Self.echo(words), .error) }
        let name = String(decoding: typed, as: UTF8.self)
        guard !name.isEmpty, let description = CommandDescription.find(name) else {
            say("security: unknown command \"\(name)\"\n", .error)
            return Self.failed
        }
        let result = run(description, words.dropFirst(), globalHome: globals.home)
        // A shell sees the low byte of an OSStatus.
        return result & 0xFF
    }

    /// The command and its arguments, each of these in double quotes.
    private static func echo(_ words: [[UInt8]]) -> String {
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        return texts[0] + texts.dropFirst().map { " \"\($0)\"" }.joined() + "\n"
    }

    private func run(
        _ description: CommandDescription,
        _ arguments: ArraySlice<[UInt8]>,
        globalHome: String?
    ) -> Int32 {
        switch description.command {
        case .help: return help(arguments)
        case .error: return explain(arguments, description)
        case .missing: return Self.failed
        case .add, .find, .delete: break
        }
        do {
            let options = try Options(
                arguments,
                letters: ItemArguments.letters(of: description.command)
            )
            let item = ItemCommand(tool: self, options: options, home: options.home ?? globalHome)
            switch description.command {
            case .add(let itemClass): return try item.add(itemClass)
            case .find(let itemClass): return try item.find(itemClass)
            case .delete(let itemClass): return try item.delete(itemClass)
            case .help, .error, .missing: return Self.failed
            }
        } catch is UsageError {
            say(description.usage, .error)
            return Self.usageError
        } catch let error as FourCharactersError {
            say(error.message, .error)
            return Self.failed
        } catch is NoTerminal {
            say("security: there is no terminal to ask for the password on\n", .error)
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
        write(Array(text.utf8), stream)
    }
}

// Commands that need no daemon.
extension Tool {
    private func refuseGlobals() -> Int32 {
        printHelp(to: .error)
        return Self.usageError
    }

    private func printHelp(to stream: OutputStream) {
        say(
            "Usage: keychain [-h] [-q] [-v] [--home DIR] command [options]\n"
                + "Commands, which may be typed short:\n" + Self.list,
            stream
        )
    }

    private static var list: String {
        CommandDescription.table.filter { $0.command != .missing }.map { description in
            let padding = String(repeating: " ", count: max(0, 36 - description.name.count))
            return "    \(description.name)\(padding) \(description.summary)\n"
        }.joined()
    }

    private func help(_ arguments: ArraySlice<[UInt8]>) -> Int32 {
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
                say("\(name): no such command\n", .error)
                result = Self.failed
            }
        }
        return result
    }

    /// Always ends with 1, as `security error` does.
    private func explain(
        _ arguments: ArraySlice<[UInt8]>,
        _ description: CommandDescription
    ) -> Int32 {
        guard !arguments.isEmpty else {
            say(description.usage, .error)
            return Self.usageError
        }
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
