internal import Dispatch
internal import Foundation

/// Ends the process when a graceful stop has not ended it in time.
///
/// Everything acknowledged is on disk already, so what is cut off is only connections, such as one
/// whose client stopped reading or never finished its handshake.
enum StopDeadline {
    private static let seconds = 4.5

    static func start() {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { _exit(0) }
    }
}
