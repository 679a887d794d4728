internal import Foundation
internal import KSAgent

/// The built programs, a server among them: what a look-up takes while a new device downloads
/// everything that the account has.
struct FirstDownload {
    private static let recordCount = 10_000

    let programs: String
    let folder: String
    let bareTable: String

    private var syncClient: String { programs + "/sync-client" }

    func measure() throws {
        let account = try ServedAccount(programs: programs, folder: folder)
        let link = try DelayedLink()
        let url = "https://127.0.0.1:\(link.port)"
        let (server, port, pin) = try account.serve(["--origin", url])
        defer { server.stop() }
        link.start(to: port)
        try fill(account, url, pin)
        try download(account, url, pin, link)
    }

    /// An account whose server has all records.
    private func fill(_ account: ServedAccount, _ url: String, _ pin: String) throws {
        try account.signUp(url, pin, "laptop")
        defer { account.stop("laptop") }
        try account.add(0..<Self.recordCount, to: "laptop")
    }

    private func download(
        _ account: ServedAccount,
        _ url: String,
        _ pin: String,
        _ link: DelayedLink
    ) throws {
        let kit = try String(contentsOfFile: folder + "/kit.txt", encoding: .utf8)
        guard let key = kit.firstMatch(of: /K1(-[0-9A-Z]+)+/) else { throw Program.Failed() }
        _ = try AgentHome(argument: folder + "/phone")
        try Program.run(syncClient, ["status", "--home", folder + "/phone"])
        defer { account.stop("phone") }
        let lookUps = try LookUps(home: folder + "/phone")
        let idle = try lookUps.milliseconds { $0 < 1000 }
        let login = ["login", "--account-key", String(key.output.0)]
        let clock = ContinuousClock()
        let start = clock.now
        // The daemon begins to download as soon as it has joined; `sync` ends when all is there.
        let joining = try Program(syncClient, account.joinArguments(url, pin, "phone", login))
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
        defer { account.stop("laptop") }
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
