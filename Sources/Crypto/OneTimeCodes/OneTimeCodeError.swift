/// Why a text is not the secret of one-time codes.
///
/// No case carries any of the text.
package enum OneTimeCodeError: Error, Equatable, CustomStringConvertible {
    case empty
    case noBase32
    /// Base32 never has this length.
    case truncated
    case counterBased
    /// An export of several codes from Google Authenticator.
    case migration
    /// A URL of another kind.
    case otherAddress
    case secretMissing
    case algorithm
    case digits
    case period

    package var description: String {
        switch self {
        case .empty:
            "The secret is empty: paste the otpauth URL or the key that the site shows."
        case .noBase32:
            """
            The secret is not Base32, which has the letters A to Z and the digits 2 to 7: \
            copy it from the site again.
            """
        case .truncated:
            "The secret is incomplete: copy all of it from the site again."
        case .counterBased:
            """
            Codes that count (HOTP) are not supported: ask the site for codes that change with \
            the time (TOTP).
            """
        case .migration:
            """
            This is an export of several codes from Google Authenticator: take the key of each \
            site from the site itself.
            """
        case .otherAddress:
            "This address has no one-time code: paste one that begins with otpauth://totp/."
        case .secretMissing:
            "The otpauth URL has no secret: copy all of it from the site again."
        case .algorithm:
            "The algorithm is not known: it is SHA1, SHA256 or SHA512."
        case .digits:
            "The number of digits is out of range: it is 5 to 10, mostly 6."
        case .period:
            "The period is out of range: it is 1 to 3600 seconds, mostly 30."
        }
    }
}
