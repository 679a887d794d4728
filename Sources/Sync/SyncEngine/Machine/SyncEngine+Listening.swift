internal import KSDigests
internal import KSRecords
internal import KSTransport
internal import KSWire
internal import Logging
internal import SwiftProtobuf

// Hears of news on the server: from its stream of events or, where something between holds the
// stream back, by asking again and again.

extension SyncEngine {
    /// How this device hears of changes.
    package enum Connection: String, Sendable {
        /// Not at all; it pulls once the server is in reach again.
        case closed
        /// From the stream of events, at once.
        case live
        /// By requests that the server answers when something is new: a proxy holds the stream
        /// back.
        case polling
    }

    /// How long a stream may be silent at its beginning; longer than a connection may take.
    ///
    /// The server's first event comes at once.
    package static let firstEventMilliseconds: UInt64 = 20_000
    /// How long a device asks before it tries the stream again.
    private static let pollingMilliseconds: UInt64 = 600_000
    /// How long the server may wait with its answer; proxies give up after a minute or later.
    private static let pollSeconds = 25
    /// The pause after an answer, in case a server does not wait; it is longer after news that the
    /// device has not pulled, such as while sync is paused.
    private static let pollPauseSeconds = (short: 1, long: 20)

    /// Listens to the server's events, and connects again when the stream ends.
    func listen() async {
        var failures: UInt64 = 0
        while !Task.isCancelled {
            var toldMilliseconds: UInt64 = 0
            let hadSession = session != nil
            do {
                if try await hearStream() {
                    try await poll()
                    // It is time for another try.
                    continue
                }
            } catch {
                let hasTimedOut = error as? TransportError == .timedOut
                if hasTimedOut, hasHeardStream {
                    // The stream worked, and its connection died: the next one is new.
                    (connection, hasHeardStream, failures) = (.closed, false, 1)
                    continue
                }
                toldMilliseconds = note(listeningError: error)
            }
            if connection != .closed { failures = 0 }
            connection = .closed
            // The server has forgotten the session: whether it opens another one shows why.
            if hadSession, session == nil { continue }
            failures += 1
            let wait = min(SyncMachine.retryMilliseconds << min(failures - 1, 10), 60_000)
            // Many devices lose a server at the same moment, and should not all return at once.
            let spread = SyncMachine.spread(wait, replica.random.integer())
            // Throws only when the task is cancelled, which the loop checks.
            try? await Task.sleep(for: .milliseconds(max(spread, toldMilliseconds)))
        }
    }

    /// Hears one stream of events until it ends.
    ///
    /// - Returns: whether it was given up, since its first event did not come, or since the server
    ///   has no streams.
    private func hearStream() async throws -> Bool {
        let session = try await currentSession()
        guard session.features.contains(.events) else { return true }
        let request = TransportRequest(
            .get,
            "/v1/events",
            headers: client.headers(token: session.token, accept: "text/event-stream")
        )
        hasHeardStream = false
        let events = client.transport.events(request)
        let reading = Task { try await self.read(events) }
        let limit = firstEventMilliseconds
        let watch = Task {
            // Fails only when the stream ended before.
            guard (try? await Task.sleep(for: .milliseconds(limit))) != nil else { return false }
            guard !self.hasHeardStream else { return false }
            reading.cancel()
            return true
        }
        let result = await withTaskCancellationHandler {
            await reading.result
        } onCancel: {
            reading.cancel()
        }
        watch.cancel()
        if await watch.value { return true }
        try result.get()
        return false
    }

    private func read(_ events: AsyncThrowingStream<ServerEvent, any Error>) async throws {
        for try await event in events {
            if connection != .live {
                replica.noticeServer(isConnected: true)
                try replica.noteRefusal(nil)
            }
            (connection, hasHeardStream, connectionError) = (.live, true, nil)
            try heard(event)
        }
    }

    /// Asks for news for some minutes.
    private func poll() async throws {
        let end = uptime() + Self.pollingMilliseconds
        var asked: UInt64?
        while uptime() < end, !Task.isCancelled {
            if let asked {
                let isPulled = try replica.state().cursor?.seq != asked
                let pause = isPulled ? Self.pollPauseSeconds.short : Self.pollPauseSeconds.long
                try await Task.sleep(for: .seconds(pause))
            }
            let state = try replica.state()
            let answer = try await client.changes(
                after: state.cursor,
                recordsMax: 1,
                waitSeconds: Self.pollSeconds,
                known: try replica.shownVector(),
                token: try await currentSession().token
            ).message
            if connection != .polling {
                logger.notice("the server's events do not arrive, so this device polls")
                replica.noticeServer(isConnected: true)
                try replica.noteRefusal(nil)
            }
            (connection, connectionError) = (.polling, nil)
            let isNew = !answer.records.isEmpty || answer.cursor != state.cursor
            // Nothing new: the seq of no cursor.
            asked = isNew ? state.cursor?.seq ?? 0 : .max
            let seq = isNew ? UInt64.max : 0
            try replica.notice(seq: seq, circleVersion: answer.circleVersion)
            if isNew || answer.circleVersion > state.circleVersion { signal.raise() }
        }
    }

    /// Notes why nothing can be heard: a device that sends nothing learns of it only here.
    ///
    /// - Returns: how long the server asks to wait, milliseconds; 0 if it does not.
    private func note(listeningError thrown: any Error) -> UInt64 {
        let error = (thrown as? TransportError).map(ServerError.transport) ?? thrown
        guard let error = error as? ServerError else { return 0 }
        switch error {
        // A stream is refused without a code; opening the next session shows why.
        case .transport(.unexpectedStatus(let status, _)) where [400, 401, 403].contains(status):
            session = nil
        case _ where error.endsSession: session = nil
        case .transport(.unexpectedStatus), .transport(.cancelled): break
        default: connectionError = explained(error)
        }
        if case .refused(.refused, _, _) = error {
            // What cannot be saved now is noted at the next refusal.
            try? replica.noteRefusal(.device)
            if replica.askWhyRefused() { signal.raise() }
        }
        return error.retryAfterSeconds.map(SyncMachine.toldMilliseconds) ?? 0
    }

    private func heard(_ event: ServerEvent) throws {
        // An unreadable event may still announce something new, so it leads to a pull.
        let message = try? WireEvent(event.data)
        newestSeq = max(newestSeq, message?.seq ?? 0)
        try replica.notice(
            seq: message?.seq ?? .max,
            circleVersion: message?.circleVersion ?? 0,
            // If the page cannot be read, the device pulls it.
            try? message?.announcedPage()
        )
        signal.raise()
    }
}
