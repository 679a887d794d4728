internal import KSDigests
internal import Foundation
internal import KSSealing
internal import KSSecrets
internal import Synchronization

let random = SystemRandomSource()

/// 400 bytes pad to the 512 that the bare loop handles; the context is as long as a record's.
func sealing() throws {
    let key = BoxKey(.random(from: random))
    let text = [UInt8](repeating: 0x61, count: 400)
    let context = [UInt8](repeating: 0x62, count: 200)
    let sample = key.seal(text, purpose: .record, context: context, random: random)
    let opened = try key.open(sample, purpose: .record, context: context)
    precondition(opened == text)

    let ours = runsPerSecond(count: 20_000) {
        let box = key.seal(text, purpose: .record, context: context, random: random)
        // What was opened above opens again; only the time is wanted here.
        _ = try? key.open(box, purpose: .record, context: context)
    }
    var bare = BareSealing()
    let bareRate = runsPerSecond(count: 20_000) { bare.sealAndOpen(context: context) }
    report("seal and open 400 bytes", ours: ours, bare: bareRate, aimPercent: 60)
}

let folder = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("keychain-sync-benchmarks-\(getpid())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
try sealing()
let keychain = try KeychainSpeed(folder: folder)
try keychain.adds()
try keychain.finds()
try keychain.lists()
try LookUpsDuringChanges(folder: folder).measure()
PickSpeed().measure()

if let programs = CommandLine.arguments.dropFirst().first {
    let commands = CommandSpeed(programs: programs, home: folder.path + "/home")
    try commands.prepare()
    do {
        try commands.processes()
        try commands.lookUps()
        try KeyValueSpeed(programs: programs, folder: folder, home: folder.path + "/home")
            .measure()
    } catch {
        try commands.stop()
        throw error
    }
    try commands.stop()
    try EverydaySpeed(programs: programs, folder: folder.path).measure()
    try MovingSpeed(programs: programs, folder: folder.path + "/moving").measure()
    try FirstDownload(
        programs: programs,
        folder: folder.path + "/download",
        bareTable: folder.path + "/bare.db"
    ).measure()
    try Reconciliation(programs: programs, folder: folder.path + "/restored").measure()
} else {
    print("give the folder of the release programs to measure those too: make bench does")
}

// Whatever is left lies in the temporary folder and is small.
try? FileManager.default.removeItem(at: folder)
let missed = missedAims.withLock { $0 }
if missed > 0 {
    print("missed aims: \(missed)")
    exit(1)
}
