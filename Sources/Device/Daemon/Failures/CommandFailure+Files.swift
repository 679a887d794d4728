internal import KSAgent
package import KSFiles
package import KSDeviceKeys

extension CommandFailure {
    package init(_ error: FileError) {
        switch error {
        case .notRegular: self.init(code: .fileNotOrdinary)
        case .exists: self.init(code: .fileExists)
        case .system(let number):
            self.init(code: .fileUnusable, ["reason": AgentError.words(errno: number)])
        }
    }

    package init(_ error: ProtectedFileError) {
        let code: MessageCode =
            switch error {
            case .locked: .locked
            case .notProtected: .fileNotProtected
            case .alreadyProtected: .fileAlreadyProtected
            case .notAuthentic: .fileNotAuthentic
            case .otherDevice: .fileOfOtherDevice
            case .updateThisClient: .fileFormatNewer
            case .changedMeanwhile: .fileChangedMeanwhile
            case .hasFurtherNames: .fileHasLinks
            }
        self.init(code: code)
    }

    package init(_ error: BackupError) {
        let code: MessageCode =
            switch error {
            case .wrongPassphrase: .backupWrongPassphrase
            case .passphraseEmpty: .backupPassphraseEmpty
            case .passphraseNotText: .backupPassphraseNotText
            case .memoryMissing: .backupMemoryMissing
            case .notBackup: .notABackup
            case .notAuthentic: .backupNotAuthentic
            case .updateThisClient: .backupNewer
            }
        self.init(code: code)
    }
}
