internal import KSRecords
internal import KSTransport
package import KSWire

extension ServerClient {
    /// Sends a replica's request and returns the answer.
    package func carry(
        _ request: SyncRequest,
        token: String
    ) async throws(ServerError) -> Answer<SyncAnswer> {
        do {
            switch request {
            case .push(let batch, let applied):
                let body = WirePushRequest(batch, applied: applied)
                let answer: Answer<WirePushResponse> =
                    try await call(.post, "/v1/batches", token: token, body: body)
                return try answer.map { .pushed(try PushAnswer($0)) }
            case .pull(let cursor):
                var path = "/v1/changes?limit=\(Limits.pageRecordsMax)&wait=0"
                if let cursor { path += "&after=" + cursor.text }
                let answer: Answer<WireChangesResponse> = try await call(.get, path, token: token)
                return try answer.map { .page(try PageAnswer($0)) }
            case .circle(let version):
                return try await circle(after: version, token: token).map { message in
                    .circle(
                        try message.entries.map { try $0.value() },
                        message.hasEnvelope ? try message.envelope.value() : nil
                    )
                }
            }
        } catch let error as ServerError {
            throw error
        } catch {
            // The message lacks a field that this call requires.
            throw .unreadable(status: 200)
        }
    }

    package func circle(
        after version: UInt64,
        token: String
    ) async throws(ServerError) -> Answer<WireCircleResponse> {
        try await call(.get, "/v1/circle?after=\(version)", token: token)
    }
}
