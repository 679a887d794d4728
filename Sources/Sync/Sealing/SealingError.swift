package import KSRecords

/// Why something could not be sealed, opened or trusted.
///
/// No case carries contents or key bytes, so an error is always safe to log. A fault that the user
/// can fix has a case of its own; faults that only an attacker or a broken disk can cause share one
/// case, so that the error does not reveal how far a forgery got.
package enum SealingError: Error, Hashable {
    /// The box was changed, put in another place, or sealed with another key.
    case notAuthentic
    /// The box opened, but its contents do not have the form that the sealing program writes.
    case malformed
    /// Larger than ``Limits`` allows.
    case tooLarge

    /// Written by a newer version of this program.
    case updateThisClient(format: UInt64)
    /// Of a format that the account no longer accepts.
    case formatTooOld(format: UInt64)
    /// Sealed with a root key that this device does not hold.
    case generationUnknown(generation: UInt64)
    /// Sealed with a root key that the account no longer accepts.
    case generationRetired(generation: UInt64)
    /// Sealed with an older root key after that key's generation had ended.
    case beyondClosingVector

    /// A typing slip in these groups of the Account Key (1 is the one after `K1`); empty if the
    /// group is unknown.
    case accountKeyMistyped(groups: [Int])
    /// An Account Key that begins with another version than `K1`.
    case accountKeyVersionUnknown
    /// The password is not text in UTF-8.
    case passwordNotText
    /// There is too little memory for the password's key derivation (128 MiB are needed).
    case memoryMissing
    /// The password is wrong, or the Account Key is that of another account; a slip in the Account
    /// Key is found without the password.
    case wrongPassword

    /// The server showed a circle that breaks its own rules.
    case circle(CircleError)
    /// The server showed an older circle, or another history of it, than the account's own note
    /// names.
    case circleRolledBack
    /// A member stored an entry whose key envelopes are not the account's key ring, so that other
    /// members could not log in, or would read and write under other keys.
    case envelopesForged
    /// This device, or these credentials, are not (any more) in the circle.
    case notMember

    /// The class's key is missing, because the device is locked.
    case classLocked(ProtectionClass)
    /// Not the passcode of this device.
    case wrongPasscode
    /// The device has a passcode, and none was given.
    case passcodeNeeded
    /// There is no passcode: none can be changed or removed, and nothing can be kept under
    /// WhenPasscodeSet.
    case passcodeNotSet
    /// There is a passcode already: it has to be changed or removed.
    case passcodeAlreadySet
    /// A passcode without a single character.
    case passcodeEmpty
    /// A file with keys can be read or written by other users (its permissions have to be 0600).
    case keyFileOpenToOthers(KeyFileName)
    /// A file with keys is damaged, or was replaced by one of another device.
    case keyFileDamaged(KeyFileName)
    /// A file with keys is missing, while another that needs it is there.
    case keyFileMissing(KeyFileName)
    /// The system could not read or write a file with keys.
    case keyFileUnavailable(KeyFileName, systemError: Int32)
}
