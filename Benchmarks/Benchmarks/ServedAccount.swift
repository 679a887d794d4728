internal import Foundation

/// A server of the benchmark's own, and devices of one account, each with a home in a folder.
struct ServedAccount {
    private static let password = "a long password of the benchmark"

    let programs: String
    let folder: String

    private var syncClient: String { programs + "/sync-client" }

    init(programs: String, folder: String) throws {
        (self.programs, self.folder) = (programs, folder)
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try write(Self.password + "\n", to: "password")
    }

    // MARK: The server

    var serverData: String { folder + "/server" }

    /// Starts a server, and waits until it listens.
    ///
    /// `port`: 0 takes any.
    func serve(
        port: UInt16 = 0,
        _ arguments: [String] = []
    ) throws -> (server: Program, port: UInt16, pin: String) {
        let output = folder + "/server.out"
        try write("", to: "server.out")
        let server = try Program(
            programs + "/sync-server",
            [
                "serve", "--data", serverData, "--listen", "127.0.0.1:\(port)",
                "--registration", "open", "--new-quota", "none",
            ] + arguments,
            output: output
        )
        // "listening on ADDRESS URL key PIN", once it is there.
        for _ in 0..<2000 {
            let text = try String(contentsOfFile: output, encoding: .utf8)
            let words = text.split(separator: "\n").first?.split(separator: " ") ?? []
            if text.contains("\n"), words.count >= 5,
                let port = words[2].split(separator: ":").last.flatMap({ UInt16($0) })
            {
                return (server, port, String(words[4]))
            }
            usleep(10_000)
        }
        server.stop()
        throw Program.Failed()
    }

    // MARK: Devices

    func home(_ device: String) -> String { folder + "/" + device }

    func run(_ device: String, _ words: [String], output: String = "/dev/null") throws {
        try Program.run(syncClient, words + ["--home", home(device)], output: output)
    }

    /// The arguments of a sign-up or a login.
    func joinArguments(
        _ url: String,
        _ pin: String,
        _ device: String,
        _ command: [String]
    ) -> [String] {
        command + [
            "--server", url, "--pin", pin, "--account", "benchmark", "--device", device,
            "--no-passcode", "--password-file", folder + "/password", "--home", home(device),
        ]
    }

    /// Signs up, which writes the kit.
    func signUp(_ url: String, _ pin: String, _ device: String) throws {
        let command = ["signup", "--kit", folder + "/kit.txt"]
        try Program.run(syncClient, joinArguments(url, pin, device, command))
    }

    /// Imports items, and sends them.
    func add(_ numbers: Range<Int>, to device: String) throws {
        var table = "name,url,username,password,note\n"
        for number in numbers {
            table += "site \(number),https://\(number).example.org/,ada,secret \(number),\n"
        }
        try write(table, to: "table.csv")
        try run(device, ["import", folder + "/table.csv"])
        try run(device, ["sync"])
    }

    func stop(_ device: String) {
        // A daemon that cannot be stopped ends with its home, which is about to be removed.
        try? run(device, ["stop"])
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        unsafe chmod(folder + "/" + name, 0o600)
    }
}
