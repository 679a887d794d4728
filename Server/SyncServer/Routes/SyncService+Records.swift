internal import KSCausality
internal import Hummingbird
internal import KSMerging
internal import NIOCore
internal import KSRecords
internal import KSStore
internal import KSWire

extension SyncService {
    /// `POST /v1/batches`.
    @Sendable
    func push(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        // Checked before the body is read: only devices may send so much.
        let caller = try await gate.device(of: request)
        // Without a declared length it counts as the longest.
        let length = request.headers[.contentLength].flatMap { Int($0) }
        try accountByteLimiter.admit(
            caller.account.limitKey,
            cost: Double(length ?? MessageBody.memberBytesMax)
        )
        let answer = try await membersUploads.withMessage(
            of: request,
            context,
            atMost: MessageBody.memberBytesMax
        ) { (message: WirePushRequest) in try await push(message, by: caller) }
        return try request.response(WirePushResponse(answer))
    }

    private func push(
        _ message: WirePushRequest,
        by caller: SessionGate.Caller
    ) async throws -> PushAnswer {
        let batch = try message.batch()
        // The signature comes first: no field of an unsigned header is trusted.
        guard batch.isSigned(by: caller.member.signingKey),
            try BatchHeader(decoding: batch.signedHeader).account == caller.account
        else { throw Problem(.refused) }
        return try await store.pushes.push(
            PushRequest(
                account: caller.account,
                member: caller.member.id,
                batch: batch,
                applied: message.hasApplied ? try message.applied.value() : nil
            ),
            byteCount: batch.envelopes.reduce(1024) { $0 + $1.box.count + 256 }
        )
    }

    /// `GET /v1/changes?after=CURSOR&limit=N&wait=S&known=FINGERPRINT&complete=SEQ&batch=1`.
    ///
    /// `known` is base64url of ``VersionVector/fingerprint``; `complete` and `batch`: see
    /// ``ChangesRequest``.
    @Sendable
    func changes(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let caller = try await gate.device(of: request)
        let limit = try request.queryInteger("limit") ?? UInt64(Limits.pageRecordsMax)
        let wait = try request.queryInteger("wait") ?? 0
        guard limit > 0 else { throw Problem(.malformed) }
        guard limit <= UInt64(Limits.pageRecordsMax), wait <= UInt64(Limits.waitSecondsMax) else {
            throw Problem(.tooLarge)
        }
        let query = ChangesRequest(
            account: caller.account,
            member: caller.member.id,
            after: try request.uri.queryParameters["after"].map { text in
                try Cursor(text: String(text))
            },
            recordsMax: Int(limit),
            completeSeq: try request.queryInteger("complete"),
            hasBatch: try request.queryInteger("batch") ?? 0 > 0
        )
        let known = try request.uri.queryParameters["known"].map { text throws(Problem) in
            guard let bytes = Base64URL.decode(String(text)),
                bytes.count == VersionVector.fingerprintByteCount
            else { throw Problem(.malformed) }
            return bytes
        }
        func answer(_ page: PageAnswer) throws -> Response {
            try request.response(WireChangesResponse(page, after: query.after, known: known))
        }
        guard wait > 0 else { return try answer(try await page(query)) }

        // It subscribes before it reads the state, so that no change between the two is missed.
        let subscription = try hub.subscribe(caller.member.id, to: caller.account)
        defer { subscription.end() }
        let first = try await page(query)
        guard first.records.isEmpty, first.cursor == query.after else {
            return try answer(first)
        }
        context.channel.closeFuture.whenComplete { _ in subscription.end() }
        await subscription.waitOnce(atMost: .seconds(Int(wait)))
        return try answer(try await page(query))
    }

    func page(_ query: ChangesRequest) async throws -> PageAnswer {
        try await store.read { try $0.changes(query) }
    }
}
