internal import Glibc
internal import KSDeviceKeys
package import KSSealing

/// The disk of a simulated machine, with its files in memory.
///
/// What was written and not synced is lost or torn when its power fails.
package final class SimulatedDisk: KeyFileStorage, @unchecked Sendable {
    // Safety: a world uses its disks in one thread at a time, during a turn.

    /// The files of a disk, as its programs see them.
    package struct Contents: Sendable {
        fileprivate(set) var databases: [String: [UInt8]] = [:]
        fileprivate(set) var keyFiles: [KeyFileName: [UInt8]] = [:]
    }

    /// Why the disk does nothing.
    enum Trouble: Error {
        /// It has no room for what is written.
        case full
        /// Its power has failed.
        case off
    }

    private struct PowerFailure {
        var writesLeft: Int
        /// Decides what is left.
        let random: SimulationGenerator
    }

    /// The name of its database, whose log stands beside it.
    static let databaseName = "database"

    /// By which SQLite finds it.
    let number: Int
    /// Rises when its machine starts again after a power failure.
    private(set) var startCount = 0
    /// Whether nothing more can be written.
    var isFull = false
    /// Whether it says of what was written that it is synced, and it is not: a planted bug.
    var forgetsSyncs = false
    /// Whether it has refused a write since that was last looked at, because it is full.
    private var hasRefused = false
    /// The power failure to come, if any.
    private var failure: PowerFailure?
    /// Whether its power has failed.
    private(set) var isOff = false
    private var files: [String: DiskFile] = [:]
    private var keyFiles: [KeyFileName: [UInt8]] = [:]
    /// The file of keys that was being replaced when the power failed.
    private var halfReplaced: (name: KeyFileName, bytes: [UInt8])?

    init() {
        number = DiskFileSystem.takeNumber()
        DiskFileSystem.note(self)
    }

    deinit { DiskFileSystem.forget(number) }

    // MARK: Contents

    package var contents: Contents {
        Contents(databases: files.mapValues(\.bytes), keyFiles: keyFiles)
    }

    /// Puts other files in the place of its own, beneath the connection that has them open.
    ///
    /// No transaction is open then. The connection finds out at its next one, as if another process
    /// had written all of it, and keeps its statements.
    func replace(with contents: Contents) {
        replaceDatabase(with: contents)
        keyFiles = contents.keyFiles
    }

    /// The same of the database alone.
    func replaceDatabase(with contents: Contents) {
        for name in Set(files.keys).union(contents.databases.keys) {
            file(name).replace(with: contents.databases[name] ?? [])
        }
    }

    /// The file of a database, which is empty if it was not there.
    func file(_ name: String) -> DiskFile {
        if let file = files[name] { return file }
        let file = DiskFile(on: self)
        files[name] = file
        return file
    }

    func hasFile(_ name: String) -> Bool { files[name]?.bytes.isEmpty == false }

    // MARK: Files of keys

    package func read(_ name: KeyFileName) throws(SealingError) -> [UInt8]? {
        guard !isOff else { throw .keyFileUnavailable(name, systemError: EIO) }
        return keyFiles[name]
    }

    package func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError) {
        do throws(Trouble) {
            try noteWrite()
        } catch {
            let number = error == .full ? ENOSPC : EIO
            throw .keyFileUnavailable(name, systemError: number)
        }
        guard !isOff else {
            halfReplaced = (name, bytes)
            throw .keyFileUnavailable(name, systemError: EIO)
        }
        keyFiles[name] = bytes
    }

    // MARK: What goes wrong

    /// Counts a write that is about to take place.
    ///
    /// It may be the last one: then the power fails in the middle of it.
    func noteWrite() throws(Trouble) {
        guard !isOff else { throw .off }
        guard !isFull else {
            hasRefused = true
            throw .full
        }
        failure?.writesLeft -= 1
        isOff = failure?.writesLeft == 0
    }

    /// Whether it has refused a write since the last call.
    func takeRefusal() -> Bool {
        defer { hasRefused = false }
        return hasRefused
    }

    /// Lets the power fail in the middle of a further write, counted from 1.
    ///
    /// `seed`: decides what is left.
    func failPower(atWrite count: Int, seed: UInt64) {
        failure = PowerFailure(writesLeft: count, random: SimulationGenerator(seed: seed))
    }

    /// The power does not fail, unless it has.
    func keepPower() { if !isOff { failure = nil } }

    /// Does something in which the power does not fail; it may afterwards.
    func withPower<Result>(_ body: () throws -> Result) rethrows -> Result {
        let waiting = failure
        failure = nil
        defer { failure = waiting }
        return try body()
    }

    /// Nothing goes wrong any more.
    func endFaults() { (isFull, forgetsSyncs, hasRefused, failure) = (false, false, false, nil) }

    /// Starts the machine again, with what is left.
    ///
    /// The connections that were open are of no use any more.
    func restorePower() {
        guard isOff, var random = failure?.random else { return }
        // No decision depends on the order of a dictionary.
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            let bytes = file.survivors(using: &random)
            file.isLost = true
            files[name] = DiskFile(on: self, bytes)
        }
        if let (name, bytes) = halfReplaced, random.chance(0.5) { keyFiles[name] = bytes }
        (halfReplaced, failure, isOff) = (nil, nil, false)
        startCount += 1
    }
}
