internal import ArgumentParser
internal import Foundation
internal import Glibc

/// What a run measures.
struct RunOptions {
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case streams, pushes, nothingNew = "nothing-new", mixed, postgresql, kinto
    }

    var programs: String
    var scripts: String
    var folder: String
    var parts: Set<Part>
    var streams: Int
    var mixedSeconds: Int
    var isShort: Bool
    var kinto: String?
}

@main
struct ServerBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-benchmarks",
        abstract: "Measures sync-server on this machine: `make bench-server`."
    )

    @Option(help: "The folder with the programs.")
    var programs: String

    @Option(help: "The folder with kinto-upload.")
    var scripts = "Benchmarks/Server"

    @Option(help: "Where everything lies; removed at the end.")
    var folder: String?

    @Option(help: "A data directory to use, or to make and keep.")
    var data: String?

    @Option(help: "How many accounts the embedded store has.")
    var accounts = 10_000

    @Option(help: "How many devices an account has.")
    var devices = 5

    @Option(help: "How many records an account has.")
    var records = 500

    @Option(help: "How many event streams wait at once.")
    var streams = 10_000

    @Option(help: "For how long the mixed load lasts.")
    var mixedSeconds = 300

    @Option(help: "A Python venv with Kinto; without it Kinto is left out.")
    var kinto: String?

    @Option(help: "Only this: \(RunOptions.Part.allCases.map(\.rawValue).joined(separator: ", ")).")
    var only: [RunOptions.Part] = []

    @Flag(help: "Everything for a few seconds only, to try this program.")
    var short = false

    func run() throws {
        let folder = try folder ?? Self.makeFolder()
        defer {
            // Whatever is left lies in the temporary folder.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let options = RunOptions(
            programs: programs,
            scripts: scripts,
            folder: folder,
            parts: Set(only.isEmpty ? RunOptions.Part.allCases : only),
            streams: streams,
            mixedSeconds: short ? 20 : mixedSeconds,
            isShort: short,
            kinto: kinto
        )
        print("\(Machine.text); load before: \(Machine.load)")
        let embedded: Set<RunOptions.Part> = [.streams, .pushes, .nothingNew, .mixed]
        if !options.parts.isDisjoint(with: embedded) {
            try EmbeddedRun(
                options: options,
                contents: StoreContents(accounts: accounts, devices: devices, records: records),
                data: data ?? folder + "/data"
            ).measure()
        }
        if options.parts.contains(.postgresql) { try PostgreSQLRun(options: options).measure() }
        print("\nload after: \(Machine.load); missed aims: \(Report.missedCount)")
        if Report.missedCount > 0 { throw ExitCode.failure }
    }

    private static func makeFolder() throws -> String {
        let folder = NSTemporaryDirectory() + "bench-server-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }
}
