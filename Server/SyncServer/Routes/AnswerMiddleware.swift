internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import KSWire

/// Makes every answer ours: problems for errors, nothing cached, one line in the log.
///
/// The line has the route as it is written in the router, never the path or the query; no names,
/// ids or tokens.
struct AnswerMiddleware: RouterMiddleware {
    let answers: AnswersUnderWay
    let connections: OpenConnections

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
                // The type alone: an error's text could repeat what a client sent.
                context.logger.error(
                    "request failed",
                    metadata: ["error": "\(type(of: error))"]
                )
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
            // Too much at once, or a stop: it passes.
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
