internal import KSSecurityNames

/// Why a call to the keychain failed.
///
/// No case carries names or contents, so an error is always safe to log.
package enum ItemStoreError: Error, Hashable, Sendable {
    /// A value has the wrong type, or the query is invalid.
    case parameter
    case duplicateItem
    case itemNotFound
    case noSuchAttribute
    case noSuchClass
    /// The caller may not use this access group, or has none.
    case missingEntitlement
    /// A program that is part of another one may not do this.
    case restricted
    /// This class of items cannot be matched in this way.
    case unimplemented
    /// Apple's keychain does not do this either.
    case internalFailure
    /// The item's protection class is locked.
    case interactionNotAllowed
    /// The item may only be kept on a device with a passcode, and there is none.
    case passcodeNotSet
    /// The stored row cannot be opened or read.
    case decode
    case dataTooLarge
    /// The disk has no room; nothing was changed.
    case diskFull
    case readOnly
    /// The disk failed, with SQLite's extended code.
    case inputOutput(code: Int32)
    /// The file is damaged or is not a keychain; nothing in it was changed.
    case fileDamaged
    /// A newer version of the program has written the file.
    case newerFormat
    /// SQLite refused for another reason, with its extended code.
    case unavailable(code: Int32)
    /// Another part of the program refused the change.
    case refused
}

extension ItemStoreError {
    /// The status that Apple's functions return for it.
    package var status: Int32 {
        switch self {
        case .parameter: SecStatus.errSecParam
        case .duplicateItem: SecStatus.errSecDuplicateItem
        case .itemNotFound: SecStatus.errSecItemNotFound
        case .noSuchAttribute: SecStatus.errSecNoSuchAttr
        case .noSuchClass: SecStatus.errSecNoSuchClass
        case .missingEntitlement: SecStatus.errSecMissingEntitlement
        case .restricted: SecStatus.errSecRestrictedAPI
        case .unimplemented: SecStatus.errSecUnimplemented
        case .interactionNotAllowed: SecStatus.errSecInteractionNotAllowed
        case .passcodeNotSet: SecStatus.errSecAuthFailed
        case .decode: SecStatus.errSecDecode
        case .dataTooLarge: SecStatus.errSecDataTooLarge
        case .readOnly: SecStatus.errSecReadOnly
        case .inputOutput: SecStatus.errSecIO
        case .diskFull, .fileDamaged, .newerFormat, .unavailable: SecStatus.errSecNotAvailable
        case .refused, .internalFailure: SecStatus.errSecInternal
        }
    }

    /// Whether the disk, the file or its permissions are the reason.
    ///
    /// Then trying again alone does not help.
    package var isOfDisk: Bool {
        switch self {
        case .diskFull, .readOnly, .inputOutput, .fileDamaged: true
        case .unavailable(let code): code & 0xFF == Self.cannotOpen
        default: false
        }
    }

    /// Whether another process uses the file for longer than usual.
    package var isBusy: Bool {
        guard case .unavailable(let code) = self else { return false }
        return Self.busyCodes.contains(code & 0xFF)
    }

    /// SQLite's code when a file is gone or may not be opened.
    private static let cannotOpen: Int32 = 14
    private static let busyCodes: Set<Int32> = [5, 6]

    /// One sentence for people, which says what to do if anything can be done.
    package var message: String {
        switch self {
        case .noSuchClass: "The keychain item class does not exist."
        case .missingEntitlement: "This program may not use that access group."
        case .interactionNotAllowed: "The keychain is locked: unlock it and try again."
        case .passcodeNotSet: "Such an item needs a passcode on this device: set one first."
        case .decode: "The stored item is damaged and could not be read."
        case .dataTooLarge: "The item is too large for the keychain."
        case .diskFull: "The disk is full: free some space and try again; nothing was changed."
        case .readOnly: "The keychain file cannot be written: check its permissions."
        case .inputOutput: "The disk reported an error; nothing was changed."
        case .fileDamaged:
            "The keychain file is damaged or is not a keychain; it was left as it is. Restore the"
                + " home from a backup, or run sync-client reset, and then sync-client login for"
                + " what the server has."
        case .newerFormat:
            "A newer version of this program wrote the keychain file: update this program."
        case .unavailable(let code):
            isOfDisk || code == 0
                ? "The keychain is not available."
                : "The keychain's database failed (SQLite code \(code)): try again; nothing was"
                    + " changed."
        case .refused: "The change could not be recorded for syncing; nothing was changed."
        case .parameter, .duplicateItem, .itemNotFound, .noSuchAttribute, .restricted,
            .unimplemented, .internalFailure:
            SecStatus.message(of: status) ?? ""
        }
    }
}
