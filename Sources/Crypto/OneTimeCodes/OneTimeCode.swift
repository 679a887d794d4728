internal import KSCOpenSSL
internal import KSRedaction

/// Codes that change with the time, as a second factor beside a password.
///
/// Sources: RFC 6238 (TOTP), RFC 4226 (HOTP), and Steam's variant with five letters or digits.
package struct OneTimeCode: Equatable, Sendable {
    /// The hash within HMAC; its raw value is the one of otpauth URLs.
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    /// Five digits are Yandex's and Steam's; ten are all that RFC 4226 can give.
    package static let digitsRange = 5...10
    package static let periodRange = 1...3600
    package static let digitsDefault = 6
    package static let periodDefault = 30
    /// Without vowels and what looks alike.
    private static let steamAlphabet = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)

    let secret: [UInt8]
    package let issuer: String?
    package let account: String?
    package let algorithm: Algorithm
    /// The number of digits of a code.
    package let digits: Int
    /// How many seconds a code is valid.
    package let periodSeconds: Int
    /// Whether codes have Steam's letters and digits.
    package let isSteam: Bool

    package init(
        secret: [UInt8],
        issuer: String? = nil,
        account: String? = nil,
        algorithm: Algorithm = .sha1,
        digits: Int = digitsDefault,
        periodSeconds: Int = periodDefault,
        isSteam: Bool = false
    ) throws(OneTimeCodeError) {
        guard !secret.isEmpty else { throw .empty }
        guard Self.digitsRange.contains(digits) else { throw .digits }
        guard Self.periodRange.contains(periodSeconds) else { throw .period }
        self.secret = secret
        self.issuer = issuer == "" ? nil : issuer
        self.account = account == "" ? nil : account
        self.algorithm = isSteam ? .sha1 : algorithm
        self.digits = isSteam ? 5 : digits
        self.periodSeconds = isSteam ? Self.periodDefault : periodSeconds
        self.isSteam = isSteam
    }

    /// The code at this time, in seconds after 1970-01-01 00:00 UTC.
    package func code(atSeconds seconds: Int) -> String {
        code(counter: counter(seconds))
    }

    /// The code that follows the one at this time.
    package func next(atSeconds seconds: Int) -> String {
        code(counter: counter(seconds) + 1)
    }

    /// How long the code at this time is still valid, from 1 to ``periodSeconds`` seconds.
    package func secondsLeft(atSeconds seconds: Int) -> Int {
        periodSeconds - max(0, seconds) % periodSeconds
    }

    private func counter(_ seconds: Int) -> UInt64 {
        UInt64(max(0, seconds) / periodSeconds)
    }

    /// The code of one counter (RFC 4226 §5.3).
    package func code(counter: UInt64) -> String {
        let tag = authenticate((0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) })
        let offset = Int(tag[tag.count - 1] & 15)
        var number =
            tag[offset..<offset + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            & 0x7FFF_FFFF
        let alphabet = isSteam ? Self.steamAlphabet : Array("0123456789".utf8)
        let base = UInt64(alphabet.count)
        var code = (0..<digits).map { _ in
            defer { number /= base }
            return alphabet[Int(number % base)]
        }
        if !isSteam { code.reverse() }
        return String(decoding: code, as: UTF8.self)
    }

    private func authenticate(_ message: [UInt8]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count = 0
        let result = unsafe EVP_Q_mac(
            nil,
            "HMAC",
            nil,
            algorithm.rawValue,
            nil,
            secret,
            secret.count,
            message,
            message.count,
            &tag,
            tag.count,
            &count
        )
        precondition(unsafe result != nil, "OpenSSL did not authenticate")
        return Array(tag[..<count])
    }
}

extension OneTimeCode: Redacted {}
