/// Which keys of the protection classes are at hand.
package enum LockState: String, Sendable, CaseIterable {
    /// Since the program started nobody has given the passcode: only the two Always classes.
    case beforeFirstUnlock
    case unlocked
    /// All but WhenUnlocked and WhenPasscodeSet.
    case locked
}

extension ProtectionClass {
    /// Whether its key is wiped when the device is locked.
    var isWipedOnLock: Bool {
        switch self {
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        case .afterFirstUnlock, .always, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly:
            false
        }
    }
}
