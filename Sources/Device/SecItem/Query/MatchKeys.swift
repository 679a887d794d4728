internal import KSAgent
internal import KSCertificates
internal import KSKeychain

/// The `kSecMatch…` conditions of a query, beyond equal attributes.
struct MatchKeys {
    enum Moment: Equatable {
        case now
        /// Seconds since 2001.
        case at(Double)
    }

    /// Whether the query has any match key, known or unknown.
    var isNamed = false
    /// How many at most; nil for all.
    var limit: Int? = 1
    var issuers: [[UInt8]]?
    var policy: CertificatePolicy?
    var validOn: Moment?
    var wantsTrusted = false
    var emailAddress: String?
    var host: String?

    /// Whether certificates must be opened to decide which match.
    var needsCertificate: Bool {
        issuers != nil || policy != nil || validOn != nil || wantsTrusted || emailAddress != nil
    }

    /// Reads one match key; an unknown one only sets ``isNamed``.
    ///
    /// - Throws: ``KeychainError/parameter`` for a value that a known key does not take.
    mutating func read(_ key: String, _ value: AgentValue) throws(ItemStoreError) {
        isNamed = true
        switch (key, value) {
        case ("m_Limit", .string("m_LimitOne")): limit = 1
        case ("m_Limit", .string("m_LimitAll")): limit = nil
        case ("m_Limit", .integer(let number)): limit = number < 0 ? nil : Int(clamping: number)
        case ("m_Limit", .double(let number)) where Int64(exactly: number) != nil:
            try read(key, .integer(Int64(exactly: number) ?? 0))
        case ("m_Issuers", .array(let names)):
            let issuers = names.compactMap(\.data)
            guard issuers.count == names.count else { throw .parameter }
            self.issuers = issuers
        case ("m_Policy", .dictionary(let object)) where object["$ref"] == .string("policy"):
            policy = try CertificatePolicy(object)
        case ("m_ValidOnDate", .null): validOn = .now
        case ("m_ValidOnDate", .date(let seconds)): validOn = .at(seconds)
        case ("m_TrustedOnly", .bool(let flag)): wantsTrusted = flag
        case ("m_EmailAddressIfPresent", .string(let text)): emailAddress = text
        case ("m_HostOrSubdomainOfHost", .string(let text)): host = text
        case ("m_Limit", _), ("m_Issuers", _), ("m_Policy", _), ("m_ValidOnDate", _),
            ("m_TrustedOnly", _), ("m_EmailAddressIfPresent", _),
            ("m_HostOrSubdomainOfHost", _):
            throw .parameter
        default: break
        }
    }

    /// - Throws: ``KeychainError/unimplemented`` for a match key that this class does not support.
    func check(_ target: SecItemQuery.Target) throws(ItemStoreError) {
        if host != nil, target != .items(.internetPassword) { throw .unimplemented }
        let hasCertificates = target == .identities || target == .items(.certificate)
        if issuers != nil || policy != nil, !hasCertificates { throw .unimplemented }
    }
}

extension CertificatePolicy {
    /// Reads a policy object: its name or OID, the host or address, and whether it is for clients.
    ///
    /// - Throws: ``KeychainError/parameter`` for an unknown policy.
    fileprivate init(_ object: AgentDictionary) throws(ItemStoreError) {
        let name = object["host"]?.string
        switch object["name"]?.string {
        case nil, "basic", "1.2.840.113635.100.1.2": self = .basic
        case "SSL", "1.2.840.113635.100.1.3":
            self = object["client"] == .bool(true) ? .client : .server(host: name)
        case "SSL client": self = .client
        case "SMIME", "1.2.840.113635.100.1.8": self = .mail(address: name)
        case "code signing", "1.2.840.113635.100.1.16": self = .codeSigning
        case "time stamping", "1.2.840.113635.100.1.20": self = .timeStamping
        default: throw .parameter
        }
    }
}
