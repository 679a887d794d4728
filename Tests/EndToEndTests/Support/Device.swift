import Foundation
import Synchronization
import KSTestPrograms
import Testing

/// One home with its daemon, and the commands as a user types them.
final class Device: Sendable {
    /// How long the key derivation from a password takes.
    enum Derivation {
        /// A millisecond.
        case cheap
        /// A tenth of a second, in which it waits: long enough for a kill in the middle of it.
        case slow
        /// As long as for users, and with as much memory.
        case full

        fileprivate var environment: [String: String] {
            switch self {
            case .cheap: [:]
            case .slow: [CheapDerivation.wait: "100"]
            case .full: ["LD_PRELOAD": ""]
            }
        }
    }

    let name: String
    let home: String
    let world: World
    private let environment: [String: String]
    private let programs: String
    private let daemon = Mutex<RunningProgram?>(nil)

    /// `programs`: the folder of its programs.
    init(
        _ name: String,
        world: World,
        derivation: Derivation = .cheap,
        programs: String = Programs.folder
    ) {
        (self.name, self.programs) = (name, programs)
        environment = derivation.environment
        self.world = world
        home = world.path(name)
    }

    /// The login keychain's path, as the tool prints it.
    var loginKeychain: String { home + "/keychains/login.keychain-db" }

    var runningDaemon: RunningProgram {
        get throws { try #require(daemon.withLock { $0 }) }
    }

    /// Starts the daemon here, not by the first command, so that its process is known.
    ///
    /// `runner`: the words before the command line, such as those that run it on another machine.
    func startDaemon(by runner: [String] = []) async throws {
        let program = try await RunningProgram(
            words: runner + [programs + "/sync-client", "daemon", "--home", home],
            folder: world.folder,
            environment: environment
        )
        daemon.withLock { $0 = program }
        let socket = home + "/run/agent.sock"
        let isReady = await eventually { Self.accepts(socket) || !program.isRunning }
        try #require(isReady && program.isRunning, "\(program.errors)")
    }

    /// Kills the daemon and starts it again, as after a power cut.
    func restartDaemonAfterKill() async throws {
        await (try runningDaemon).kill()
        try await startDaemon()
    }

    private static func accepts(_ path: String) -> Bool {
        let descriptor = UnixSocket.make()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return UnixSocket.connect(descriptor, to: path)
    }

    // MARK: Commands

    func start(
        _ program: String,
        _ arguments: [String],
        input: String? = nil,
        namesHome: Bool = true
    ) async throws -> RunningProgram {
        try await RunningProgram(
            program.hasPrefix("/") ? program : programs + "/" + program,
            namesHome ? arguments + ["--home", home] : arguments,
            folder: world.folder,
            environment: environment,
            input: input.map(ProgramInput.text) ?? .nothing
        )
    }

    func client(_ arguments: String..., input: String? = nil) async throws -> ProgramResult {
        try await start("sync-client", arguments, input: input).result()
    }

    func keychain(_ arguments: String...) async throws -> ProgramResult {
        try await start("keychain", arguments).result()
    }

    func signUp(
        account: String = World.account,
        kit: String = World.kit,
        invitation: String? = nil,
        through proxy: SizeProxy? = nil
    ) async throws -> ProgramResult {
        let arguments = try [
            "signup", "--server", proxy?.url ?? world.server.url,
            "--pin", proxy?.pin ?? world.server.pin, "--account", account, "--device", name,
            "--no-passcode", "--password-file", world.passwordFile, "--kit", world.path(kit),
        ]
        return try await start(
            "sync-client",
            arguments + (invitation.map { ["--invitation", $0] } ?? [])
        ).result()
    }

    func logIn(
        account: String = World.account,
        accountKey: String? = nil,
        password: String? = nil,
        pin: String? = nil,
        options: [String] = []
    ) async throws -> ProgramResult {
        let words = try [
            "login", "--server", world.server.url, "--pin", pin ?? world.server.pin,
            "--account", account, "--device", name, "--no-passcode", "--password-file", "-",
            "--account-key", accountKey ?? world.accountKey,
        ]
        let input = (password ?? World.password) + "\n"
        return try await start("sync-client", words + options, input: input).result()
    }

    func sync() async throws -> ProgramResult { try await client("sync") }

    // MARK: Synchronized generic passwords

    func save(
        _ service: String,
        _ password: String,
        _ options: [String] = []
    ) async throws {
        let result = try await start(
            "keychain",
            ["add-generic-password", "-U", "--sync", "-s", service, "-a", "ada", "-w", password]
                + options
        ).result()
        try #require(result.status == 0, "\(result)")
    }

    /// The password; nil if there is no such item.
    func password(_ service: String) async throws -> String? {
        let result = try await keychain(
            "find-generic-password",
            "--sync",
            "-s",
            service,
            "-a",
            "ada",
            "-w"
        )
        if result.status == 44 { return nil }
        try #require(result.status == 0, "\(result)")
        return String(result.output.dropLast())
    }

    func shows(_ service: String, _ password: String?) async throws -> Bool {
        try await self.password(service) == password
    }
}

// MARK: A server that went back

extension Device {
    /// Whether `status` says what a comparison with a server that went back has found.
    func hasCompared() async throws -> Bool {
        Self.saysHowItCompared(try await client("status").output)
    }

    /// Whether the device has ended its comparison, and sent everything.
    func isWell() async throws -> Bool {
        let status = try await client("status")
        return status.status == 0 && status.output.contains("\nunsent       0\n")
            && Self.saysHowItCompared(status.output)
    }

    /// Also in the words of the programs before.
    static func saysHowItCompared(_ status: String) -> Bool {
        status.contains(
            /(had gone back|went back|restored or replaced): (nothing|\d+ records? (sent|del|miss))/
        )
    }
}
