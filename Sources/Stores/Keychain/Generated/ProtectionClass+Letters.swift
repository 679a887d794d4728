// DO NOT EDIT: scripts/generate-tables makes this from constants.table.
// swift-format-ignore-file

package import KSSealing

extension ProtectionClass {
    /// Apple's letters for it (`kSecAttrAccessible`).
    package var letters: String {
        switch self {
        case .afterFirstUnlock: "ck"
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .always: "dk"
        case .alwaysThisDeviceOnly: "dku"
        case .whenPasscodeSetThisDeviceOnly: "akpu"
        case .whenUnlocked: "ak"
        case .whenUnlockedThisDeviceOnly: "aku"
        }
    }

    package init?(letters: String) {
        switch letters {
        case "ck": self = .afterFirstUnlock
        case "cku": self = .afterFirstUnlockThisDeviceOnly
        case "dk": self = .always
        case "dku": self = .alwaysThisDeviceOnly
        case "akpu": self = .whenPasscodeSetThisDeviceOnly
        case "ak": self = .whenUnlocked
        case "aku": self = .whenUnlockedThisDeviceOnly
        default: return nil
        }
    }
}
