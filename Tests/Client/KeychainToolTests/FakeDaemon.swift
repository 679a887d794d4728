import KSEveryday
import KSAgent
import KSFiles
import Synchronization

import KSKeychainTool

/// Records calls, and answers as the test chooses.
final class FakeDaemon: ItemService, Sendable {
    let keychain = "/k"
    private let answer: @Sendable (String, AgentDictionary) -> Result<AgentValue, AgentError>
    private let seen = Mutex<[(String, AgentDictionary)]>([])

    init(
        answering answer:
            @escaping @Sendable (String, AgentDictionary) -> Result<AgentValue, AgentError>
    ) {
        self.answer = answer
    }

    convenience init(_ answer: Result<AgentValue, AgentError> = .success(.null)) {
        self.init { _, _ in answer }
    }

    convenience init(failing code: Int32) {
        self.init(.failure(.failed(AgentFailure(code: code, status: "Theirs."))))
    }

    func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        let arguments = call.agentValue.dictionary ?? [:]
        seen.withLock { $0.append((Call.name, arguments)) }
        return try Call.Answer(Self.whole(try answer(Call.name, arguments).get(), of: Call.name))
    }

    /// Adds to a test's answer what the daemon always sends.
    private static func whole(_ answer: AgentValue, of call: String) -> AgentValue {
        if let elements = answer.array { return .array(elements.map { whole($0, of: call) }) }
        let isList = call == "keychains.certificates" || call == "keychains.identities"
        // Without a match the answer stays null.
        guard var whole = always[call], answer != .null || !isList else { return answer }
        for entry in answer.dictionary?.entries ?? [] { whole[entry.key] = entry.value }
        return .dictionary(whole)
    }

    private static let always: [String: AgentDictionary] = [
        "keychains.list": ["search": []],
        "keychains.settings": ["lockOnSleep": false, "useInterval": false, "locked": false],
        "keychains.certificates": [
            "class": "cert", "attributes": [:], "pem": "", "sha1": .data([]), "sha256": .data([]),
            "emails": [],
        ],
        "keychains.identities": ["standing": ""],
        "keychains.import": ["identities": 0, "keys": 0, "certificates": 0],
        "keychains.export": ["file": .data([]), "leftOut": 0],
    ]

    var calls: [String] { seen.withLock { $0.map(\.0) } }
    var arguments: AgentDictionary { seen.withLock { $0.last?.1 ?? [:] } }
    var allArguments: [AgentDictionary] { seen.withLock { $0.map(\.1) } }
}

struct Outcome {
    let status: Int32
    let output: String
    let error: String
    /// Both streams, as in one pipe.
    let both: String
    let homes: [String?]
    let prompts: [String]
    let files: [String: [UInt8]]
}

func run(
    _ line: [String],
    daemon: FakeDaemon = FakeDaemon(),
    typing passwords: [String]? = nil,
    input: [String] = [],
    isInteractive: Bool = false,
    isShown: Bool = false,
    files: [String: [UInt8]] = [:]
) -> Outcome {
    run(
        bytes: line.map { Array($0.utf8) },
        daemon: daemon,
        typing: passwords,
        input: input,
        isInteractive: isInteractive,
        isShown: isShown,
        files: files
    )
}

func run(
    bytes: [[UInt8]],
    daemon: FakeDaemon,
    typing passwords: [String]? = nil,
    input: [String] = [],
    isInteractive: Bool = false,
    isShown: Bool = false,
    files: [String: [UInt8]] = [:]
) -> Outcome {
    let homes = Mutex<[String?]>([])
    let surroundings = FakeSurroundings(
        isInteractive: isInteractive,
        isShown: isShown,
        typed: (passwords ?? [])[...],
        lines: input[...],
        files: files
    )
    let tool = Tool(
        connect: { home throws(AgentError) in
            homes.withLock { $0.append(home) }
            return daemon
        },
        surroundings: surroundings,
        // What these tests compare with has no commands for people.
        isSecurity: true
    )
    let status = tool.run(bytes)
    func text(of wanted: [OutputStream]) -> String {
        let written = surroundings.written.filter { wanted.contains($0.stream) }
        return String(decoding: written.flatMap(\.bytes), as: UTF8.self)
    }
    return Outcome(
        status: status,
        output: text(of: [.output]),
        error: text(of: [.error]),
        both: text(of: [.output, .error]),
        homes: homes.withLock { $0 },
        prompts: surroundings.prompts,
        files: surroundings.files
    )
}

/// Records output and prompts, and returns the given input.
final class FakeSurroundings: Surroundings {
    let isInteractive: Bool
    let isShown: Bool
    let workingDirectory: String? = "/cwd"
    let outputError: FileError? = nil
    var isErrorShown: Bool { isShown }
    let width = 80
    let hasColors = false
    private var typed: ArraySlice<String>
    private var lines: ArraySlice<String>
    private(set) var files: [String: [UInt8]]
    private(set) var prompts: [String] = []
    private(set) var written: [(stream: OutputStream, bytes: [UInt8])] = []

    init(
        isInteractive: Bool,
        isShown: Bool,
        typed: ArraySlice<String>,
        lines: ArraySlice<String>,
        files: [String: [UInt8]]
    ) {
        self.isInteractive = isInteractive
        self.isShown = isShown
        self.typed = typed
        self.lines = lines
        self.files = files
    }

    func write(_ bytes: [UInt8], to stream: OutputStream) {
        written.append((stream, bytes))
    }

    func askPassword(_ prompt: String) throws(Failure) -> [UInt8] {
        prompts.append(prompt)
        guard let next = typed.popFirst() else {
            throw Failure("there is no terminal to ask for the password on")
        }
        return Array(next.utf8)
    }

    func askLine(_ prompt: String) throws(Failure) -> String {
        prompts.append(prompt)
        guard let line = try readLine() else { throw Failure("nothing was typed") }
        return String(decoding: line, as: UTF8.self)
    }

    func askText(_ prompt: String, isHidden: Bool) throws(Failure) -> [UInt8] {
        prompts.append(prompt)
        return try readAll()
    }

    func dropTypedAhead() {}

    func readAll() throws(Failure) -> [UInt8] {
        var all: [UInt8] = []
        while let line = try readLine() { all += line + Array("\n".utf8) }
        return all
    }

    func readLine() throws(Failure) -> [UInt8]? {
        guard let line = lines.popFirst() else { return nil }
        guard line.utf8.count <= LineBuffer.lineBytesMax else { throw .lineTooLong }
        return Array(line.utf8)
    }

    func read(_ path: String) throws(FileError) -> [UInt8] {
        guard let bytes = files[path] else { throw FileError.system(errno: 2) }
        return bytes
    }

    func write(_ bytes: [UInt8], toFile path: String) throws(FileError) {
        guard !path.hasPrefix("/full/") else { throw FileError.system(errno: 28) }
        files[path] = bytes
    }

    func resolve(_ path: String) -> String? { path }
}

extension AttributeBlock {
    /// The printed block of an item, as the daemon sends it.
    static func text(item: AgentDictionary, keychain: String) -> String {
        let found = FoundItem(
            class: item["class"]?.string ?? "",
            attributes: item["attributes"]?.dictionary ?? [:],
            keychain: item["keychain"]?.string
        )
        return text(item: found, keychain: keychain)
    }
}
