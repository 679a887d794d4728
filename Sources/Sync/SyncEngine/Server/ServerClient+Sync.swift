package import KSCausality
package import KSRecords
package import KSSealing
internal import KSTransport
internal import KSWire

extension ServerClient {
    /// Sends a replica's request and returns the answer.
    ///
    /// `note`: of a pull. `known`: the account vector that the server has shown before; it is not
    /// sent again where nothing is new.
    package func carry(
        _ request: SyncRequest,
        _ note: PullNote = PullNote(),
        account: AccountID,
        signer: CircleSigner,
        token: String,
        known: VersionVector? = nil
    ) async throws(ServerError) -> Answer<SyncAnswer> {
        switch request {
        case .push(let batch, let applied):
            let body = WirePushRequest(batch, applied: applied)
            let answer: Answer<WirePushResponse> =
                try await call(.post, "/v1/batches", token: token, body: body)
            return try answer.read { message throws(WireError) in
                .pushed(try PushAnswer(message))
            }
        case .pull(let cursor):
            let answer = try await changes(after: cursor, note: note, known: known, token: token)
            return try answer.read { page in .page(page) }
        case .circle(let version):
            let answer = try await circle(after: version, token: token)
            return try answer.read { circle in .circle(circle.entries, circle.envelope, circle) }
        case .returnCircle(let circle):
            return try await returnCircle(circle, account: account, signer: signer)
        case .raise(let vector, let epoch):
            return try await raiseVector(
                to: vector,
                epoch: epoch,
                account: account,
                signer: signer,
                token: token
            )
        }
    }

    /// A page of changes.
    ///
    /// - Parameters:
    ///   - cursor: where it begins; nil for the beginning.
    ///   - recordsMax: how many records it may have.
    ///   - waitSeconds: how long the server may wait until something is new.
    ///   - note: what the device says of its state.
    ///   - known: as in ``carry(_:_:account:signer:token:known:)``.
    ///   - token: of the session.
    /// - Throws: what the transport, the server or a malformed answer gives.
    /// - Returns: the page, with the vector also where the server left it out.
    func changes(
        after cursor: KSRecords.Cursor?,
        recordsMax: Int = Limits.pageRecordsMax,
        waitSeconds: Int = 0,
        note: PullNote = PullNote(),
        known: VersionVector?,
        token: String
    ) async throws(ServerError) -> Answer<PageAnswer> {
        var path = "/v1/changes?limit=\(recordsMax)&wait=\(waitSeconds)"
        if let cursor { path += "&after=" + cursor.text }
        if let seq = note.completeSeq { path += "&complete=\(seq)" }
        if note.hasBatch { path += "&batch=1" }
        if let known { path += "&known=" + Base64URL.encode(known.fingerprint) }
        let answer: Answer<WireChangesResponse> = try await call(.get, path, token: token)
        return try answer.read { message throws(WireError) in
            try PageAnswer(message, known: known)
        }
    }

    package func circle(
        after version: UInt64,
        token: String
    ) async throws(ServerError) -> Answer<CircleState> {
        let answer: Answer<WireCircleResponse> =
            try await call(.get, "/v1/circle?after=\(version)", token: token)
        return try answer.read { message throws(WireError) in try message.value() }
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
        do throws(ServerError) {
            let answer: Answer<WireCircleEntryResponse> =
                try await call(.get, path, token: token)
            return try answer.read { message throws(WireError) in try message.value() }.message
        } catch .refused(.notFound, _, _) {
            return nil
        }
    }
}
