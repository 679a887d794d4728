/// Why a backup could not be written or read.
///
/// No case carries contents, so an error is always safe to log.
package enum BackupError: Error, Hashable {
    case wrongPassphrase
    case passphraseEmpty
    /// The passphrase is not text in UTF-8.
    case passphraseNotText
    /// There is too little memory to stretch the passphrase (128 MiB are needed).
    case memoryMissing
    /// It does not begin as a backup does.
    case notBackup
    /// It was changed or cut short.
    case notAuthentic
    /// Written by a newer version of this program.
    case updateThisClient(format: UInt64)
    /// It is a directory, a device or a symbolic link.
    case notRegular
    /// There is a file of this name already.
    case exists
    /// The system refused; nothing was changed.
    case unavailable(systemError: Int32)
}

extension BackupError {
    init(_ error: ProtectedFileError) {
        switch error {
        case .exists: self = .exists
        case .notRegular: self = .notRegular
        case .unavailable(let number): self = .unavailable(systemError: number)
        case .locked, .notProtected, .alreadyProtected, .notAuthentic, .otherDevice,
            .updateThisClient, .changedMeanwhile, .hasFurtherNames:
            self = .notAuthentic
        }
    }
}
