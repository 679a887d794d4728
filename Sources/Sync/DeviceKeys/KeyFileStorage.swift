package import KSSealing
internal import Synchronization

/// Where the files with keys are kept.
package protocol KeyFileStorage: Sendable {
    /// The file's bytes; nil when there is no such file.
    func read(_ name: KeyFileName) throws(SealingError) -> [UInt8]?

    /// Replaces the file of this name; after a crash, either the old or the new one is there.
    func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError)
}

/// Files in memory, for simulated devices and tests.
package final class MemoryKeyFiles: KeyFileStorage {
    private let files = Mutex<[KeyFileName: [UInt8]]>([:])

    package init() {}

    package func read(_ name: KeyFileName) -> [UInt8]? {
        files.withLock { $0[name] }
    }

    package func replace(_ name: KeyFileName, with bytes: [UInt8]) {
        files.withLock { $0[name] = bytes }
    }

    package func remove(_ name: KeyFileName) {
        files.withLock { $0[name] = nil }
    }
}
