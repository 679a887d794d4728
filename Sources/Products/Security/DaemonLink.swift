internal import KSAgent
internal import Glibc
internal import Synchronization

/// The daemon of the home that the environment names.
enum DaemonLink {
    static let shared = AgentLink()

    private static let told = Mutex<Set<String>>([])

    /// Writes to standard error why the daemon cannot be reached, once for each reason: a status
    /// alone does not tell a developer what to install.
    static func explain(_ error: AgentError) {
        if case .failed = error { return }
        let sentence = error.sentence
        guard told.withLock({ $0.insert(sentence).inserted }) else { return }
        let line = Array("keychain: \(sentence)\n".utf8)
        // If standard error is closed, the message is lost.
        _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }
}
