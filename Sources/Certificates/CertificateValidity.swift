internal import KSCOpenSSL

/// The time in which a certificate is valid.
package enum CertificateValidity {
    /// Reads notBefore and notAfter, in seconds since 1970-01-01 00:00 UTC.
    package static func seconds(
        certificatePEM: String
    ) throws(OpenSSLError) -> ClosedRange<UInt64> {
        let certificate = try ParsedCertificate(pem: certificatePEM)
        guard let start = UInt64(exactly: certificate.notBefore),
            let end = UInt64(exactly: certificate.notAfter), start <= end
        else { throw .malformed }
        return start...end
    }

    /// Seconds since 1970-01-01 00:00 UTC.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(OpenSSLError) -> Int64 {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else {
            throw .malformed
        }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            throw .forgetting(.malformed)
        }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
