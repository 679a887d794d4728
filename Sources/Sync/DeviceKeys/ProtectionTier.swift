internal import KSSealing

/// What opens the key of a protection class.
enum ProtectionTier: UInt64, Sendable {
    /// The device secret alone.
    case device = 1
    /// Device secret and passcode; the device secret alone while there is no passcode.
    case passcode = 2
}

extension ProtectionClass {
    /// Which secret opens the class's key.
    var tier: ProtectionTier { isAlways ? .device : .passcode }

    /// Whether its key is wiped when the device is locked.
    var isWipedOnLock: Bool { portable == .whenUnlocked }
}
