/// Why a story could not be played on real programs.
package enum PlayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The programs do not stand beside this one.
    case programMissing(String, folder: String)
    case system(String)
    /// A command did something else than the line says.
    case commandFailed(String, status: Int32, says: String)
    case daemonFailed(device: String, says: String)
    case serverFailed(says: String)
    /// A command printed something that cannot be read.
    case answerUnreadable(String)
    case noItem(String, device: String)
    case noBackup
    /// Devices do not stop syncing; each reason says who waits for what.
    case notQuiet([String])

    package var description: String {
        switch self {
        case .programMissing(let name, let folder):
            "there is no \(name) in \(folder): --real needs sync-server, sync-client and keychain"
                + " beside sync-simulate, as make build and make install put them"
        case .system(let what): what
        case .commandFailed(let command, let status, let says):
            "\(command) ended with \(status)" + (says.isEmpty ? "" : ": \(says)")
        case .daemonFailed(let device, let says): "the daemon of \(device) does not run: \(says)"
        case .serverFailed(let says): "the server does not run: \(says)"
        case .answerUnreadable(let command): "the output of \(command) cannot be read"
        case .noItem(let item, let device): "\(device) shows no single item \(item)"
        case .noBackup: "the server has no backup"
        case .notQuiet(let reasons):
            "the devices do not come to rest: \(reasons.joined(separator: "; "))"
        }
    }
}
