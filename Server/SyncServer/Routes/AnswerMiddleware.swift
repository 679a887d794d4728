internal import HTTPTypes
internal import Hummingbird
internal import KSMerging
internal import Logging
package import KSWire

/// Finishes every answer: errors become problems, nothing is cached, one log line is written.
///
/// The line names the route as the router has it, and never a path, query, name, id or token.
package struct AnswerMiddleware: RouterMiddleware {
    let answers: AnswersUnderWay
    let connections: OpenConnections
    let metrics: ServerMetrics
    let spoken: SpokenProtocol

    private static let methods: Set<HTTPRequest.Method> = [.get, .post, .put, .delete]

    package init(
        answers: AnswersUnderWay,
        connections: OpenConnections,
        metrics: ServerMetrics = ServerMetrics(),
        spoken: SpokenProtocol = .own
    ) {
        self.answers = answers
        self.connections = connections
        self.metrics = metrics
        self.spoken = spoken
    }

    @concurrent
    func handle(
        _ request: Request,
        context: SyncRequestContext,
        next: @concurrent (Request, SyncRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let answer = answers.begin()
        connections.noteRequest(on: context.channel)
        var response: Response
        var code: String?
        var trouble: String?
        do {
            try checkProtocol(of: request)
            response = try await next(request, context)
        } catch {
            let problem = Problem(reporting: error)
            if problem.code == .internalError {
                // Only the type is logged: an error's text could repeat a client's data.
                context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
            }
            if case .database(let database) = error as? StoreError { trouble = database.code }
            response = problem.response
            code = problem.code.rawValue
        }
        response.headers[.cacheControl] = "no-store"
        response.headers[.syncProtocol] = spoken.text
        let elapsed = ContinuousClock.now - start
        log(request, context, response, code, trouble, elapsed: elapsed)
        let wait = request.uri.queryParameters["wait"]
        // The router has a name for its own answers, which is no path.
        let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil }
        // A client could make up any number of other methods.
        let isKnown = route != nil && Self.methods.contains(request.method)
        metrics.noteAnswer(
            route: route ?? "none",
            method: isKnown ? request.method.rawValue : "other",
            isWaiting: route != nil && wait != nil && wait != "0",
            status: response.status.code,
            code: code,
            elapsed: elapsed
        )
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { withExtendedLifetime(answer) {} }
            try await body.write(writer)
        }
        return response
    }

    /// Refuses a client with which this server has no protocol in common, before its request is
    /// read.
    private func checkProtocol(of request: Request) throws {
        // A program that asks for the server's health speaks no protocol.
        guard request.uri.path.hasPrefix("/v1/") else { return }
        let stated = request.headers[.syncProtocol]
        let client = try SpokenProtocol(stated)
        guard let code = SpokenProtocol.refusal(client: client, server: spoken) else { return }
        // A client that is older than the header is older than the code, too.
        throw Problem(stated == nil ? .preconditionRequired : code)
    }

    private func log(
        _ request: Request,
        _ context: SyncRequestContext,
        _ response: Response,
        _ code: String?,
        _ trouble: String?,
        elapsed: Duration
    ) {
        let level: Logger.Level =
            switch response.status.kind {
            // The account's user has to do something, and not the operator.
            case .serverError where code == ErrorCode.quotaExceeded.rawValue: .info
            // Overload or a stop is temporary.
            case .serverError where code == ErrorCode.unavailable.rawValue: .warning
            case .serverError: .error
            case .clientError: .info
            default: .debug
            }
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue)",
            "route": "\(context.endpointPath ?? "none")",
            "status": "\(response.status.code)",
            "milliseconds": "\(elapsed / .milliseconds(1))",
        ]
        if let code { metadata["code"] = "\(code)" }
        if let trouble { metadata["database"] = "\(trouble)" }
        context.logger.log(level: level, "request", metadata: metadata)
    }
}

extension HTTPField.Name {
    static let syncProtocol = {
        guard let name = HTTPField.Name(SpokenProtocol.headerName) else {
            preconditionFailure("a name")
        }
        return name
    }()
}
