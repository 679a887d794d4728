internal import KSCCurl
internal import Glibc
internal import Synchronization

/// One request under way.
///
/// The caller makes it; from then on only the loop's thread uses it.
@safe
package final class CurlTransfer: @unchecked Sendable {
    // Safety: the caller sets `done` before it gives the transfer to the loop, under the loop's
    // lock; `cancelled` is atomic; only the loop's thread uses the rest, and curl's callbacks run
    // on that thread too. A loop that hands a transfer over has not used it.
    private let options: CurlOptions
    private let connections: CheckedConnections
    private let whenEvent: (@Sendable (ServerEvent) -> Void)?
    private var done: (@Sendable (Result<TransportResponse, TransportError>) -> Void)?

    private(set) var easy: UnsafeMutableRawPointer?
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var headers: [String: String] = [:]
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var parser = ServerEventParser()
    /// Our own reason to abort, which curl reports only as "aborted".
    private var ownError: TransportError?
    private let cancelled = Atomic(false)
    /// When data last arrived, or the other end last confirmed some, by the loop's clock; nil
    /// before that.
    private(set) var heardMilliseconds: Int?
    private(set) var startMilliseconds = 0
    /// How much of the body was confirmed at the last look.
    private var confirmedBytes: curl_off_t = 0
    /// Whether curl may have sent a part of the request.
    private var mayBeSent = false
    /// The server's certificate (PEM) if its key matched no pin; set before the transfer is done.
    private(set) var refusedCertificate: String?

    /// Our server's headers have a dozen lines.
    private static let headerBytesMax = 64 << 10

    package init(
        _ request: TransportRequest,
        to server: ServerEndpoint,
        limits: TransportLimits,
        connections: CheckedConnections,
        whenEvent: (@Sendable (ServerEvent) -> Void)? = nil
    ) {
        options = CurlOptions(request: request, server: server, limits: limits)
        self.connections = connections
        self.whenEvent = whenEvent
    }

    func whenDone(_ done: @escaping @Sendable (Result<TransportResponse, TransportError>) -> Void) {
        self.done = done
    }

    var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

    /// Lets no loop begin the transfer from now on.
    func markCancelled() { cancelled.store(true, ordering: .sequentiallyConsistent) }

    deinit {
        release()
    }

    /// Completes the request once; later calls do nothing.
    func finish(_ result: Result<TransportResponse, TransportError>) {
        release()
        if case .failure = result, !mayBeSent { options.request.unsentProof?.prove() }
        done?(result)
        done = nil
    }

    private func release() {
        if let easy = unsafe easy { unsafe curl_easy_cleanup(easy) }
        unsafe easy = nil
        if let headerList = unsafe headerList { unsafe curl_slist_free_all(headerList) }
        unsafe headerList = nil
    }
}

// Starting and ending, on the loop's thread.
extension CurlTransfer {
    var isStream: Bool { whenEvent != nil }

    var silenceMilliseconds: Int { options.limits.silenceMilliseconds }

    /// When data last arrived, else when the transfer began.
    var signMilliseconds: Int { heardMilliseconds ?? startMilliseconds }

    /// When the transfer times out.
    ///
    /// For a stream, after too long a silence. For a request, after its time, which grows with its
    /// bytes; but earlier if it is silent: a slow link gets the time for many bytes, a dead one
    /// does not.
    package var endsMilliseconds: Int {
        let limits = options.limits
        if isStream { return signMilliseconds + limits.silenceMilliseconds }
        let bytes = options.request.body.count + body.count
        let timeout = max(1, options.request.timeoutSeconds) * 1000
        return min(
            startMilliseconds + timeout + bytes * 1000 / limits.bytesPerSecondMin,
            signMilliseconds + max(timeout, limits.silenceMilliseconds)
        )
    }

    /// A smaller body is sent long before anybody asks for signs of it.
    private static let watchedBytesMin = 64 << 10

    /// Looks whether the other end has confirmed more of a large body since the last look.
    func noteUpload(nowMilliseconds: Int) {
        guard options.request.body.count >= Self.watchedBytesMin, let easy = unsafe easy else {
            return
        }
        let confirmed = unsafe keychain_curl_confirmed(easy)
        if confirmed > confirmedBytes { heardMilliseconds = nowMilliseconds }
        confirmedBytes = max(confirmed, confirmedBytes)
    }

    /// Makes curl's handle.
    package func prepare(nowMilliseconds: Int) throws(TransportError) -> UnsafeMutableRawPointer {
        startMilliseconds = nowMilliseconds
        guard let handle = unsafe curl_easy_init() else {
            throw .library(code: Int32(CURLE_OUT_OF_MEMORY.rawValue))
        }
        unsafe easy = handle
        unsafe try options.apply(to: handle)
        for line in options.headerLines {
            guard let longer = unsafe curl_slist_append(headerList, line) else {
                throw .library(code: Int32(CURLE_OUT_OF_MEMORY.rawValue))
            }
            unsafe headerList = longer
        }
        unsafe setCallbacks(of: handle)
        return unsafe handle
    }

    private func setCallbacks(of handle: UnsafeMutableRawPointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // These take any pointer and cannot fail.
        unsafe keychain_curl_set_headers(handle, headerList)
        unsafe keychain_curl_set_pointer(handle, CURLOPT_PRIVATE, context)
        unsafe keychain_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        unsafe keychain_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        unsafe keychain_curl_set_pointer(handle, CURLOPT_PREREQDATA, context)
        unsafe keychain_curl_set_pointer(
            handle,
            CURLOPT_CLOSESOCKETDATA,
            Unmanaged.passUnretained(connections).toOpaque()
        )
        // The parameters are bytes, size, count and context.
        unsafe keychain_curl_set_receive(handle, CURLOPT_HEADERFUNCTION) {
            unsafe CurlTransfer.of($3).receiveHeader($0, count: $1 * $2)
        }
        unsafe keychain_curl_set_receive(handle, CURLOPT_WRITEFUNCTION) {
            unsafe CurlTransfer.of($3).receiveBody($0, count: $1 * $2)
        }
        unsafe keychain_curl_set_before_request(handle) { context, _, _, _, _ in
            unsafe CurlTransfer.of(context).beforeRequest()
        }
        unsafe keychain_curl_set_pointer(handle, CURLOPT_SOCKOPTDATA, context)
        unsafe keychain_curl_set_new_socket(handle) { context, socket, _ in
            let limit = unsafe CurlTransfer.of(context).options.limits.unconfirmedMilliseconds
            // Without it the connection works, and only dies later.
            _ = keychain_limit_unconfirmed(socket, limit)
            return CURL_SOCKOPT_OK
        }
        unsafe keychain_curl_set_close(handle) { context, socket in
            if let context = unsafe context {
                unsafe Unmanaged<CheckedConnections>.fromOpaque(context).takeUnretainedValue()
                    .closed(socket)
            }
            return close(socket)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context = unsafe context else { preconditionFailure("curl lost its context") }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Converts curl's result.
    func result(of code: CURLcode) -> Result<TransportResponse, TransportError> {
        if let ownError { return .failure(ownError) }
        if code == CURLE_SSL_PINNEDPUBKEYNOTMATCH, let handle = unsafe easy {
            let label = "Cert:"
            refusedCertificate = unsafe Self.certificateFields(of: handle)
                .first { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
        }
        guard code == CURLE_OK else { return .failure(error(for: code)) }
        return .success(
            TransportResponse(
                status: number(CURLINFO_RESPONSE_CODE),
                headers: headers,
                body: body,
                dateMilliseconds: headers["date"].flatMap(Self.milliseconds),
                isOverHTTP2: number(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0)
            )
        )
    }

    /// One of the numbers that curl keeps about the transfer; 0 before it has begun.
    private func number(_ info: CURLINFO) -> Int {
        var number = 0
        if let easy = unsafe easy { unsafe keychain_curl_get_long(easy, info, &number) }
        return number
    }

    /// The last accepted second of a server's date, in the year 4199.
    private static let dateSecondsMax = (1 << 46) / 1000

    /// Milliseconds since 1970; nil if the text is not a date.
    package static func milliseconds(ofDate text: String) -> UInt64? {
        let seconds = unsafe curl_getdate(text, nil)
        return (0...dateSecondsMax).contains(seconds) ? UInt64(seconds) * 1000 : nil
    }

    private func error(for code: CURLcode) -> TransportError {
        switch code {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return .untrusted(.pinMismatch)
        case CURLE_SSL_CACERT_BADFILE: return .untrusted(.authorityFileUnreadable)
        case CURLE_PEER_FAILED_VERIFICATION: return .untrusted(chainProblem)
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_HTTP2, CURLE_PARTIAL_FILE,
            CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_HTTP2_STREAM, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            return .outOfReach(code: Int32(code.rawValue))
        default: return .library(code: Int32(code.rawValue))
        }
    }

    /// The failed check of a chain, by OpenSSL's X509_V_ERR numbers.
    private var chainProblem: TrustProblem {
        switch number(CURLINFO_SSL_VERIFYRESULT) {
        case 9, 10: .expired
        // Valid, or not yet checked: curl compares the name before it checks the chain's result.
        case 0, 1: .wrongHost
        default: .unverifiedChain
        }
    }
}

// Curl's callbacks. A count that differs from the given one, or a non-zero number, aborts the
// transfer.
extension CurlTransfer {
    private func breakOff(_ error: TransportError) -> Int {
        ownError = error
        return 0
    }

    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        heardMilliseconds = CurlLoop.nowMilliseconds()
        headerBytes += count
        guard headerBytes <= Self.headerBytesMax else { return breakOff(.tooLarge) }
        let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        let line = unsafe String(decoding: raw, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A status line; the lines before belonged to an interim answer.
            headers = [:]
        } else if let colon = line.firstIndex(of: ":") {
            let value = Self.trimmed(line[line.index(after: colon)...])
            headers.merge([line[..<colon].lowercased(): value]) { first, _ in first }
        }
        return count
    }

    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }

    package func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        heardMilliseconds = CurlLoop.nowMilliseconds()
        let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        guard let whenEvent, number(CURLINFO_RESPONSE_CODE) == 200 else {
            guard body.count + count <= options.limits.answerBytesMax else {
                return breakOff(.tooLarge)
            }
            unsafe body.append(contentsOf: raw)
            return count
        }
        do throws(TransportError) {
            for event in try unsafe parser.receive(raw) { whenEvent(event) }
            return count
        } catch {
            return breakOff(error)
        }
    }

    /// Called when the connection is open, before the request is sent.
    private func beforeRequest() -> Int32 {
        guard hasGoodDates else {
            ownError = .untrusted(.expired)
            return CURL_PREREQFUNC_ABORT
        }
        mayBeSent = true
        return CURL_PREREQFUNC_OK
    }

    /// Whether the certificate is valid now; curl checks the dates itself unless there are pins.
    private var hasGoodDates: Bool {
        guard !options.server.isPlaintext, let handle = unsafe easy else { return true }
        let socket = unsafe keychain_curl_socket(handle)
        let fields = unsafe Self.certificateFields(of: handle)
        if !fields.isEmpty {
            connections.opened(socket, dates: CheckedConnections.dates(in: fields))
        }
        return options.server.pins.isEmpty || connections.isGood(socket)
    }

    /// The fields of the server's own certificate; empty if another transfer opened the connection.
    private static func certificateFields(of handle: UnsafeMutableRawPointer) -> [String] {
        guard let certificates = unsafe keychain_curl_certificates(handle),
            unsafe certificates.pointee.num_of_certs > 0
        else { return [] }
        var fields: [String] = []
        var next = unsafe certificates.pointee.certinfo[0]
        while let field = unsafe next {
            if let text = unsafe field.pointee.data { unsafe fields.append(String(cString: text)) }
            unsafe next = unsafe field.pointee.next
        }
        return fields
    }
}
