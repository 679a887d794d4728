package import HTTPTypes
internal import Hummingbird
internal import KSMerging
internal import KSRecords
internal import KSStore
package import KSWire

/// A refusal in the form of RFC 9457, which a route throws and the client gets.
///
/// It repeats nothing of the request but the counters of refused writes.
package struct Problem: Error, Equatable {
    let code: ErrorCode
    let status: HTTPResponse.Status
    /// For Retry-After.
    let retryAfterSeconds: Int?
    /// The writes of a batch that cannot be accepted.
    var refused: [RefusedRecord] = []

    package init(
        _ code: ErrorCode,
        status: HTTPResponse.Status? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.status = status ?? code.status
        self.retryAfterSeconds = retryAfterSeconds ?? code.retryAfterSeconds
    }

    /// The problem that may be reported for any error.
    init(reporting error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StoreError:
            self.init(error.code)
            if case .writes(let records) = error { refused = records }
        case WireError.tooLarge: self.init(.tooLarge)
        case WireError.records(let records):
            self.init(.malformed)
            refused = records
        case is WireError, is RecordsError: self.init(.malformed)
        case is CircleError: self.init(.refused)
        case let error as any HTTPResponseError: self.init(status: error.status)
        default: self.init(.internalError)
        }
    }

    /// The problem for a refusal of the framework.
    private init(status: HTTPResponse.Status) {
        switch status {
        case .notFound, .methodNotAllowed: self.init(.notFound, status: status)
        case .contentTooLarge: self.init(.tooLarge)
        case let status where status.kind == .clientError: self.init(.malformed, status: status)
        default: self.init(.internalError)
        }
    }

    var response: Response {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let retryAfterSeconds { headers[.retryAfter] = String(retryAfterSeconds) }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n"))
        )
    }

    /// Nothing in it needs escaping: the code is ours, the title is the standard's.
    package var text: String {
        """
        {"type":"about:blank","title":"\(status.reasonPhrase)","status":\(status.code),\
        "code":"\(code.rawValue)","retry":\(code.isWorthRetrying)\(refusedJSON)}
        """
    }
}

extension Problem {
    private var refusedJSON: String {
        guard !refused.isEmpty else { return "" }
        let records = refused.map { #"{"counter":\#($0.counter),"code":"\#($0.code.rawValue)"}"# }
        return #","refused":[\#(records.joined(separator: ","))]"#
    }
}

extension ErrorCode {
    /// The HTTP status of the code.
    var status: HTTPResponse.Status {
        switch self {
        case .malformed, .clientTooOld, .serverTooOld: .badRequest
        case .tooLarge: .contentTooLarge
        case .siblingsFull, .nameTaken, .actorForked, .storeRestored, .unknownCursor,
            .generationClosed, .resyncRequired:
            .conflict
        case .circleChanged: .preconditionFailed
        case .preconditionRequired: .preconditionRequired
        case .quotaExceeded: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        case .unauthenticated: .unauthorized
        case .refused, .wrongOrigin, .registrationClosed, .invitationNeeded, .invitationUsed,
            .accountSuspended:
            .forbidden
        case .notFound, .accountUnknown: .notFound
        case .tooManyRequests: .tooManyRequests
        case .storageFailed, .unavailable: .serviceUnavailable
        case .internalError: .internalServerError
        }
    }

    fileprivate var retryAfterSeconds: Int? {
        switch self {
        case .storageFailed: 30
        // An idle device asks this often, and notices when the account is resumed.
        case .accountSuspended: 60
        case .tooManyRequests, .unavailable: 1
        default: nil
        }
    }
}
