internal import KSSealing
/// When a protected file can be read and written: Apple's four levels.
///
/// The numbers are part of the format and are never used for another level.
package enum FileClass: UInt64, Sendable, CaseIterable {
    /// While the device is unlocked.
    case complete = 1
    /// Read while the device is unlocked, written at any time.
    case completeUnlessOpen = 2
    /// After the first unlock since the start.
    case completeUntilFirstUnlock = 3
    /// At any time, on this device alone.
    case none = 4

    /// The class whose key opens the file's key.
    var protectionClass: ProtectionClass {
        switch self {
        case .complete, .completeUnlessOpen: .whenUnlocked
        case .completeUntilFirstUnlock: .afterFirstUnlock
        case .none: .always
        }
    }
}

/// Why a file could not be protected, or a protected one not be read, besides ``FileError``.
///
/// No case carries contents, so an error is always safe to log.
package enum ProtectedFileError: Error, Hashable {
    /// The class's key is not there: unlock the device first.
    case locked
    /// It does not begin as a protected file does.
    case notProtected
    case alreadyProtected
    /// It was changed, cut short, or assembled from several files.
    case notAuthentic
    /// It was protected on another device, or in another home.
    case otherDevice
    /// Written by a newer version of this program.
    case updateThisClient(format: UInt64)
    /// Somebody wrote to it in the meantime.
    case changedMeanwhile
    /// The file has further names (hard links), under which the old contents would remain.
    case hasFurtherNames
}
