internal import Foundation

/// Whether this is a release build; another one takes 20 times as long.
package let isOptimized: Bool = {
    var isOptimized = true
    assert({ isOptimized = false }() == ())
    return isOptimized
}()

/// Whether all seeds and histories run, as in `make check`; they take minutes.
package let isThorough =
    isOptimized && ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_THOROUGH"] == "1"
