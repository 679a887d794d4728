internal import Dispatch
internal import Foundation
internal import Logging

/// Ends the process when a graceful stop has not ended it in time.
///
/// Everything acknowledged is on disk already, so what is cut off is only connections, such as one
/// whose client stopped reading or never finished its handshake. It does not pass for a graceful
/// stop: the log says so, and the exit code is ``ExitReason/Code/failure``.
enum StopDeadline {
    private static let seconds = 4.5
    /// A log that nobody reads any more must not keep the process alive.
    private static let logSeconds = 0.2

    static func start(_ logger: Logger) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
            logger.error("the stop took too long: the connections left were cut off")
            _exit(ExitReason.Code.failure.rawValue)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds + logSeconds) {
            _exit(ExitReason.Code.failure.rawValue)
        }
    }
}
