internal import SecurityNames

/// The sentences that scripts and people know for an OSStatus.
enum StatusMessages {
    static let notFound: Int32 = -25300
    static let duplicate: Int32 = -25299
    static let noSuchKeychain: Int32 = -25294
    static let noDefault: Int32 = -25307
    static let passphraseNeeded: Int32 = -25260
    /// Several are meant where one has to be (`errSecMultiplePrivKeys` is the nearest there is).
    static let ambiguous: Int32 = -25259
    static let locked: Int32 = -25308
    /// Locked, denied, given up by the user.
    static let secretRefused: [Int32] = [-25308, -25293, -128]

    static func text(for status: Int32) -> String {
        texts.first { $0.status == status }?.text ?? SecStatus.message(of: status)
            ?? "error \(status)"
    }

    private static let texts: [(status: Int32, text: String)] = [
        (0, "No error."),
        (-4, "Function or operation not implemented."),
        (-34, "The disk is full."),
        (-36, "I/O error."),
        (-50, "One or more parameters passed to a function were not valid."),
        (-61, "Write permissions error."),
        (-108, "Failed to allocate memory."),
        (-128, "User canceled the operation."),
        (-25291, "No keychain is available. You may need to restart your computer."),
        (-25293, "The user name or passphrase you entered is not correct."),
        (-25294, "The specified keychain could not be found."),
        (-25295, "The specified keychain is not a valid keychain file."),
        (-25296, "A keychain with the same name already exists."),
        (-25299, "The specified item already exists in the keychain."),
        (-25300, "The specified item could not be found in the keychain."),
        (-25303, "The specified attribute does not exist."),
        (
            -25304,
            "The specified item is no longer valid. It may have been deleted from the keychain."
        ),
        (-25256, "Import/Export format unsupported."),
        (-25257, "Unknown format in import."),
        (-25260, "Passphrase is required for import/export."),
        (-25264, "MAC verification failed during PKCS12 import (wrong password?)"),
        (-25292, "Read only error."),
        (-25307, "A default keychain could not be found."),
        (-25308, "User interaction is not allowed."),
        (-26275, "Unable to decode the provided data."),
        (-34018, "A required entitlement isn't present."),
    ]
}
