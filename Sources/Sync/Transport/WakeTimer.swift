internal import KSCCurl
internal import KSCLinux
internal import Glibc

/// Wakes a loop after a time in which the machine may sleep.
///
/// The time limit of poll stands still meanwhile: after an hour's sleep the loop would go on
/// waiting for what is long overdue.
final class WakeTimer: Sendable {
    /// Negative if the system gave none; then only poll's own limit counts.
    private let descriptor = keychain_boot_timer()

    /// Waits until curl has something to do, or for so long.
    func poll(_ multi: UnsafeMutableRawPointer, milliseconds: Int) {
        let limit = Int32(clamping: milliseconds)
        guard descriptor >= 0 else {
            unsafe curl_multi_poll(multi, nil, 0, limit, nil)
            return
        }
        // Zero would disarm it.
        keychain_set_timer(descriptor, Int64(max(1, milliseconds)))
        var timer = curl_waitfd(fd: descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        unsafe curl_multi_poll(multi, &timer, 1, limit, nil)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
