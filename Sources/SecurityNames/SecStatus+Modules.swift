extension SecStatus {
    /// Statuses of the older interface: modules, databases, keys.
    static let modules: [Entry] = [
        (
            "errSecInvalidHandleUsage", -67668,
            "The CSSM handle does not match with the service type."
        ),
        (
            "errSecPVCReferentNotFound", -67669,
            "A reference to the calling module was not found in the list of authorized callers."
        ),
        (
            "errSecFunctionIntegrityFail", -67670,
            "A function address was not within the verified module."
        ),
        ("errSecMDSError", -67674, "A Module Directory Service error has occurred."),
        ("errSecSelfCheckFailed", -67676, "Self-check has failed."),
        (
            "errSecModuleManifestVerifyFailed", -67678,
            "A module manifest verification failure has occurred."
        ),
        ("errSecInvalidGUID", -67679, "An invalid GUID was encountered."),
        ("errSecInvalidDBList", -67681, "An invalid DB list was encountered."),
        ("errSecInvalidPassthroughID", -67682, "An invalid passthrough ID was encountered."),
        ("errSecInvalidNetworkAddress", -67683, "An invalid network address was encountered."),
        ("errSecCRLAlreadySigned", -67684, "The certificate revocation list is already signed."),
        ("errSecVerificationFailure", -67686, "A verification failure occurred."),
        ("errSecUnknownTag", -67687, "An unknown tag was encountered."),
        ("errSecInvalidSignature", -67688, "An invalid signature was encountered."),
        ("errSecInvalidName", -67689, "An invalid name was encountered."),
        (
            "errSecInvalidCertificateRef", -67690,
            "An invalid certificate reference was encountered."
        ),
        ("errSecInvalidCertificateGroup", -67691, "An invalid certificate group was encountered."),
        ("errSecTagNotFound", -67692, "The specified tag was not found."),
        ("errSecInvalidQuery", -67693, "The specified query was not valid."),
        ("errSecInvalidValue", -67694, "An invalid value was detected."),
        ("errSecCallbackFailed", -67695, "A callback has failed."),
        ("errSecACLDeleteFailed", -67696, "An ACL delete operation has failed."),
        ("errSecACLReplaceFailed", -67697, "An ACL replace operation has failed."),
        ("errSecACLAddFailed", -67698, "An ACL add operation has failed."),
        ("errSecACLChangeFailed", -67699, "An ACL change operation has failed."),
        ("errSecInvalidAccessCredentials", -67700, "Invalid access credentials were encountered."),
        ("errSecInvalidRecord", -67701, "An invalid record was encountered."),
        ("errSecInvalidACL", -67702, "An invalid ACL was encountered."),
        ("errSecInvalidSampleValue", -67703, "An invalid sample value was encountered."),
        ("errSecIncompatibleVersion", -67704, "An incompatible version was encountered."),
        ("errSecPrivilegeNotGranted", -67705, "The privilege was not granted."),
        ("errSecInvalidScope", -67706, "An invalid scope was encountered."),
        ("errSecPVCAlreadyConfigured", -67707, "The PVC is already configured."),
        ("errSecInvalidPVC", -67708, "An invalid PVC was encountered."),
        ("errSecEMMLoadFailed", -67709, "The EMM load has failed."),
        ("errSecEMMUnloadFailed", -67710, "The EMM unload has failed."),
        ("errSecAddinLoadFailed", -67711, "The add-in load operation has failed."),
        ("errSecInvalidKeyRef", -67712, "An invalid key was encountered."),
        ("errSecInvalidKeyHierarchy", -67713, "An invalid key hierarchy was encountered."),
        ("errSecAddinUnloadFailed", -67714, "The add-in unload operation has failed."),
        ("errSecLibraryReferenceNotFound", -67715, "A library reference was not found."),
        (
            "errSecInvalidAddinFunctionTable", -67716,
            "An invalid add-in function table was encountered."
        ),
        ("errSecInvalidServiceMask", -67717, "An invalid service mask was encountered."),
        ("errSecModuleNotLoaded", -67718, "A module was not loaded."),
        ("errSecInvalidSubServiceID", -67719, "An invalid subservice ID was encountered."),
        ("errSecAttributeNotInContext", -67720, "An attribute was not in the context."),
        ("errSecModuleManagerInitializeFailed", -67721, "A module failed to initialize."),
        ("errSecModuleManagerNotFound", -67722, "A module was not found."),
        (
            "errSecEventNotificationCallbackNotFound", -67723,
            "An event notification callback was not found."
        ),
        ("errSecInputLengthError", -67724, "An input length error was encountered."),
        ("errSecOutputLengthError", -67725, "An output length error was encountered."),
        ("errSecPrivilegeNotSupported", -67726, "The privilege is not supported."),
        ("errSecDeviceError", -67727, "A device error was encountered."),
        ("errSecAttachHandleBusy", -67728, "The CSP handle was busy."),
        ("errSecNotLoggedIn", -67729, "You are not logged in."),
        ("errSecAlgorithmMismatch", -67730, "An algorithm mismatch was encountered."),
        ("errSecKeyUsageIncorrect", -67731, "The key usage is incorrect."),
        ("errSecKeyBlobTypeIncorrect", -67732, "The key blob type is incorrect."),
        ("errSecKeyHeaderInconsistent", -67733, "The key header is inconsistent."),
        ("errSecUnsupportedKeyFormat", -67734, "The key header format is not supported."),
        ("errSecUnsupportedKeySize", -67735, "The key size is not supported."),
        ("errSecInvalidKeyUsageMask", -67736, "The key usage mask is not valid."),
        ("errSecUnsupportedKeyUsageMask", -67737, "The key usage mask is not supported."),
        ("errSecInvalidKeyAttributeMask", -67738, "The key attribute mask is not valid."),
        ("errSecUnsupportedKeyAttributeMask", -67739, "The key attribute mask is not supported."),
        ("errSecInvalidKeyLabel", -67740, "The key label is not valid."),
        ("errSecUnsupportedKeyLabel", -67741, "The key label is not supported."),
        ("errSecInvalidKeyFormat", -67742, "The key format is not valid."),
        ("errSecUnsupportedVectorOfBuffers", -67743, "The vector of buffers is not supported."),
        ("errSecInvalidInputVector", -67744, "The input vector is not valid."),
        ("errSecInvalidOutputVector", -67745, "The output vector is not valid."),
        ("errSecInvalidContext", -67746, "An invalid context was encountered."),
        ("errSecInvalidAlgorithm", -67747, "An invalid algorithm was encountered."),
    ]
}
