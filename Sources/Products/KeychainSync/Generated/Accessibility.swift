// DO NOT EDIT: scripts/generate-tables makes this from constants.table.
// swift-format-ignore-file

/// When an item can be read.
public enum Accessibility: String, Sendable, CaseIterable {
    /// Readable once the device was unlocked after it started.
    case afterFirstUnlock = "ck"
    /// Readable once the device was unlocked after it started; never leaves the device.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always readable.
    case always = "dk"
    /// Always readable; never leaves the device.
    case alwaysThisDeviceOnly = "dku"
    /// Readable while unlocked, gone with the passcode; never leaves the device.
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// Readable while the device is unlocked.
    case whenUnlocked = "ak"
    /// Readable while the device is unlocked; never leaves the device.
    case whenUnlockedThisDeviceOnly = "aku"
}
