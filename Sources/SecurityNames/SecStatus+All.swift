// Apple's own sentences, which programs show and scripts look for.
extension SecStatus {
    /// All of them, each name once.
    package static let all: [Entry] = common + certificates + modules + attributes + verdicts

    /// What the keychain itself answers.
    private static let common: [Entry] = [
        ("errSecSuccess", 0, "No error."),
        ("errSecUnimplemented", -4, "Function or operation not implemented."),
        ("errSecUnsupportedOperation", -4, "Function or operation not implemented."),
        ("errSecDiskFull", -34, "The disk is full."),
        ("errSecDskFull", -34, "The disk is full."),
        ("errSecIO", -36, "I/O error."),
        ("errSecOpWr", -49, "File already open with write permission."),
        ("errSecParam", -50, "One or more parameters passed to a function were not valid."),
        ("errSecWrPerm", -61, "Write permissions error."),
        ("errSecAllocate", -108, "Failed to allocate memory."),
        ("errSecUserCanceled", -128, "User canceled the operation."),
        ("errSecBadReq", -909, "Bad parameter or invalid state for operation."),
        ("errSecInternalComponent", -2070, "An internal component experienced an error."),
        ("errSecCoreFoundationUnknown", -4960, "An unknown Core Foundation error occurred."),
        ("errSecMissingEntitlement", -34018, "A required entitlement isn't present."),
        (
            "errSecUpgradePending", -34019,
            "The keychain is being upgraded; try again after unlocking."
        ),
        (
            "errSecRestrictedAPI", -34020,
            "Client is restricted and is not permitted to perform this operation."
        ),
        (
            "errSecNotAvailable", -25291,
            "No keychain is available. You may need to restart your computer."
        ),
        ("errSecReadOnly", -25292, "This keychain cannot be modified."),
        ("errSecAuthFailed", -25293, "The user name or passphrase you entered is not correct."),
        ("errSecNoSuchKeychain", -25294, "The specified keychain could not be found."),
        ("errSecInvalidKeychain", -25295, "The specified keychain is not a valid keychain file."),
        ("errSecDuplicateKeychain", -25296, "A keychain with the same name already exists."),
        (
            "errSecDuplicateCallback", -25297,
            "The specified callback function is already installed."
        ),
        ("errSecInvalidCallback", -25298, "The specified callback function is not valid."),
        ("errSecDuplicateItem", -25299, "The specified item already exists in the keychain."),
        ("errSecItemNotFound", -25300, "The specified item could not be found in the keychain."),
        (
            "errSecBufferTooSmall", -25301,
            "There is not enough memory available to use the specified item."
        ),
        (
            "errSecDataTooLarge", -25302,
            "This item contains information which is too large or in a format that cannot be "
                + "displayed."
        ),
        ("errSecNoSuchAttr", -25303, "The specified attribute does not exist."),
        (
            "errSecInvalidItemRef", -25304,
            "The specified item is no longer valid. It may have been deleted from the keychain."
        ),
        ("errSecInvalidSearchRef", -25305, "Unable to search the current keychain."),
        (
            "errSecNoSuchClass", -25306,
            "The specified item does not appear to be a valid keychain item."
        ),
        ("errSecNoDefaultKeychain", -25307, "A default keychain could not be found."),
        ("errSecInteractionNotAllowed", -25308, "User interaction is not allowed."),
        ("errSecReadOnlyAttr", -25309, "The specified attribute could not be modified."),
        (
            "errSecWrongSecVersion", -25310,
            "This keychain was created by a different version of the system software and cannot "
                + "be opened."
        ),
        (
            "errSecKeySizeNotAllowed", -25311,
            "This item specifies a key size which is too large or too small."
        ),
        (
            "errSecNoStorageModule", -25312,
            "A required component (data storage module) could not be loaded. You may need to "
                + "restart your computer."
        ),
        (
            "errSecNoCertificateModule", -25313,
            "A required component (certificate module) could not be loaded. You may need to "
                + "restart your computer."
        ),
        (
            "errSecNoPolicyModule", -25314,
            "A required component (policy module) could not be loaded. You may need to restart "
                + "your computer."
        ),
        (
            "errSecInteractionRequired", -25315,
            "User interaction is required, but is currently not allowed."
        ),
        ("errSecDataNotAvailable", -25316, "The contents of this item cannot be retrieved."),
        ("errSecDataNotModifiable", -25317, "The contents of this item cannot be modified."),
        (
            "errSecCreateChainFailed", -25318,
            "One or more certificates required to validate this certificate cannot be found."
        ),
        ("errSecInvalidPrefsDomain", -25319, "The specified preferences domain is not valid."),
        ("errSecInDarkWake", -25320, "In dark wake, no UI possible"),
        ("errSecAuthNeeded", -25330, "An authentication is needed."),
        (
            "errSecACLNotSimple", -25240,
            "The specified access control list is not in standard (simple) form."
        ),
        ("errSecPolicyNotFound", -25241, "The specified policy cannot be found."),
        ("errSecInvalidTrustSetting", -25242, "The specified trust setting is invalid."),
        ("errSecNoAccessForItem", -25243, "The specified item has no access control."),
        ("errSecInvalidOwnerEdit", -25244, "Invalid attempt to change the owner of this item."),
        ("errSecTrustNotAvailable", -25245, "No trust results are available."),
        ("errSecUnsupportedFormat", -25256, "Import/Export format unsupported."),
        ("errSecUnknownFormat", -25257, "Unknown format in import."),
        ("errSecKeyIsSensitive", -25258, "Key material must be wrapped for export."),
        ("errSecMultiplePrivKeys", -25259, "An attempt was made to import multiple private keys."),
        ("errSecPassphraseRequired", -25260, "Passphrase is required for import/export."),
        ("errSecInvalidPasswordRef", -25261, "The password reference was invalid."),
        ("errSecInvalidTrustSettings", -25262, "The Trust Settings Record was corrupted."),
        ("errSecNoTrustSettings", -25263, "No Trust Settings were found."),
        (
            "errSecPkcs12VerifyFailure", -25264,
            "MAC verification failed during PKCS12 import (wrong password?)"
        ),
        ("errSecNotSigner", -26267, "A certificate was not signed by its proposed parent."),
        ("errSecDecode", -26275, "Unable to decode the provided data."),
        ("errSecInternal", -26276, "An internal error occurred in the Security framework."),
        ("errSecServiceNotAvailable", -67585, "The required service is not available."),
        ("errSecInsufficientClientID", -67586, "The client ID is not correct."),
        ("errSecDeviceReset", -67587, "A device reset has occurred."),
        ("errSecDeviceFailed", -67588, "A device failure has occurred."),
        ("errSecAppleAddAppACLSubject", -67589, "Adding an application ACL subject failed."),
        ("errSecApplePublicKeyIncomplete", -67590, "The public key is incomplete."),
        ("errSecAppleSignatureMismatch", -67591, "A signature mismatch has occurred."),
        ("errSecAppleInvalidKeyStartDate", -67592, "The specified key has an invalid start date."),
        ("errSecAppleInvalidKeyEndDate", -67593, "The specified key has an invalid end date."),
        ("errSecConversionError", -67594, "A conversion error has occurred."),
        ("errSecAppleSSLv2Rollback", -67595, "A SSLv2 rollback error has occurred."),
        ("errSecQuotaExceeded", -67596, "The quota was exceeded."),
        ("errSecFileTooBig", -67597, "The file is too big."),
        ("errSecInvalidDatabaseBlob", -67598, "The specified database has an invalid blob."),
        ("errSecInvalidKeyBlob", -67599, "The specified database has an invalid key blob."),
        (
            "errSecIncompatibleDatabaseBlob", -67600,
            "The specified database has an incompatible blob."
        ),
        (
            "errSecIncompatibleKeyBlob", -67601,
            "The specified database has an incompatible key blob."
        ),
        ("errSecHostNameMismatch", -67602, "A host name mismatch has occurred."),
        (
            "errSecUnknownCriticalExtensionFlag", -67603,
            "There is an unknown critical extension flag."
        ),
        ("errSecNoBasicConstraints", -67604, "No basic constraints were found."),
        ("errSecNoBasicConstraintsCA", -67605, "No basic CA constraints were found."),
        ("errSecInvalidAuthorityKeyID", -67606, "The authority key ID is not valid."),
        ("errSecInvalidSubjectKeyID", -67607, "The subject key ID is not valid."),
        (
            "errSecInvalidKeyUsageForPolicy", -67608,
            "The key usage is not valid for the specified policy."
        ),
        ("errSecInvalidExtendedKeyUsage", -67609, "The extended key usage is not valid."),
        ("errSecInvalidIDLinkage", -67610, "The ID linkage is not valid."),
        ("errSecPathLengthConstraintExceeded", -67611, "The path length constraint was exceeded."),
        ("errSecInvalidRoot", -67612, "The root or anchor certificate is not valid."),
        ("errSecCRLExpired", -67613, "The CRL has expired."),
        ("errSecCRLNotValidYet", -67614, "The CRL is not yet valid."),
        ("errSecCRLNotFound", -67615, "The CRL was not found."),
        ("errSecNotInitialized", -67667, "A function was called without initializing CSSM."),
        ("errSecInternalError", -67671, "An internal error has occurred."),
        ("errSecMemoryError", -67672, "A memory error has occurred."),
        ("errSecInvalidData", -67673, "Invalid data was encountered."),
        ("errSecInvalidPointer", -67675, "An invalid pointer was encountered."),
        ("errSecFunctionFailed", -67677, "A function has failed."),
        ("errSecInvalidHandle", -67680, "An invalid handle was encountered."),
        ("errSecInvalidNumberOfFields", -67685, "An invalid number of fields were encountered."),
    ]
}
