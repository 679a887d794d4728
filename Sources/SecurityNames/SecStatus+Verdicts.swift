extension SecStatus {
    /// Statuses about verification, requests and time stamps.
    static let verdicts: [Entry] = [
        ("errSecStagedOperationInProgress", -67806, "A staged operation is in progress."),
        ("errSecStagedOperationNotStarted", -67807, "A staged operation was not started."),
        ("errSecVerifyFailed", -67808, "A cryptographic verification failure has occurred."),
        ("errSecQuerySizeUnknown", -67809, "The query size is unknown."),
        ("errSecBlockSizeMismatch", -67810, "A block size mismatch occurred."),
        ("errSecPublicKeyInconsistent", -67811, "The public key was inconsistent."),
        ("errSecDeviceVerifyFailed", -67812, "A device verification failure has occurred."),
        ("errSecInvalidLoginName", -67813, "An invalid login name was detected."),
        ("errSecAlreadyLoggedIn", -67814, "The user is already logged in."),
        ("errSecInvalidDigestAlgorithm", -67815, "An invalid digest algorithm was detected."),
        ("errSecInvalidCRLGroup", -67816, "An invalid CRL group was detected."),
        ("errSecCertificateCannotOperate", -67817, "The certificate cannot operate."),
        ("errSecCertificateExpired", -67818, "An expired certificate was detected."),
        ("errSecCertificateNotValidYet", -67819, "The certificate is not yet valid."),
        ("errSecCertificateRevoked", -67820, "The certificate was revoked."),
        ("errSecCertificateSuspended", -67821, "The certificate was suspended."),
        ("errSecInsufficientCredentials", -67822, "Insufficient credentials were detected."),
        ("errSecInvalidAction", -67823, "The action was not valid."),
        ("errSecInvalidAuthority", -67824, "The authority was not valid."),
        ("errSecVerifyActionFailed", -67825, "A verify action has failed."),
        ("errSecInvalidCertAuthority", -67826, "The certificate authority was not valid."),
        ("errSecInvaldCRLAuthority", -67827, "The CRL authority was not valid."),
        ("errSecInvalidCRLAuthority", -67827, "The CRL authority was not valid."),
        ("errSecInvalidCRLEncoding", -67828, "The CRL encoding was not valid."),
        ("errSecInvalidCRLType", -67829, "The CRL type was not valid."),
        ("errSecInvalidCRL", -67830, "The CRL was not valid."),
        ("errSecInvalidFormType", -67831, "The form type was not valid."),
        ("errSecInvalidID", -67832, "The ID was not valid."),
        ("errSecInvalidIdentifier", -67833, "The identifier was not valid."),
        ("errSecInvalidIndex", -67834, "The index was not valid."),
        ("errSecInvalidPolicyIdentifiers", -67835, "The policy identifiers are not valid."),
        ("errSecInvalidTimeString", -67836, "The time specified was not valid."),
        ("errSecInvalidReason", -67837, "The trust policy reason was not valid."),
        ("errSecInvalidRequestInputs", -67838, "The request inputs are not valid."),
        ("errSecInvalidResponseVector", -67839, "The response vector was not valid."),
        ("errSecInvalidStopOnPolicy", -67840, "The stop-on policy was not valid."),
        ("errSecInvalidTuple", -67841, "The tuple was not valid."),
        ("errSecMultipleValuesUnsupported", -67842, "Multiple values are not supported."),
        ("errSecNotTrusted", -67843, "The trust policy was not trusted."),
        ("errSecNoDefaultAuthority", -67844, "No default authority was detected."),
        ("errSecRejectedForm", -67845, "The trust policy had a rejected form."),
        ("errSecRequestLost", -67846, "The request was lost."),
        ("errSecRequestRejected", -67847, "The request was rejected."),
        ("errSecUnsupportedAddressType", -67848, "The address type is not supported."),
        ("errSecUnsupportedService", -67849, "The service is not supported."),
        ("errSecInvalidTupleGroup", -67850, "The tuple group was not valid."),
        ("errSecInvalidBaseACLs", -67851, "The base ACLs are not valid."),
        ("errSecInvalidTupleCredendtials", -67852, "The tuple credentials are not valid."),
        ("errSecInvalidTupleCredentials", -67852, "The tuple credentials are not valid."),
        ("errSecInvalidEncoding", -67853, "The encoding was not valid."),
        ("errSecInvalidValidityPeriod", -67854, "The validity period was not valid."),
        ("errSecInvalidRequestor", -67855, "The requestor was not valid."),
        ("errSecRequestDescriptor", -67856, "The request descriptor was not valid."),
        ("errSecInvalidBundleInfo", -67857, "The bundle information was not valid."),
        ("errSecInvalidCRLIndex", -67858, "The CRL index was not valid."),
        ("errSecNoFieldValues", -67859, "No field values were detected."),
        ("errSecUnsupportedFieldFormat", -67860, "The field format is not supported."),
        ("errSecUnsupportedIndexInfo", -67861, "The index information is not supported."),
        ("errSecUnsupportedLocality", -67862, "The locality is not supported."),
        ("errSecUnsupportedNumAttributes", -67863, "The number of attributes is not supported."),
        ("errSecUnsupportedNumIndexes", -67864, "The number of indexes is not supported."),
        ("errSecUnsupportedNumRecordTypes", -67865, "The number of record types is not supported."),
        ("errSecFieldSpecifiedMultiple", -67866, "Too many fields were specified."),
        ("errSecIncompatibleFieldFormat", -67867, "The field format was incompatible."),
        ("errSecInvalidParsingModule", -67868, "The parsing module was not valid."),
        ("errSecDatabaseLocked", -67869, "The database is locked."),
        ("errSecDatastoreIsOpen", -67870, "The data store is open."),
        ("errSecMissingValue", -67871, "A missing value was detected."),
        ("errSecUnsupportedQueryLimits", -67872, "The query limits are not supported."),
        (
            "errSecUnsupportedNumSelectionPreds", -67873,
            "The number of selection predicates is not supported."
        ),
        ("errSecUnsupportedOperator", -67874, "The operator is not supported."),
        ("errSecInvalidDBLocation", -67875, "The database location is not valid."),
        ("errSecInvalidAccessRequest", -67876, "The access request is not valid."),
        ("errSecInvalidIndexInfo", -67877, "The index information is not valid."),
        ("errSecInvalidNewOwner", -67878, "The new owner is not valid."),
        ("errSecInvalidModifyMode", -67879, "The modify mode is not valid."),
        ("errSecMissingRequiredExtension", -67880, "A required certificate extension is missing."),
        (
            "errSecExtendedKeyUsageNotCritical", -67881,
            "The extended key usage extension was not marked critical."
        ),
        ("errSecTimestampMissing", -67882, "A timestamp was expected but was not found."),
        ("errSecTimestampInvalid", -67883, "The timestamp was not valid."),
        ("errSecTimestampNotTrusted", -67884, "The timestamp was not trusted."),
        ("errSecTimestampServiceNotAvailable", -67885, "The timestamp service is not available."),
        (
            "errSecTimestampBadAlg", -67886,
            "An unrecognized or unsupported Algorithm Identifier in timestamp."
        ),
        (
            "errSecTimestampBadRequest", -67887,
            "The timestamp transaction is not permitted or supported."
        ),
        (
            "errSecTimestampBadDataFormat", -67888,
            "The timestamp data submitted has the wrong format."
        ),
        (
            "errSecTimestampTimeNotAvailable", -67889,
            "The time source for the Timestamp Authority is not available."
        ),
        (
            "errSecTimestampUnacceptedPolicy", -67890,
            "The requested policy is not supported by the Timestamp Authority."
        ),
        (
            "errSecTimestampUnacceptedExtension", -67891,
            "The requested extension is not supported by the Timestamp Authority."
        ),
        (
            "errSecTimestampAddInfoNotAvailable", -67892,
            "The additional information requested is not available."
        ),
        (
            "errSecTimestampSystemFailure", -67893,
            "The timestamp request cannot be handled due to system failure."
        ),
        ("errSecSigningTimeMissing", -67894, "A signing time was expected but was not found."),
        ("errSecTimestampRejection", -67895, "A timestamp transaction was rejected."),
        ("errSecTimestampWaiting", -67896, "A timestamp transaction is waiting."),
        (
            "errSecTimestampRevocationWarning", -67897,
            "A timestamp authority revocation warning was issued."
        ),
        (
            "errSecTimestampRevocationNotification", -67898,
            "A timestamp authority revocation notification was issued."
        ),
        (
            "errSecCertificatePolicyNotAllowed", -67899,
            "The requested policy is not allowed for this certificate."
        ),
        (
            "errSecCertificateNameNotAllowed", -67900,
            "The requested name is not allowed for this certificate."
        ),
        (
            "errSecCertificateValidityPeriodTooLong", -67901,
            "The validity period in the certificate exceeds the maximum allowed."
        ),
        (
            "errSecCertificateIsCA", -67902,
            "The verified certificate is a CA rather than an end-entity."
        ),
        (
            "errSecCertificateDuplicateExtension", -67903,
            "The certificate contains multiple extensions with the same extension ID."
        ),
    ]
}
