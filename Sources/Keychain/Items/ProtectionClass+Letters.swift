package import KSSealing

extension ProtectionClass {
    /// Apple's letters for it (`kSecAttrAccessible`).
    package var letters: String {
        switch self {
        case .whenUnlocked: "ak"
        case .afterFirstUnlock: "ck"
        case .always: "dk"
        case .whenUnlockedThisDeviceOnly: "aku"
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .alwaysThisDeviceOnly: "dku"
        case .whenPasscodeSetThisDeviceOnly: "akpu"
        }
    }

    package init?(letters: String) {
        guard let found = Self.allCases.first(where: { $0.letters == letters }) else { return nil }
        self = found
    }
}
