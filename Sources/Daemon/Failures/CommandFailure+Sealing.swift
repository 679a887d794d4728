internal import KSAgent
package import KSSealing

extension CommandFailure {
    package init(_ error: SealingError) {
        switch error {
        case .accountKeyMistyped, .accountKeyVersionUnknown, .passwordNotText, .memoryMissing,
            .wrongPassword:
            self.init(credentials: error)
        case .keyFileOpenToOthers, .keyFileDamaged, .keyFileMissing, .keyFileUnavailable:
            self.init(keyFile: error)
        case .notAuthentic, .malformed:
            self = .other(
                "Something sealed on this device was changed or damaged: restore its home from a"
                    + " backup, or log in again with another --home."
            )
        case .tooLarge: self = .other("Something is larger than may be sealed.")
        case .updateThisClient, .generationUnknown:
            self = .other("A newer version has written this: update this program.")
        case .formatTooOld, .generationRetired, .beyondClosingVector:
            self = .other(
                "Something is sealed in a way that the account no longer accepts: update the device"
                    + " that wrote it."
            )
        case .circle, .circleRolledBack:
            self = .refused(
                "The server shows a list of devices that cannot be right: do not trust it before"
                    + " you know why; nothing was kept."
            )
        case .envelopesForged: self = .envelopesForged
        case .notMember:
            self = .refused(
                "This device is not part of the account any more: log in again with another --home."
            )
        case .classLocked: self = .tryAgain("The keychain is locked: unlock it and try again.")
        case .wrongPasscode, .passcodeNeeded, .passcodeNotSet, .passcodeAlreadySet,
            .passcodeEmpty:
            self.init(passcode: error)
        }
    }

    private init(credentials error: SealingError) {
        switch error {
        case .accountKeyMistyped(let groups) where groups.isEmpty:
            self = .refused(
                "The Account Key is mistyped: compare it with the kit, group by group; after K1 it"
                    + " has six of five letters and digits."
            )
        case .accountKeyMistyped(let groups):
            let which = groups.map(String.init).joined(separator: ", ")
            self = .refused(
                "The Account Key is mistyped in group \(which) (counted after K1): compare it with"
                    + " the kit."
            )
        case .accountKeyVersionUnknown:
            self = .refused(
                "An Account Key begins with K1: compare it with the kit, or update this program."
            )
        case .passwordNotText:
            self = .refused("The password is not text in UTF-8: type another one.")
        case .memoryMissing:
            self = .tryAgain(
                "There is too little memory to work with the password (128 MiB are needed): close"
                    + " something and try again."
            )
        default:
            self = .refused("Wrong password, or the Account Key of another account: check both.")
        }
    }

    private init(passcode error: SealingError) {
        switch error {
        case .passcodeNeeded:
            self = .refused("This device has a passcode: type it, or give a file with it.")
        case .passcodeNotSet: self = .refused("This device has no passcode: set one first.")
        case .passcodeAlreadySet:
            self = .refused("This device has a passcode already: change or remove it.")
        case .passcodeEmpty:
            self = .usage("The passcode is empty: type one, or give a file with it.")
        default: self = .refused("Wrong passcode: nothing was unlocked or changed.")
        }
    }

    private init(keyFile error: SealingError) {
        switch error {
        case .keyFileOpenToOthers(let name):
            self = .refused(
                "The file \(name.rawValue) in the home directory can be read by others: set its"
                    + " permissions to 600."
            )
        case .keyFileMissing(let name):
            self = .diskTrouble(
                "The file \(name.rawValue) is missing from the home directory: restore it from a"
                    + " backup, without it the keychain cannot be opened."
            )
        case .keyFileUnavailable(let name, let number):
            self = .diskTrouble(
                "The file \(name.rawValue) in the home directory cannot be used"
                    + " (\(AgentError.words(errno: number))): check the disk and its permissions."
            )
        default:
            self = .diskTrouble(
                "A key file in the home directory is damaged or another device's: restore it from a"
                    + " backup."
            )
        }
    }
}
