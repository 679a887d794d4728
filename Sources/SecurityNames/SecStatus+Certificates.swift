extension SecStatus {
    /// Statuses about certificates, their revocation and code signing.
    static let certificates: [Entry] = [
        ("errSecCRLServerDown", -67616, "The CRL server is down."),
        ("errSecCRLBadURI", -67617, "The CRL has a bad Uniform Resource Identifier."),
        ("errSecUnknownCertExtension", -67618, "An unknown certificate extension was encountered."),
        ("errSecUnknownCRLExtension", -67619, "An unknown CRL extension was encountered."),
        ("errSecCRLNotTrusted", -67620, "The CRL is not trusted."),
        ("errSecCRLPolicyFailed", -67621, "The CRL policy failed."),
        ("errSecIDPFailure", -67622, "The issuing distribution point was not valid."),
        ("errSecSMIMEEmailAddressesNotFound", -67623, "An email address mismatch was encountered."),
        (
            "errSecSMIMEBadExtendedKeyUsage", -67624,
            "The appropriate extended key usage for SMIME was not found."
        ),
        ("errSecSMIMEBadKeyUsage", -67625, "The key usage is not compatible with SMIME."),
        (
            "errSecSMIMEKeyUsageNotCritical", -67626,
            "The key usage extension is not marked as critical."
        ),
        ("errSecSMIMENoEmailAddress", -67627, "No email address was found in the certificate."),
        (
            "errSecSMIMESubjAltNameNotCritical", -67628,
            "The subject alternative name extension is not marked as critical."
        ),
        (
            "errSecSSLBadExtendedKeyUsage", -67629,
            "The appropriate extended key usage for SSL was not found."
        ),
        (
            "errSecOCSPBadResponse", -67630,
            "The OCSP response was incorrect or could not be parsed."
        ),
        ("errSecOCSPBadRequest", -67631, "The OCSP request was incorrect or could not be parsed."),
        ("errSecOCSPUnavailable", -67632, "OCSP service is unavailable."),
        (
            "errSecOCSPStatusUnrecognized", -67633,
            "The OCSP server did not recognize this certificate."
        ),
        ("errSecEndOfData", -67634, "An end-of-data was detected."),
        (
            "errSecIncompleteCertRevocationCheck", -67635,
            "An incomplete certificate revocation check occurred."
        ),
        ("errSecNetworkFailure", -67636, "A network failure occurred."),
        (
            "errSecOCSPNotTrustedToAnchor", -67637,
            "The OCSP response was not trusted to a root or anchor certificate."
        ),
        ("errSecRecordModified", -67638, "The record was modified."),
        ("errSecOCSPSignatureError", -67639, "The OCSP response had an invalid signature."),
        ("errSecOCSPNoSigner", -67640, "The OCSP response had no signer."),
        (
            "errSecOCSPResponderMalformedReq", -67641,
            "The OCSP responder was given a malformed request."
        ),
        (
            "errSecOCSPResponderInternalError", -67642,
            "The OCSP responder encountered an internal error."
        ),
        ("errSecOCSPResponderTryLater", -67643, "The OCSP responder is busy, try again later."),
        (
            "errSecOCSPResponderSignatureRequired", -67644,
            "The OCSP responder requires a signature."
        ),
        (
            "errSecOCSPResponderUnauthorized", -67645,
            "The OCSP responder rejected this request as unauthorized."
        ),
        (
            "errSecOCSPResponseNonceMismatch", -67646,
            "The OCSP response nonce did not match the request."
        ),
        (
            "errSecCodeSigningBadCertChainLength", -67647,
            "Code signing encountered an incorrect certificate chain length."
        ),
        ("errSecCodeSigningNoBasicConstraints", -67648, "Code signing found no basic constraints."),
        (
            "errSecCodeSigningBadPathLengthConstraint", -67649,
            "Code signing encountered an incorrect path length constraint."
        ),
        (
            "errSecCodeSigningNoExtendedKeyUsage", -67650,
            "Code signing found no extended key usage."
        ),
        (
            "errSecCodeSigningDevelopment", -67651,
            "Code signing indicated use of a development-only certificate."
        ),
        (
            "errSecResourceSignBadCertChainLength", -67652,
            "Resource signing has encountered an incorrect certificate chain length."
        ),
        (
            "errSecResourceSignBadExtKeyUsage", -67653,
            "Resource signing has encountered an error in the extended key usage."
        ),
        ("errSecTrustSettingDeny", -67654, "The trust setting for this policy was set to Deny."),
        (
            "errSecInvalidSubjectName", -67655,
            "An invalid certificate subject name was encountered."
        ),
        (
            "errSecUnknownQualifiedCertStatement", -67656,
            "An unknown qualified certificate statement was encountered."
        ),
        (
            "errSecMobileMeRequestQueued", -67657,
            "The MobileMe request will be sent during the next connection."
        ),
        ("errSecMobileMeRequestRedirected", -67658, "The MobileMe request was redirected."),
        ("errSecMobileMeServerError", -67659, "A MobileMe server error occurred."),
        ("errSecMobileMeServerNotAvailable", -67660, "The MobileMe server is not available."),
        (
            "errSecMobileMeServerAlreadyExists", -67661,
            "The MobileMe server reported that the item already exists."
        ),
        ("errSecMobileMeServerServiceErr", -67662, "A MobileMe service error has occurred."),
        ("errSecMobileMeRequestAlreadyPending", -67663, "A MobileMe request is already pending."),
        ("errSecMobileMeNoRequestPending", -67664, "MobileMe has no request pending."),
        (
            "errSecMobileMeCSRVerifyFailure", -67665,
            "A MobileMe CSR verification failure has occurred."
        ),
        (
            "errSecMobileMeFailedConsistencyCheck", -67666,
            "MobileMe has found a failed consistency check."
        ),
    ]
}
