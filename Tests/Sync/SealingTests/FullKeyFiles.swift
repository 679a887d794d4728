import KSDeviceKeys
import KSSealing
import Synchronization

/// Files in memory, on a disk that can be full.
final class FullKeyFiles: KeyFileStorage {
    let isFull = Mutex(false)
    private let files = MemoryKeyFiles()

    func read(_ name: KeyFileName) -> [UInt8]? {
        files.read(name)
    }

    func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError) {
        guard !isFull.withLock({ $0 }) else {
            throw .keyFileUnavailable(name, systemError: 28)
        }
        files.replace(name, with: bytes)
    }
}
