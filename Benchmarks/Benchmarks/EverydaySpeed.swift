internal import Foundation

/// The commands for people over ten thousand items, each as a whole process.
struct EverydaySpeed {
    private static let runs = 20
    private static let itemCount = 10_000
    private static let grownBytesMax = 2 << 20
    private static let importedRate = 2_500.0

    let programs: String
    let folder: String

    private var home: String { folder + "/everyday" }
    private var keychain: String { programs + "/keychain" }

    func measure() throws {
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let table = folder + "/everyday.csv"
        let rows = (0..<Self.itemCount).map { number in
            "Site \(number),https://www.site\(number).example,user\(number)@mail.example,"
                + "pw\(number),"
        }
        let text = "name,url,username,password,note\n" + rows.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: table))
        let time = try ContinuousClock().measure {
            try Program.run(programs + "/sync-client", ["import", table, "--home", home])
        }
        let rate = Double(Self.itemCount) / (time / .seconds(1))
        print(
            "import of a table: \(Int(rate)) rows/s, read, reported and stored"
                + " (aim \(Int(Self.importedRate))/s:"
                + " \(verdict(isReached: rate >= Self.importedRate)))"
        )
        defer {
            // The benchmark is over, with or without an orderly end of its daemon.
            try? Program.run(programs + "/sync-client", ["stop", "--home", home])
        }
        try measureMemory()
        let bare = try median { try Program.run("/bin/true", []) }
        func measure(_ what: String, _ words: [String], aim: Double) throws {
            let words = words.first == "run" ? words : words + ["--home", home]
            let ours = try median { try Program.run(keychain, words) }
            report(
                "\(what), of \(Self.itemCount) items",
                milliseconds: ours,
                bareMilliseconds: bare,
                aimMilliseconds: aim
            )
        }
        try measure("keychain list", ["list"], aim: 60)
        try measure("keychain search", ["search", "site 777"], aim: 30)
        try measure("keychain show", ["show", "Site 777"], aim: 8)
        let reference = "A=keychain://www.site777.example/user777@mail.example"
        try measure(
            "keychain run",
            ["run", "--home", home, "-e", reference, "--", "true"],
            aim: 11
        )
    }

    /// The daemon's memory, which a list enlarges for a minute.
    private func measureMemory() throws {
        let client = programs + "/sync-client"
        try Program.run(client, ["stop", "--home", home])
        try Program.run(client, ["status", "--home", home])
        let daemon = try DaemonProcess(home: home)
        let fresh = try daemon.privateBytes()
        try Program.run(keychain, ["list", "--home", home])
        let listed = try daemon.privateBytes()
        sleep(65)
        let later = try daemon.privateBytes()
        func text(_ bytes: Int) -> String { "\(Double(bytes / 104_858) / 10) MiB" }
        let result = verdict(isReached: later - fresh <= Self.grownBytesMax)
        print(
            "daemon's own memory: \(text(fresh)) fresh, \(text(listed)) after a list of"
                + " \(Self.itemCount) items, \(text(later)) after 65 s"
                + " (aim 2 MiB more than fresh: \(result))"
        )
    }

    private func median(_ body: () throws -> Void) throws -> Double {
        let clock = ContinuousClock()
        try body()
        var times: [Double] = []
        for _ in 0..<Self.runs {
            times.append(try clock.measure { try body() } / .milliseconds(1))
        }
        return times.sorted()[Self.runs / 2]
    }
}
