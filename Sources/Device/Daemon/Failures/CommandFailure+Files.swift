internal import KSAgent
package import KSFiles
package import KSDeviceKeys

extension CommandFailure {
    package init(_ error: FileError) {
        switch error {
        case .notRegular:
            self = .usage("That is a directory or a special file: name an ordinary file.")
        case .exists: self = .usage("A file of that name exists already: name another one.")
        case .system(let number):
            self = .diskTrouble(
                "The file cannot be read or written (\(AgentError.words(errno: number))): nothing"
                    + " was changed."
            )
        }
    }

    package init(_ error: ProtectedFileError) {
        switch error {
        case .locked: self = .locked
        case .notProtected: self = .other("That is not a protected file.")
        case .alreadyProtected: self = .other("The file is protected already.")
        case .notAuthentic:
            self = .other("The file was changed or cut short since it was protected.")
        case .otherDevice:
            self = .refused(
                "The file was protected on another device or with another --home: it can be opened"
                    + " only there."
            )
        case .updateThisClient:
            self = .other("A newer version has protected the file: update this program.")
        case .changedMeanwhile:
            self = .tryAgain("The file was changed in the meantime: nothing was done.")
        case .hasFurtherNames:
            self = .refused(
                "The file has further names (hard links) that would stay as they are: use -o."
            )
        }
    }
}

extension CommandFailure {
    package init(_ error: BackupError) {
        switch error {
        case .wrongPassphrase: self = .refused("Wrong passphrase: nothing was restored.")
        case .passphraseEmpty:
            self = .usage("The passphrase is empty: type one, or give a file with it.")
        case .passphraseNotText:
            self = .refused("The passphrase is not text in UTF-8: type another one.")
        case .memoryMissing:
            self = .tryAgain(
                "There is too little memory to work with the passphrase (128 MiB are needed): close"
                    + " other programs and try again."
            )
        case .notBackup: self = .other("That is not a backup.")
        case .notAuthentic:
            self = .other("The backup was changed or cut short: nothing was restored.")
        case .updateThisClient:
            self = .other("A newer version has written the backup: update this program.")
        }
    }
}
