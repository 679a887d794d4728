extension CurlTransport {
    /// No key has this pin: nobody knows an input whose SHA-256 is all zeros.
    private static let pinOfNoKey = "sha256//" + String(repeating: "A", count: 43) + "="

    /// The certificate (PEM) that a server shows; nobody has verified it.
    ///
    /// Any key is refused, so the connection ends before anything is sent.
    package static func certificate(shownBy origin: String) async throws(TransportError) -> String {
        let server = try ServerEndpoint(origin: origin, pins: [pinOfNoKey])
        let transport = try CurlTransport(server: server)
        defer { transport.close() }
        let (transfer, result) = await transport.carryOut(TransportRequest(.get, "/"))
        if let certificate = transfer.refusedCertificate { return certificate }
        _ = try result.get()
        throw .untrusted(.unverifiedChain)
    }
}
