internal import KSCausality
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

    /// The circle's newest entry with all its key envelopes, or the entry that began a generation
    /// with the caller's own, if the caller is no device.
    ///
    /// `generation`: nil for the newest entry.
    /// - Returns: nil if the server has none.
    func circleEntry(
        generation: UInt64? = nil,
        token: String
    ) async throws(ServerError) -> ShownEntry? {
        let path = "/v1/circle/entry" + (generation.map { "?generation=\($0)" } ?? "")
        do {
            let answer: Answer<WireCircleEntryResponse> =
                try await call(.get, path, token: token)
            return try ShownEntry(answer.message)
        } catch let error as ServerError {
            guard case .refused(.notFound, _, _) = error else { throw error }
            return nil
        } catch {
            throw .unreadable(status: 200)
        }
    }
}

/// An entry of the circle with key envelopes, and the account vector.
struct ShownEntry: Sendable {
    let entry: SignedEntry
    let envelopes: [KeyEnvelope]
    let vector: VersionVector

    fileprivate init(_ message: WireCircleEntryResponse) throws(WireError) {
        entry = try message.entry.value()
        envelopes = try message.envelopes.map { envelope throws(WireError) in
            try envelope.value()
        }
        vector = try message.vector.vector()
    }
}
