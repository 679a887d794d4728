package import KSAgent
internal import KSRecords
internal import KSSyncEngine

extension SyncEngine {
    private static let progressMilliseconds: UInt64 = 100
    /// A request without an answer for so long is reported; most are answered sooner.
    private static let silenceMilliseconds: UInt64 = 2000

    /// Pushes and pulls until nothing is left, and reports how far it has come since `start`.
    nonisolated func syncNow(
        since start: Status,
        reporting report: @escaping @Sendable (AgentProgress) -> Void
    ) async -> SyncOutcome {
        await withTaskGroup(of: SyncOutcome?.self) { group in
            group.addTask { await self.syncNow() }
            group.addTask {
                while !Task.isCancelled {
                    // Ends early when the sync has ended.
                    try? await Task.sleep(for: .milliseconds(Self.progressMilliseconds))
                    // Without a status there is no progress; the sync says what is wrong.
                    guard !Task.isCancelled, let now = try? await self.status() else { break }
                    report(
                        now.silentMilliseconds >= Self.silenceMilliseconds
                            ? .waitsForServer
                            : AgentProgress(
                                syncFrom: start.state.cursor?.seq ?? 0,
                                to: now.state.cursor?.seq ?? 0,
                                of: now.newestSeq,
                                pushed: now.report.pushedRecords - start.report.pushedRecords,
                                unsent: now.counts.unsent
                            )
                    )
                }
                return nil
            }
            var outcome = SyncOutcome.stopped
            for await ended in group {
                guard let ended else { continue }
                outcome = ended
                group.cancelAll()
            }
            return outcome
        }
    }
}

extension AgentProgress {
    /// The server has not answered the request on its way for a while.
    package static let waitsForServer = AgentProgress(
        done: 0,
        total: 0,
        text: "Waiting for the server"
    )

    /// How far a sync has come since it began.
    ///
    /// It counts records while there are some to send; otherwise the account's writes that arrive.
    /// - Parameters:
    ///   - firstSeq: the cursor's seq when it began.
    ///   - seq: the cursor's seq now.
    ///   - newestSeq: of the newest write that the server has announced; 0 for none.
    ///   - pushed: how many records were sent since it began.
    ///   - unsent: how many records are still to send.
    package init(
        syncFrom firstSeq: UInt64,
        to seq: UInt64,
        of newestSeq: UInt64,
        pushed: Int,
        unsent: Int
    ) {
        let sent = UInt64(max(0, pushed))
        let first = min(firstSeq, seq)
        let (done, total) =
            unsent > 0 ? (sent, sent + UInt64(unsent)) : (seq - first, max(newestSeq, seq) - first)
        let text = unsent > 0 ? "Uploading changes" : "Downloading changes"
        self.init(done: done, total: total, text: total > 0 ? text : "Syncing")
    }
}
