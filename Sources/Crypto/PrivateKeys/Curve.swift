internal import KSCOpenSSL
internal import KSCertificates

/// The curves of keychain items: those of FIPS 186-4 that SecKey supports.
enum Curve: String, CaseIterable {
    case p256 = "prime256v1"
    case p384 = "secp384r1"
    case p521 = "secp521r1"

    /// Bytes of a coordinate, and of the private number.
    var coordinateCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    private var identifier: String {
        switch self {
        case .p256: "1.2.840.10045.3.1.7"
        case .p384: "1.3.132.0.34"
        case .p521: "1.3.132.0.35"
        }
    }

    /// The curve of a key.
    init?(_ handle: borrowing KeyHandle) {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard
            unsafe EVP_PKEY_get_group_name(handle.pointer, &name, name.count, &count) == 1
        else { return nil }
        self.init(
            rawValue: String(
                decoding: name.prefix(count).map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
        )
    }

    /// The curve of 04, X, Y and K of so many bytes together.
    init?(externalCount: Int) {
        let curve = Self.allCases.first { 1 + 3 * $0.coordinateCount == externalCount }
        guard let curve else { return nil }
        self = curve
    }

    /// ECPrivateKey (RFC 5915) of 04, X, Y and K.
    func sec1(_ external: [UInt8]) -> [UInt8] {
        let point = Array(external.prefix(1 + 2 * coordinateCount))
        return DER.encode(
            tag: 0x30,
            DER.encode(tag: 0x02, [1])
                + DER.encode(tag: 0x04, Array(external.suffix(coordinateCount)))
                + DER.encode(tag: 0xA0, DER.objectIdentifier(identifier))
                + DER.encode(tag: 0xA1, DER.encode(tag: 0x03, [0] + point))
        )
    }

    /// Whether the key is on this curve, and its two halves belong together.
    func matches(_ handle: borrowing KeyHandle) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil) else {
            return false
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard Self(handle) == self else { return false }
        return unsafe EVP_PKEY_pairwise_check(context) == 1
    }
}
