internal import Foundation
internal import Synchronization

/// Tells programmers of writes that were dropped: in the log, each message once for a key, and
/// never with a value.
enum DroppedWrites {
    private static let written = Mutex<Set<String>>([])
    /// A longer key is cut off: it may be as long as a value.
    private static let charactersMax = 128
    /// The debug mode: a program with a fault stops where the fault is, as on Apple systems.
    private static let stopsProgram =
        ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_STORE_DEBUG"] == "1"

    /// Logs a write that this process drops; in the debug mode the program stops there.
    static func report(_ message: String, key: String) {
        if stopsProgram { fatalError(line(message, key)) }
        log(message, key: key)
    }

    /// Logs a write that the device refused later, long after the code that made it.
    static func log(_ message: String, key: String) {
        guard written.withLock({ $0.insert(key + "\0" + message).inserted }) else { return }
        NSLog("%@", line(message, key))
    }

    /// Logs why writes stay in the program's memory, once for each reason.
    static func logUnsaved(_ reason: String) {
        guard written.withLock({ $0.insert(reason).inserted }) else { return }
        NSLog(
            "%@",
            "NSUbiquitousKeyValueStore: what this program sets is not on the disk yet. \(reason)"
        )
    }

    private static func line(_ message: String, _ key: String) -> String {
        // With its control characters escaped, a key cannot begin a line of its own.
        let shown = key.prefix(charactersMax).debugDescription
        return "NSUbiquitousKeyValueStore: key \(shown): \(message)"
    }
}
