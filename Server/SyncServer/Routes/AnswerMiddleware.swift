internal import Hummingbird
internal import Logging
internal import KSWire

/// Finishes every answer: errors become problems, nothing is cached, one log line is written.
///
/// The line names the route as the router has it, and never a path, query, name, id or token.
package struct AnswerMiddleware: RouterMiddleware {
    let answers: AnswersUnderWay
    let connections: OpenConnections

    package init(answers: AnswersUnderWay, connections: OpenConnections) {
        self.answers = answers
        self.connections = connections
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
        do {
            response = try await next(request, context)
        } catch {
            let problem = Problem(reporting: error)
            if problem.code == .internalError {
                // Only the type is logged: an error's text could repeat a client's data.
                context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
            }
            response = problem.response
            code = problem.code.rawValue
        }
        response.headers[.cacheControl] = "no-store"
        log(request, context, response: response, code: code, elapsed: ContinuousClock.now - start)
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { withExtendedLifetime(answer) {} }
            try await body.write(writer)
        }
        return response
    }

    private func log(
        _ request: Request,
        _ context: SyncRequestContext,
        response: Response,
        code: String?,
        elapsed: Duration
    ) {
        let level: Logger.Level =
            switch response.status.kind {
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
        context.logger.log(level: level, "request", metadata: metadata)
    }
}
