package import KSCertificates
package import KSKeychain

/// The attributes that an item takes from its certificate.
///
/// Subject and issuer are stored unchanged, unlike on Apple systems, which normalize capitals and
/// spaces in them.
package enum CertificateAttributes {
    /// All attributes, including the label; nil if the bytes are not a certificate.
    static func ofItem(_ bytes: [UInt8]) -> [AttributeName: AttributeValue]? {
        parsed(bytes).map(ofItem)
    }

    /// All attributes, including the label.
    package static func ofItem(
        _ certificate: ParsedCertificate
    ) -> [AttributeName: AttributeValue] {
        var attributes = criteria(certificate)
        if !certificate.summary.isEmpty { attributes[.label] = .string(certificate.summary) }
        return attributes
    }

    /// The attributes that identify the certificate; nil if the bytes are not a certificate.
    static func criteria(_ bytes: [UInt8]) -> [AttributeName: AttributeValue]? {
        parsed(bytes).map(criteria)
    }

    /// Nil if the bytes are not a certificate: programs may store anything as one.
    package static func parsed(_ bytes: [UInt8]) -> ParsedCertificate? {
        // A search does not need to know why other bytes cannot be parsed.
        try? ParsedCertificate(der: bytes)
    }

    private static func criteria(
        _ certificate: ParsedCertificate
    ) -> [AttributeName: AttributeValue] {
        var attributes: [AttributeName: AttributeValue] = [
            .certificateType: .integer(certificate.certificateType),
            .certificateEncoding: .integer(certificate.encoding),
            .subject: .data(certificate.subject),
            .issuer: .data(certificate.issuer),
            .serialNumber: .data(certificate.serialNumber),
            .publicKeyHash: .data(certificate.publicKeyHash),
        ]
        if let identifier = certificate.subjectKeyID {
            attributes[.subjectKeyID] = .data(identifier)
        }
        return attributes
    }
}

extension MatchKeys {
    /// Whether a certificate meets the match keys, except for the issuers.
    ///
    /// `now`: seconds since 2001-01-01 00:00 UTC.
    func admits(_ bytes: [UInt8], now: Double) -> Bool {
        // There are no trust settings, so no certificate counts as trusted.
        guard !wantsTrusted else { return false }
        guard policy != nil || validOn != nil || emailAddress != nil else { return true }
        guard let certificate = CertificateAttributes.parsed(bytes) else { return false }
        let moment =
            switch validOn {
            case .now, nil: now
            case .at(let seconds): seconds
            }
        let seconds = moment + ItemStore.secondsFrom1970To2001
        if let policy, !policy.admits(bytes, atSeconds: seconds) { return false }
        if validOn != nil {
            guard Double(certificate.notBefore) <= seconds, seconds <= Double(certificate.notAfter)
            else { return false }
        }
        if let emailAddress = emailAddress?.lowercased() {
            return certificate.emailAddresses.contains { $0.lowercased() == emailAddress }
        }
        return true
    }
}

/// Follows a certificate's chain of issuers, as far as their certificates are in the keychain.
struct IssuerSearch {
    private static let depthMax = 10

    let reader: KeychainReader
    let access: CallerAccess
    /// Names in DER.
    let names: [[UInt8]]

    /// Whether one of the names is an issuer in the certificate's chain.
    func admits(_ bytes: [UInt8]) throws(ItemStoreError) -> Bool {
        let folded = Set(names.map(Self.folded))
        var next: [UInt8]? = bytes
        for _ in 0..<Self.depthMax {
            guard let certificate = next.flatMap(CertificateAttributes.parsed) else { return false }
            if folded.contains(Self.folded(certificate.issuer)) { return true }
            guard certificate.issuer != certificate.subject else { return false }
            next = try issuer(of: certificate)
        }
        return false
    }

    private func issuer(of certificate: ParsedCertificate) throws(ItemStoreError) -> [UInt8]? {
        let query = KeychainQuery(
            .certificate,
            attributes: [.subject: .data(certificate.issuer)],
            synchronizable: .any,
            access: access,
            limit: 1,
            wantsSecret: true
        )
        return try reader.find(query).items.first?.secret
    }

    /// The bytes with ASCII letters in upper case, as Apple's programs pass names.
    private static func folded(_ name: [UInt8]) -> [UInt8] {
        name.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }
    }
}
