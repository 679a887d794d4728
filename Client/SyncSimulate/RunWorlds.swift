import ArgumentParser
import KSBytes
import Simulation

/// `sync-simulate worlds`: runs simulated worlds and reports broken promises.
struct RunWorlds: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worlds",
        abstract: "Runs worlds in which a seed decides what happens.",
        discussion: "The word worlds can be left out: sync-simulate --seed 7 runs a world."
    )

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "The number of seeds, which run one after the other.")
    var seeds: UInt64 = 1

    @Option(help: "The number of devices, 1 to 6; by default two to four, chosen by the seed.")
    var devices: Int?

    @Option(help: "The number of the users' actions.")
    var steps = WorldSettings().steps

    @Option(help: "The number of different items.")
    var items = WorldSettings().itemCount

    @Option(help: "How many fields of items are written beside the secret, 1 to 3.")
    var fields = WorldSettings().fieldCount

    @Option(help: "How often a message is lost, from 0 to 1.")
    var losses = WorldSettings().lossProbability

    @Option(help: "How often a device is restarted before an action, from 0 to 1.")
    var restarts = WorldSettings().restartProbability

    @Option(help: "How often the power of a machine fails in a step of sync, from 0 to 1.")
    var powerFailures = WorldSettings().powerFailureProbability

    @Option(help: "A record with more siblings than this is written back.")
    var writeBack = WorldSettings().writeBackSiblingsMax

    @Option(help: "How often a device is cloned before an action, from 0 to 1.")
    var clones = WorldSettings().cloneProbability

    @Option(help: "How often a database is copied, or put back to its copy, from 0 to 1.")
    var putBacks = WorldSettings().putBackProbability

    @Option(help: "How often a device leaves the account and joins it again, from 0 to 1.")
    var returns = WorldSettings().returnProbability

    @Option(help: "How often an unused device is revoked, from 0 to 1; at most three are.")
    var revocations = WorldSettings().revocationProbability

    @Option(help: "How often the account's password is changed, from 0 to 1.")
    var passwords = WorldSettings().passwordProbability

    @Option(help: "How often a new device joins the account, from 0 to 1; at most three do.")
    var joins = WorldSettings().joinProbability

    @Option(help: "How often the server is backed up, or restored from its backup, from 0 to 1.")
    var restores = WorldSettings().restoreProbability

    @Option(help: "How often a restore takes a backup before the last one, from 0 to 1.")
    var olderBackups = WorldSettings().olderBackupProbability

    @Option(help: "How often the server loses everything, from 0 to 1.")
    var empties = WorldSettings().emptyProbability

    @Option(help: "How often the server removes deleted records, from 0 to 1.")
    var removals = WorldSettings().removalProbability

    @Option(help: "How often a device falls silent for long before an action, from 0 to 1.")
    var silences = WorldSettings().silentProbability

    @Option(help: "How often the account gets another server before an action, from 0 to 1.")
    var moves = WorldSettings().moveProbability

    @Option(help: "How often nearly all items are deleted at once, from 0 to 1.")
    var sweeps = WorldSettings().sweepProbability

    @Option(help: "How many of these are deleted at once; by default all.")
    var sweepPart: Int?

    @Option(help: "The largest request that a proxy lets through, in bytes; by default no proxy.")
    var proxyBytes: Int?

    @Option(help: "How often a key-value store is written before an action, from 0 to 1.")
    var keyValues = WorldSettings().keyValueProbability

    @Option(help: "How many of the seven merge types are written, chosen by the seed.")
    var mergeTypes = WorldSettings().mergeTypeCount

    @Option(
        help: """
            A mistake that is planted, to see that it is found. docs/Simulation.md lists them with \
            the worlds that show them.
            """,
        transform: RunWorlds.planted
    )
    var bug: PlantedBug?

    @Flag(help: "Print how often each fault and action happened in all worlds together.")
    var counts = false

    @Flag(help: "Shorten a world that breaks a promise, and print it as a story.")
    var shrink = false

    @Option(
        parsing: .upToNextOption,
        help: "Only these of the users' actions take place, by their numbers from 0."
    )
    var onlyActions: [Int] = []

    @Flag(help: "Print all events.")
    var trace = false

    @Option(
        help: """
            With --trace: print what each device has of an item, by its number, or of a key, \
            each time that it changes.
            """
    )
    var watch: String?

    func validate() throws {
        let probabilities = 0.0...1.0
        let rules: [(isKept: Bool, rule: String)] = [
            ((1...6).contains(devices ?? 1), "--devices takes a number from 1 to 6."),
            ((0...100_000).contains(steps), "--steps takes a number from 0 to 100000."),
            ((1...1000).contains(items), "--items takes a number from 1 to 1000."),
            ((1...3).contains(fields), "--fields takes a number from 1 to 3."),
            ((1...32).contains(writeBack), "--write-back takes a number from 1 to 32."),
            (
                [
                    clones, putBacks, returns, revocations, passwords, joins, restores, empties,
                    removals, silences, moves, sweeps, olderBackups, losses, restarts,
                    powerFailures,
                ].allSatisfy(probabilities.contains),
                "--losses, --restarts, --power-failures, --clones, --put-backs, --returns,"
                    + " --revocations, --passwords, --joins, --restores, --older-backups,"
                    + " --empties, --removals, --silences, --moves and --sweeps take a number from"
                    + " 0 to 1."
            ),
            (
                removals == 0 || [clones, putBacks, returns] == [0, 0, 0],
                "--removals goes without --clones, --put-backs and --returns."
            ),
            (
                moves == 0 || [clones, putBacks, returns, empties, removals] == [0, 0, 0, 0, 0],
                "--moves goes without --clones, --put-backs, --returns, --empties and --removals."
            ),
            (
                sweeps == 0 || [clones, putBacks, returns] == [0, 0, 0],
                "--sweeps goes without --clones, --put-backs and --returns."
            ),
            (
                restores == 0 || [clones, putBacks, returns] == [0, 0, 0],
                "--restores goes without --clones, --put-backs and --returns."
            ),
            (
                empties == 0 || [clones, putBacks, returns, restores] == [0, 0, 0, 0],
                "--empties goes without --clones, --put-backs, --returns and --restores."
            ),
            (probabilities.contains(keyValues), "--key-values takes a number from 0 to 1."),
            (sweepPart ?? 1 > 0, "--sweep-part takes a number above 0."),
            (proxyBytes ?? 1 > 0, "--proxy-bytes takes a number above 0."),
            ((1...7).contains(mergeTypes), "--merge-types takes a number from 1 to 7."),
            (watch == nil || trace, "--watch needs --trace."),
            (
                onlyActions.isEmpty || seeds == 1 && watch == nil,
                "--only-actions takes one seed, and no --watch."
            ),
            (
                onlyActions.allSatisfy((0..<steps).contains),
                "--only-actions takes numbers from 0 to below --steps."
            ),
            (
                watch.flatMap(Int.init).map((0..<items).contains) ?? true,
                "--watch takes the number of an item below --items, or a key."
            ),
            (seeds > 0, "--seeds takes a number above 0."),
            (
                !seed.addingReportingOverflow(seeds).overflow,
                "The sum of --seed and --seeds is too large."
            ),
        ]
        for (isKept, rule) in rules where !isKept { throw ValidationError(rule) }
    }

    private var settings: WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = devices
        settings.steps = steps
        settings.itemCount = items
        settings.fieldCount = fields
        settings.lossProbability = losses
        settings.restartProbability = restarts
        settings.powerFailureProbability = powerFailures
        settings.writeBackSiblingsMax = writeBack
        settings.cloneProbability = clones
        settings.putBackProbability = putBacks
        settings.returnProbability = returns
        settings.revocationProbability = revocations
        settings.passwordProbability = passwords
        settings.joinProbability = joins
        settings.restoreProbability = restores
        settings.olderBackupProbability = olderBackups
        settings.emptyProbability = empties
        settings.proxyBytesMax = proxyBytes
        settings.keyValueProbability = keyValues
        settings.mergeTypeCount = mergeTypes
        settings.removalProbability = removals
        settings.silentProbability = silences
        settings.moveProbability = moves
        settings.sweepProbability = sweeps
        settings.sweepPart = sweepPart
        settings.bug = bug
        return settings
    }

    func run() throws {
        let settings = settings
        var failures = 0
        var writeBacks = 0
        var happenings = Happenings()
        for seed in seed..<seed + seeds {
            let outcome =
                try onlyActions.isEmpty
                ? World.run(seed: seed, settings: settings, keepsTrace: trace, watching: watch)
                : World.run(
                    seed: seed,
                    settings: settings,
                    keepsTrace: trace,
                    onlyActions: onlyActions
                )
            writeBacks += outcome.writeBacks
            happenings = happenings + outcome.happenings
            for line in outcome.trace { print(line) }
            if let failure = outcome.failure {
                failures += 1
                print("seed \(seed): \(failure)")
                for reason in outcome.waiting { print("  \(reason)") }
                print("  to replay: \(replay(seed))")
                if shrink { try printShrunk(seed, settings) }
            } else if seeds == 1 {
                print("seed \(seed): every promise kept, trace \(outcome.traceHash)")
            }
        }
        if seeds > 1 {
            print("\(counted(seeds, "world")), \(failures) with a broken promise")
            if writeBacks > 0 { print("\(counted(writeBacks, "time")) a record was written back") }
        }
        if counts { for line in happenings.lines { print(line) } }
        if failures > 0 { throw ExitCode.failure }
    }

    /// Prints the shortest list of actions that breaks the same promise.
    private func printShrunk(_ seed: UInt64, _ settings: WorldSettings) throws {
        guard let found = try World.shrink(seed: seed, settings: settings) else { return }
        let numbers = found.actions.map(String.init).joined(separator: " ")
        let failure = found.outcome.failure.map { "\($0)" } ?? ""
        print("  with \(found.actions.count) of \(steps) actions: \(failure)")
        print("  to replay: \(replay(seed)) --only-actions \(numbers)")
        if let story = found.story {
            print("\n\(story)")
        } else {
            print("  As a story, in which the network loses nothing, its devices agree:\n")
            for line in found.lines { print(line) }
        }
        print("")
    }

    /// The planted bug of this name, as `--bug` gives it.
    private static func planted(_ name: String) throws -> PlantedBug {
        guard let bug = PlantedBug(named: name) else {
            let names = PlantedBug.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--bug takes one of \(names).")
        }
        return bug
    }

    private func replay(_ seed: UInt64) -> String {
        let options = settings.options
        return "sync-simulate --seed \(seed) --trace" + (options.isEmpty ? "" : " \(options)")
    }
}
