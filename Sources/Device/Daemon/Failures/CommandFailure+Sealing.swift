internal import KSAgent
package import KSSealing

extension CommandFailure {
    package init(_ error: SealingError) {
        let exit: Exit =
            switch error {
            case .accountKeyMistyped, .accountKeyVersionUnknown, .passwordNotText, .wrongPassword,
                .passcodeNeeded, .passcodeNotSet, .passcodeAlreadySet, .wrongPasscode,
                .keyFileOpenToOthers, .circle, .circleRolledBack, .envelopesForged, .notMember:
                .refused
            case .memoryMissing, .classLocked: .tryAgain
            case .passcodeEmpty: .usage
            case .keyFileMissing, .keyFileUnavailable, .keyFileDamaged: .diskTrouble
            case .notAuthentic, .malformed, .tooLarge, .updateThisClient, .generationUnknown,
                .formatTooOld, .generationRetired, .beyondClosingVector:
                .other
            }
        self.init(exit, error.sentence)
    }
}

extension SealingError {
    fileprivate var sentence: String {
        switch self {
        case .accountKeyMistyped(let groups) where groups.isEmpty:
            "The Account Key is mistyped: compare it with the kit, group by group; after K1 it"
                + " has six of five letters and digits."
        case .accountKeyMistyped(let groups):
            "The Account Key is mistyped in group "
                + groups.map(String.init).joined(separator: ", ")
                + " (counted after K1): compare it with the kit."
        case .accountKeyVersionUnknown:
            "An Account Key begins with K1: compare it with the kit, or update this program."
        case .passwordNotText: "The password is not text in UTF-8: type another one."
        case .memoryMissing:
            "There is too little memory to work with the password (128 MiB are needed): close"
                + " other programs and try again."
        case .wrongPassword: "Wrong password, or the Account Key of another account: check both."
        case .passcodeNeeded: "This device has a passcode: type it, or give a file with it."
        case .passcodeNotSet: "This device has no passcode: set one first."
        case .passcodeAlreadySet: "This device already has a passcode: change or remove it."
        case .passcodeEmpty: "The passcode is empty: type one, or give a file with it."
        case .wrongPasscode: "Wrong passcode: nothing was unlocked or changed."
        case .keyFileOpenToOthers(let name):
            "The file \(name.rawValue) in the home directory can be read by others: set its"
                + " permissions to 600."
        case .keyFileMissing(let name):
            "The file \(name.rawValue) is missing from the home directory: restore it from a"
                + " backup, without it the keychain cannot be opened."
        case .keyFileUnavailable(let name, let number):
            "The file \(name.rawValue) in the home directory cannot be used"
                + " (\(AgentError.words(errno: number))): check the disk and its permissions."
        case .keyFileDamaged:
            "A key file in the home directory is damaged or another device's: restore it from a"
                + " backup."
        case .notAuthentic, .malformed:
            "Something sealed on this device was changed or damaged: restore its home from a"
                + " backup, or log in again with another --home."
        case .tooLarge: "The item or name is too large: make it smaller."
        case .updateThisClient, .generationUnknown:
            "A newer version has written this: update this program."
        case .formatTooOld, .generationRetired, .beyondClosingVector:
            "Something is sealed in a way that the account no longer accepts: update the device"
                + " that wrote it."
        case .circle, .circleRolledBack:
            "The server shows a list of devices that cannot be right: do not trust it before"
                + " you know why; nothing was kept."
        case .envelopesForged: CommandFailure.envelopesForged.sentence
        case .notMember:
            "This device no longer belongs to the account: log in again with another --home."
        case .classLocked: CommandFailure.locked.sentence
        }
    }
}
