import Foundation

/// Whether this is a release build; another one takes 20 times as long.
let isOptimized: Bool = {
    var isOptimized = true
    assert({ isOptimized = false }() == ())
    return isOptimized
}()

/// Whether all histories run, as in `make check`; they take minutes.
let isThorough =
    isOptimized && ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_THOROUGH"] == "1"
