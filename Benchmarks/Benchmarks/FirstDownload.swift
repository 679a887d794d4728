internal import Foundation
internal import KSAgent

/// The built programs, a server among them: what a look-up takes while a new device downloads
/// everything that the account has.
struct FirstDownload {
    private static let recordCount = 10_000
    private static let password = "a long password of the benchmark"

    let programs: String
    let folder: String
    let bareTable: String

    private var syncClient: String { programs + "/sync-client" }

    func measure() throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try write(Self.password + "\n", to: "password")
        let link = try DelayedLink()
        let url = "https://127.0.0.1:\(link.port)"
        let server = try Program(
            programs + "/sync-server",
            [
                "serve", "--data", folder + "/server", "--listen", "127.0.0.1:0", "--origin", url,
                "--registration", "open", "--new-quota", "none",
            ],
            output: folder + "/server.out"
        )
        defer { server.stop() }
        let (port, pin) = try address()
        link.start(to: port)
        try fill(url, pin)
        try download(url, pin, link)
    }

    /// "listening on ADDRESS URL key PIN", once it is there.
    private func address() throws -> (port: UInt16, pin: String) {
        for _ in 0..<2000 {
            let text = try String(contentsOfFile: folder + "/server.out", encoding: .utf8)
            let words = text.split(separator: "\n").first?.split(separator: " ") ?? []
            if text.contains("\n"), words.count >= 5,
                let port = words[2].split(separator: ":").last.flatMap({ UInt16($0) })
            {
                return (port, String(words[4]))
            }
            usleep(10_000)
        }
        throw Program.Failed()
    }

    /// An account whose server has all records.
    private func fill(_ url: String, _ pin: String) throws {
        var table = "name,url,username,password,note\n"
        for number in 0..<Self.recordCount {
            table += "site \(number),https://\(number).example.org/,ada,secret \(number),\n"
        }
        try write(table, to: "table.csv")
        let signUp = ["signup", "--kit", folder + "/kit.txt"]
        try Program.run(syncClient, joinArguments(url, pin, "laptop", signUp))
        defer { stop("laptop") }
        for command in [["import", folder + "/table.csv"], ["sync"]] {
            try Program.run(syncClient, command + ["--home", folder + "/laptop"])
        }
    }

    private func download(_ url: String, _ pin: String, _ link: DelayedLink) throws {
        let kit = try String(contentsOfFile: folder + "/kit.txt", encoding: .utf8)
        guard let key = kit.firstMatch(of: /K1(-[0-9A-Z]+)+/) else { throw Program.Failed() }
        _ = try AgentHome(argument: folder + "/phone")
        try Program.run(syncClient, ["status", "--home", folder + "/phone"])
        defer { stop("phone") }
        let lookUps = try LookUps(home: folder + "/phone")
        let idle = try lookUps.milliseconds { $0 < 1000 }
        let login = ["login", "--account-key", String(key.output.0)]
        let clock = ContinuousClock()
        let start = clock.now
        // The daemon begins to download as soon as it has joined; `sync` ends when all is there.
        let joining = try Program(syncClient, joinArguments(url, pin, "phone", login))
        var times = try lookUps.milliseconds { _ in try !joining.hasEnded() }
        let sync = try Program(syncClient, ["sync", "--home", folder + "/phone"])
        times += try lookUps.milliseconds { _ in try !sync.hasEnded() }
        times.sort()
        let seconds = (clock.now - start) / .seconds(1)
        report(
            "look a secret up through the socket during a first download, median",
            milliseconds: times[times.count / 2],
            bareMilliseconds: idle[idle.count / 2],
            aimMilliseconds: 1
        )
        try Program.run(syncClient, ["status", "--home", folder + "/laptop"])
        defer { stop("laptop") }
        let delay = KeyValueDelay(
            programs: programs,
            folder: folder,
            from: folder + "/laptop",
            to: folder + "/phone"
        )
        try delay.measure(link)
        try delay.countBatches()
        print("the same on a device with an account:")
        try KeyValueOpening(
            programs: programs,
            bareTable: bareTable,
            home: folder + "/laptop",
            hasAccount: true
        ).measure()
        print(
            "    1 of 100 takes \((times[times.count * 99 / 100] * 100).rounded() / 100) ms;"
                + " \(times.count) look-ups until \(Self.recordCount) records are there,"
                + " login included, after \((seconds * 100).rounded() / 100) s"
        )
    }

    private func joinArguments(
        _ url: String,
        _ pin: String,
        _ device: String,
        _ command: [String]
    ) -> [String] {
        command + [
            "--server", url, "--pin", pin, "--account", "benchmark", "--device", device,
            "--no-passcode", "--password-file", folder + "/password",
            "--home", folder + "/" + device,
        ]
    }

    private func stop(_ device: String) {
        // A daemon that cannot be stopped ends with its home, which is about to be removed.
        try? Program.run(syncClient, ["stop", "--home", folder + "/" + device])
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        unsafe chmod(folder + "/" + name, 0o600)
    }
}

/// Look-ups of one password of this program's own, one a millisecond.
private struct LookUps {
    private let client: AgentClient
    private let names: AgentDictionary = ["svce": .string("own"), "acct": .string("ada")]

    init(home: String) throws {
        client = try AgentClient(home: try AgentHome(argument: home), startsDaemon: false)
        _ = try client.call(
            "item.add",
            [
                "class": .string("genp"), "attributes": .dictionary(names),
                "secret": .data(Array("found".utf8)),
            ]
        )
    }

    /// What each took, in rising order; `goesOn` is given how many there were.
    func milliseconds(while goesOn: (Int) throws -> Bool) throws -> [Double] {
        let clock = ContinuousClock()
        var times: [Double] = []
        while try goesOn(times.count) {
            usleep(1000)
            let time = try clock.measure {
                _ = try client.call(
                    "item.find",
                    [
                        "class": .string("genp"), "attributes": .dictionary(names),
                        "limit": .integer(1), "wantsSecret": .bool(true),
                    ]
                )
            }
            times.append(time / .milliseconds(1))
        }
        return times.sorted()
    }
}
