internal import Primitives
internal import Records
internal import Secrets

/// Makes what a database column holds in place of a value: equal values show, the values do not.
package final class SearchKey: Sendable {
    package static let tokenByteCount = 16

    private let key: HMACKey

    /// The key of a table's column: HMAC(K(base, "search"), E(table, column)).
    init(base: SharedSecret, table: String, column: String) {
        var encoder = CanonicalEncoder()
        encoder.string(table)
        encoder.string(column)
        let columns = HMACKey(KeyDerivation.key(base, "search"))
        key = HMACKey(SharedSecret(bytes: columns.authenticate(encoder.encoded)))
    }

    /// The first 16 bytes of HMAC(key, type ‖ value).
    ///
    /// `type`: tells values apart that have the same bytes and are not equal.
    package func token(type: UInt64, value: [UInt8]) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(type)
        return Array(key.authenticate(encoder.encoded + value).prefix(Self.tokenByteCount))
    }
}
