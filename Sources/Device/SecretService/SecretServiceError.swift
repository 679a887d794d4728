/// Why the Secret Service cannot be read.
package enum SecretServiceError: Error, Equatable {
    /// There is no session bus.
    case noBus
    /// Nobody on the bus offers the service.
    case noService
    /// It answered a call with an error, or not at all.
    case failed(method: String)

    /// One sentence for the user, with what to do.
    package var sentence: String {
        switch self {
        case .noBus:
            "There is no session bus: run this in your desktop session."
        case .noService:
            "No program offers the Secret Service here: start it, such as gnome-keyring-daemon."
        case .failed(let method):
            "The Secret Service does not answer \(method): see whether it runs, and try again."
        }
    }
}
