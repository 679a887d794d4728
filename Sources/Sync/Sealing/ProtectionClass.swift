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

    /// The class of the same strength that may leave the device.
    package var portable: ProtectionClass {
        switch self {
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
            .whenUnlocked
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .afterFirstUnlock
        case .always, .alwaysThisDeviceOnly: .always
        }
    }

    /// Whether items of this class stay on the device, synchronizable or not.
    package var isThisDeviceOnly: Bool { portable != self }

    /// Whether its key is there before the first unlock.
    package var isAlways: Bool { portable == .always }
}
