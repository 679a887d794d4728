extension SecStatus {
    /// Statuses about attributes of keys that are wrong or missing.
    static let attributes: [Entry] = [
        ("errSecInvalidAttributeKey", -67748, "A key attribute was not valid."),
        ("errSecMissingAttributeKey", -67749, "A key attribute was missing."),
        ("errSecInvalidAttributeInitVector", -67750, "An init vector attribute was not valid."),
        ("errSecMissingAttributeInitVector", -67751, "An init vector attribute was missing."),
        ("errSecInvalidAttributeSalt", -67752, "A salt attribute was not valid."),
        ("errSecMissingAttributeSalt", -67753, "A salt attribute was missing."),
        ("errSecInvalidAttributePadding", -67754, "A padding attribute was not valid."),
        ("errSecMissingAttributePadding", -67755, "A padding attribute was missing."),
        ("errSecInvalidAttributeRandom", -67756, "A random number attribute was not valid."),
        ("errSecMissingAttributeRandom", -67757, "A random number attribute was missing."),
        ("errSecInvalidAttributeSeed", -67758, "A seed attribute was not valid."),
        ("errSecMissingAttributeSeed", -67759, "A seed attribute was missing."),
        ("errSecInvalidAttributePassphrase", -67760, "A passphrase attribute was not valid."),
        ("errSecMissingAttributePassphrase", -67761, "A passphrase attribute was missing."),
        ("errSecInvalidAttributeKeyLength", -67762, "A key length attribute was not valid."),
        ("errSecMissingAttributeKeyLength", -67763, "A key length attribute was missing."),
        ("errSecInvalidAttributeBlockSize", -67764, "A block size attribute was not valid."),
        ("errSecMissingAttributeBlockSize", -67765, "A block size attribute was missing."),
        ("errSecInvalidAttributeOutputSize", -67766, "An output size attribute was not valid."),
        ("errSecMissingAttributeOutputSize", -67767, "An output size attribute was missing."),
        ("errSecInvalidAttributeRounds", -67768, "The number of rounds attribute was not valid."),
        ("errSecMissingAttributeRounds", -67769, "The number of rounds attribute was missing."),
        ("errSecInvalidAlgorithmParms", -67770, "An algorithm parameters attribute was not valid."),
        ("errSecMissingAlgorithmParms", -67771, "An algorithm parameters attribute was missing."),
        ("errSecInvalidAttributeLabel", -67772, "A label attribute was not valid."),
        ("errSecMissingAttributeLabel", -67773, "A label attribute was missing."),
        ("errSecInvalidAttributeKeyType", -67774, "A key type attribute was not valid."),
        ("errSecMissingAttributeKeyType", -67775, "A key type attribute was missing."),
        ("errSecInvalidAttributeMode", -67776, "A mode attribute was not valid."),
        ("errSecMissingAttributeMode", -67777, "A mode attribute was missing."),
        (
            "errSecInvalidAttributeEffectiveBits", -67778,
            "An effective bits attribute was not valid."
        ),
        ("errSecMissingAttributeEffectiveBits", -67779, "An effective bits attribute was missing."),
        ("errSecInvalidAttributeStartDate", -67780, "A start date attribute was not valid."),
        ("errSecMissingAttributeStartDate", -67781, "A start date attribute was missing."),
        ("errSecInvalidAttributeEndDate", -67782, "An end date attribute was not valid."),
        ("errSecMissingAttributeEndDate", -67783, "An end date attribute was missing."),
        ("errSecInvalidAttributeVersion", -67784, "A version attribute was not valid."),
        ("errSecMissingAttributeVersion", -67785, "A version attribute was missing."),
        ("errSecInvalidAttributePrime", -67786, "A prime attribute was not valid."),
        ("errSecMissingAttributePrime", -67787, "A prime attribute was missing."),
        ("errSecInvalidAttributeBase", -67788, "A base attribute was not valid."),
        ("errSecMissingAttributeBase", -67789, "A base attribute was missing."),
        ("errSecInvalidAttributeSubprime", -67790, "A subprime attribute was not valid."),
        ("errSecMissingAttributeSubprime", -67791, "A subprime attribute was missing."),
        (
            "errSecInvalidAttributeIterationCount", -67792,
            "An iteration count attribute was not valid."
        ),
        (
            "errSecMissingAttributeIterationCount", -67793,
            "An iteration count attribute was missing."
        ),
        ("errSecInvalidAttributeDLDBHandle", -67794, "A database handle attribute was not valid."),
        ("errSecMissingAttributeDLDBHandle", -67795, "A database handle attribute was missing."),
        (
            "errSecInvalidAttributeAccessCredentials", -67796,
            "An access credentials attribute was not valid."
        ),
        (
            "errSecMissingAttributeAccessCredentials", -67797,
            "An access credentials attribute was missing."
        ),
        (
            "errSecInvalidAttributePublicKeyFormat", -67798,
            "A public key format attribute was not valid."
        ),
        (
            "errSecMissingAttributePublicKeyFormat", -67799,
            "A public key format attribute was missing."
        ),
        (
            "errSecInvalidAttributePrivateKeyFormat", -67800,
            "A private key format attribute was not valid."
        ),
        (
            "errSecMissingAttributePrivateKeyFormat", -67801,
            "A private key format attribute was missing."
        ),
        (
            "errSecInvalidAttributeSymmetricKeyFormat", -67802,
            "A symmetric key format attribute was not valid."
        ),
        (
            "errSecMissingAttributeSymmetricKeyFormat", -67803,
            "A symmetric key format attribute was missing."
        ),
        (
            "errSecInvalidAttributeWrappedKeyFormat", -67804,
            "A wrapped key format attribute was not valid."
        ),
        (
            "errSecMissingAttributeWrappedKeyFormat", -67805,
            "A wrapped key format attribute was missing."
        ),
    ]
}
