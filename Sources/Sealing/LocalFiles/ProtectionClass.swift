/// When an item's key is available: Apple's protection classes.
///
/// The numbers are part of the local formats and are never used for another class.
package enum ProtectionClass: UInt64, Hashable, Sendable, CaseIterable {
    case whenUnlocked = 1
    case afterFirstUnlock = 2
    case always = 3
    case whenUnlockedThisDeviceOnly = 4
    case afterFirstUnlockThisDeviceOnly = 5
    case alwaysThisDeviceOnly = 6
    case whenPasscodeSetThisDeviceOnly = 7

    /// Which secret opens the class's key.
    var tier: ProtectionTier {
        switch self {
        case .always, .alwaysThisDeviceOnly:
            .device
        case .whenUnlocked, .afterFirstUnlock, .whenUnlockedThisDeviceOnly,
            .afterFirstUnlockThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
            .passcode
        }
    }
}

/// What opens the key of a protection class.
enum ProtectionTier: UInt64, Sendable {
    /// The device secret alone.
    case device = 1
    /// Device secret and passcode; the device secret alone while there is no passcode.
    case passcode = 2
}
