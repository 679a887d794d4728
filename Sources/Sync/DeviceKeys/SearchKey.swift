internal import KSPrimitives
internal import KSRecords
internal import KSSecrets
internal import Synchronization

/// Makes tokens that a column holds instead of values: they show only which values are equal.
package final class SearchKey: Sendable {
    package static let tokenByteCount = 16

    private let key: HMACKey
    private let remembersLast: Bool
    /// The last value and its token, for searches that repeat the same value.
    private let last = Mutex<(type: UInt64, value: [UInt8], token: [UInt8])?>(nil)

    /// The key of a table's column: HMAC(K(base, "search"), E(table, column)).
    ///
    /// `remembersLast`: for access groups alone, which are no secret: every search of a program
    /// asks for the same.
    init(base: SharedSecret, table: String, column: String, remembersLast: Bool = false) {
        var encoder = CanonicalEncoder()
        encoder.string(table)
        encoder.string(column)
        let columns = HMACKey(KeyDerivation.key(base, "search"))
        key = HMACKey(SharedSecret(bytes: columns.authenticate(encoder.encoded)))
        self.remembersLast = remembersLast
    }

    /// The first 16 bytes of HMAC(key, type ‖ value).
    ///
    /// `type`: distinguishes unequal values with the same bytes.
    package func token(type: UInt64, value: [UInt8]) -> [UInt8] {
        guard remembersLast else { return newToken(type: type, value: value) }
        return last.withLock { last in
            if let last, last.type == type, last.value == value { return last.token }
            let token = newToken(type: type, value: value)
            last = (type, value, token)
            return token
        }
    }

    private func newToken(type: UInt64, value: [UInt8]) -> [UInt8] {
        var encoder = CanonicalEncoder(capacity: 8)
        encoder.integer(type)
        return Array(key.authenticate(encoder.encoded, value).prefix(Self.tokenByteCount))
    }
}
