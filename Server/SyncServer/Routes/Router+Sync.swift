internal import Hummingbird
internal import KSStore
internal import KSWire

extension SyncService {
    /// Every route of the protocol.
    func router() -> Router<SyncRequestContext> {
        let router = Router(context: SyncRequestContext.self)
        router.add(
            middleware: AnswerMiddleware(
                answers: answers,
                connections: connections,
                metrics: metrics,
                spoken: options.spoken
            )
        )
        router.get("/healthz", use: showHealth)
        router.post("/v1/accounts", use: signUp)
        router.post("/v1/accounts/check", use: checkSignUp)
        router.delete("/v1/account", use: deleteAccount)
        router.post("/v1/sessions/challenge", use: challenge)
        router.post("/v1/sessions", use: openSession)
        router.get("/v1/circle", use: circle)
        router.get("/v1/circle/entry", use: circleEntry)
        router.post("/v1/circle/return", use: returnCircle)
        router.put("/v1/circle", use: extendCircle)
        router.post("/v1/batches", use: push)
        router.get("/v1/changes", use: changes)
        router.get("/v1/events", use: events)
        router.post("/v1/vector", use: raiseVector)
        router.post("/v1/history", use: compareHistory)
        return router
    }

    /// 200 when the store answers and can write.
    @Sendable
    func showHealth(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        try await store.read { try $0.probe() }
        switch health.trouble {
        // A server that stops is healthy.
        case nil, .stopping: break
        case .diskFull, .storageFailed: throw Problem(.storageFailed)
        }
        return Response(
            status: .ok,
            headers: [.contentType: MessageBody.jsonType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"status":"ok"}"# + "\n"))
        )
    }
}
