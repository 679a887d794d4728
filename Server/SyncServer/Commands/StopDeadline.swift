internal import Dispatch
internal import Foundation
internal import Logging

/// Ends the process when a graceful stop has not ended it in time.
///
/// All acknowledged data is on disk, so only connections are lost, such as one whose client stopped
/// reading. The log reports it, and the exit status is ``ExitReason/Code/failure``.
enum StopDeadline {
    private static let seconds = 4.5
    /// A log that nobody reads any more must not keep the process alive.
    private static let logSeconds = 0.2

    static func start(_ logger: Logger) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
            logger.error("the stop took too long: the remaining connections were cut off")
            _exit(ExitReason.Code.failure.rawValue)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds + logSeconds) {
            _exit(ExitReason.Code.failure.rawValue)
        }
    }
}
