/// Why a backup could not be written or read, besides ``FileError``.
///
/// No case carries contents, so an error is always safe to log.
package enum BackupError: Error, Hashable {
    case wrongPassphrase
    case passphraseEmpty
    /// The passphrase is not text in UTF-8.
    case passphraseNotText
    /// There is too little memory for the passphrase's key derivation (128 MiB are needed).
    case memoryMissing
    /// It does not begin as a backup does.
    case notBackup
    /// It was changed or cut short.
    case notAuthentic
    /// Written by a newer version of this program.
    case updateThisClient(format: UInt64)
}
