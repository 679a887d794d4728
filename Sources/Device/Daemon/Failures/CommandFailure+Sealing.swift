internal import Glibc
internal import KSAgent
internal import KSKeychain
package import KSSealing

extension CommandFailure {
    package init(_ error: SealingError) {
        switch error {
        case .accountKeyMistyped(let groups) where !groups.isEmpty:
            let shown = groups.map(String.init).joined(separator: ", ")
            self.init(code: .accountKeyGroupMistyped, ["groups": shown])
        case .keyFileOpenToOthers(let name):
            self.init(code: .keyFileOpenToOthers, ["file": name.rawValue])
        case .keyFileMissing(let name):
            self.init(code: .keyFileMissing, ["file": name.rawValue])
        case .keyFileUnavailable(_, ENOSPC), .keyFileUnavailable(_, EDQUOT):
            self.init(ItemStoreError.diskFull)
        case .keyFileUnavailable(let name, let number):
            self.init(
                code: .keyFileUnavailable,
                ["file": name.rawValue, "reason": AgentError.words(errno: number)]
            )
        default: self.init(code: MessageCode(error))
        }
    }
}

extension MessageCode {
    fileprivate init(_ error: SealingError) {
        self =
            switch error {
            case .accountKeyMistyped: .accountKeyMistyped
            case .accountKeyVersionUnknown: .accountKeyVersion
            case .passwordNotText: .passwordNotText
            case .memoryMissing: .memoryMissing
            case .wrongPassword: .wrongPassword
            case .passcodeNeeded: .passcodeNeeded
            case .passcodeNotSet: .passcodeNotSet
            case .passcodeAlreadySet: .passcodeAlreadySet
            case .passcodeEmpty: .passcodeEmpty
            case .wrongPasscode: .wrongPasscode
            case .keyFileOpenToOthers: .keyFileOpenToOthers
            case .keyFileMissing: .keyFileMissing
            case .keyFileUnavailable: .keyFileUnavailable
            case .keyFileDamaged: .keyFileDamaged
            case .notAuthentic, .malformed: .deviceDataDamaged
            case .tooLarge: .itemTooLarge
            case .updateThisClient, .generationUnknown: .formatNewer
            case .formatTooOld, .generationRetired, .beyondClosingVector: .formatRetired
            case .circle, .circleRolledBack: .devicesUntrusted
            case .envelopesForged: .keysFalse
            case .notMember: .notMember
            case .classLocked: .locked
            }
    }
}
