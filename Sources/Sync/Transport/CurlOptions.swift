internal import KSCCurl

/// Every option of every transfer, set in one place.
///
/// They belong together: with `VERIFYPEER` off and no pin, curl would accept any server.
struct CurlOptions {
    let request: TransportRequest
    let server: ServerEndpoint
    let limits: TransportLimits

    /// Only suites with forward secrecy and authenticated encryption; those of TLS 1.3 all have
    /// both.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"

    /// Sets them all.
    ///
    /// Unset on purpose: cookies, user name, `.netrc`, compression, HTTP/0.9, HSTS, alternative
    /// services and early data.
    @unsafe
    func apply(to easy: UnsafeMutableRawPointer) throws(TransportError) {
        guard isWellFormed else { throw .malformedRequest }
        unsafe try applyTrust(to: easy)
        unsafe try applyRequest(to: easy)

        // Signals belong to the program, and time-outs by SIGALRM break threads.
        unsafe try set(easy, CURLOPT_NOSIGNAL, 1)
        unsafe try set(easy, CURLOPT_FOLLOWLOCATION, 0)
        // Proxy variables of the environment are ignored: they were rarely set for this program.
        unsafe try set(easy, CURLOPT_PROXY, "")
        let version = server.isPlaintext ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        unsafe try set(easy, CURLOPT_HTTP_VERSION, Int(version))
        // Wait for a connection that is being opened, instead of opening a second one.
        unsafe try set(easy, CURLOPT_PIPEWAIT, 1)
        unsafe try set(easy, CURLOPT_TCP_NODELAY, 1)
        unsafe try set(easy, CURLOPT_TCP_KEEPALIVE, 1)
        unsafe try set(easy, CURLOPT_TCP_KEEPIDLE, 30)
        unsafe try set(easy, CURLOPT_TCP_KEEPINTVL, 10)
        // A router may have forgotten a connection that was idle for longer.
        unsafe try set(easy, CURLOPT_MAXAGE_CONN, limits.idleSecondsMax)
        unsafe try set(easy, CURLOPT_CONNECTTIMEOUT, limits.connectSeconds)
        // Otherwise the end of a transfer waits, with all others, for a name server that is silent.
        unsafe try set(easy, CURLOPT_QUICK_EXIT, 1)
    }

    @unsafe
    private func applyTrust(to easy: UnsafeMutableRawPointer) throws(TransportError) {
        unsafe try set(easy, CURLOPT_PROTOCOLS_STR, server.isPlaintext ? "http" : "https")
        unsafe try set(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        unsafe try set(easy, CURLOPT_SSL_CIPHER_LIST, Self.ciphers)
        // A resumed session has no certificate, so its dates could not be checked.
        unsafe try set(easy, CURLOPT_SSL_SESSIONID_CACHE, 0)
        let isPinned = !server.pins.isEmpty
        let isChainVerified = !isPinned || server.authorityFile != nil
        unsafe try set(easy, CURLOPT_SSL_VERIFYPEER, isChainVerified ? 1 : 0)
        unsafe try set(easy, CURLOPT_SSL_VERIFYHOST, isChainVerified ? 2 : 0)
        if isPinned {
            // Checked again, because curl treats an empty text as "no pin".
            guard server.pins.allSatisfy(ServerEndpoint.isWellFormed(pin:)) else {
                throw .untrusted(.malformedPin)
            }
            unsafe try set(easy, CURLOPT_PINNEDPUBLICKEY, server.pins.joined(separator: ";"))
        }
        unsafe try set(easy, CURLOPT_CERTINFO, 1)
        if let authorityFile = server.authorityFile {
            unsafe try set(easy, CURLOPT_CAINFO, authorityFile)
            // Otherwise the machine's directory of authorities, another option, would count too.
            try unsafe check(keychain_curl_set_string(easy, CURLOPT_CAPATH, nil))
        }
        precondition(
            server.isPlaintext || isChainVerified || isPinned,
            "a connection must verify the chain or a pin"
        )
    }

    @unsafe
    private func applyRequest(to easy: UnsafeMutableRawPointer) throws(TransportError) {
        unsafe try set(easy, CURLOPT_URL, server.origin + request.path)
        unsafe try set(easy, CURLOPT_PATH_AS_IS, 1)
        unsafe try set(easy, CURLOPT_USERAGENT, "keychain-sync")
        guard request.method != .get else { return }
        if request.method == .delete && request.body.isEmpty {
            unsafe try set(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
            return
        }
        unsafe try set(easy, CURLOPT_POST, 1)
        unsafe try set(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        unsafe try check(
            keychain_curl_set_size(
                easy,
                CURLOPT_POSTFIELDSIZE_LARGE,
                curl_off_t(request.body.count)
            )
        )
        if request.body.isEmpty {
            // The address of an empty array may be nil, which curl treats as "read from a file".
            unsafe try set(easy, CURLOPT_COPYPOSTFIELDS, "")
        } else {
            unsafe try check(keychain_curl_set_body(easy, request.body))
        }
    }

    /// The head as lines.
    var headerLines: [String] {
        var lines = request.headers.map { "\($0.key): \($0.value)" }.sorted()
        // Without this curl waits a second for "100 Continue" before it sends a large body.
        lines.append("Expect:")
        if !request.headers.keys.contains(where: { $0.lowercased() == "content-type" }) {
            // Otherwise curl declares a body as a web form.
            lines.append("Content-Type:")
        }
        return lines
    }

    /// Some header values, such as the token, come from the server: none may contain a line break.
    private var isWellFormed: Bool {
        request.path.hasPrefix("/")
            && request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            && request.headers.allSatisfy { name, value in
                !name.isEmpty
                    && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
                    && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            }
    }

    @unsafe
    private func set(
        _ easy: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ value: Int
    ) throws(TransportError) {
        try unsafe check(keychain_curl_set_long(easy, option, value))
    }

    @unsafe
    private func set(
        _ easy: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ value: String
    ) throws(TransportError) {
        try unsafe check(keychain_curl_set_string(easy, option, value))
    }

    private func check(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else { throw .library(code: Int32(code.rawValue)) }
    }
}
