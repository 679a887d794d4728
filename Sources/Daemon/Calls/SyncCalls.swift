package import KSAgent
internal import KSKeychain
internal import KSKeychainRecords
internal import KSRecords
internal import KSSecItem
internal import Logging
internal import SyncEngine

extension SyncNow: HandledCall {
    private static let progressMilliseconds: UInt64 = 100

    /// Pushes and pulls until nothing is left, and says how much that was.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> SyncedCounts {
        let engine = try await daemon.accounts.engine()
        let start = try await engine.status()
        let before = start.report
        let outcome = await withTaskGroup(of: SyncOutcome?.self) { group in
            group.addTask { await engine.syncNow() }
            group.addTask {
                while !Task.isCancelled {
                    // Ends early when the sync has ended.
                    try? await Task.sleep(for: .milliseconds(Self.progressMilliseconds))
                    // Without a status there is no progress; the sync says what is wrong.
                    guard !Task.isCancelled, let now = try? await engine.status() else { break }
                    let progress = SyncProgress(
                        firstSeq: start.state.cursor?.seq ?? 0,
                        seq: now.state.cursor?.seq ?? 0,
                        newestSeq: now.newestSeq,
                        pushed: now.report.pushedRecords - before.pushedRecords,
                        unsent: now.counts.unsent
                    )
                    caller.reportProgress(progress.shown)
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
        let failure = CommandFailure(outcome)
        let status = try await engine.status()
        var counts = SyncedCounts(
            pushed: status.report.pushedRecords - before.pushedRecords,
            pulled: status.report.pulledRecords - before.pulledRecords,
            conflicts: status.counts.conflicts
        )
        counts.notSent = status.counts.open.notSent
        counts.quarantinedItems = status.counts.open.quarantinedItems
        if let failure {
            // The command prints the counts before it fails because of records that stay open.
            guard case .open = outcome else { throw failure }
            counts.problem = failure.sentence
            counts.exit = failure.exit.rawValue
        }
        return counts
    }
}

extension GetStatus: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> DeviceStatus {
        var answer = DeviceStatus(
            lock: await daemon.lockStatus,
            unreadable: await Set(daemon.owner.unreadableRows)
                .union(daemon.lookUps.unreadableRows).count
        )
        guard let running = await daemon.accounts.started() else {
            answer.standing.problem = await daemon.accounts.problem?.sentence
            return answer
        }
        let status = try await running.engine.status()
        answer.standing.joined = true
        answer.standing.problem = status.lastError.map { CommandFailure($0).sentence }
        var sync = SyncStatus(
            account: running.device.names.account,
            device: running.device.names.device,
            server: running.device.server.origin
        )
        sync.lastSync = status.state.lastSuccessMilliseconds.map(AgentDate.init(milliseconds:))
        sync.unsent = status.counts.unsent
        sync.conflicts = status.counts.conflicts
        sync.quarantined = status.quarantinedByReason
        sync.waiting = status.counts.waiting
        sync.listening = status.isListening
        sync.paused = status.state.hold.map { CommandFailure($0).sentence }
        sync.notSent = status.counts.open.notSent
        sync.quarantinedItems = status.counts.open.quarantinedItems
        answer.sync = sync
        return answer
    }
}

extension SyncEngine.Status {
    /// How many of the server's records cannot be read, by reason.
    var quarantinedByReason: [String: Int] {
        var counts: [String: Int] = [:]
        for (reason, count) in self.counts.quarantined { counts[reason.rawValue] = count }
        return counts
    }
}

extension GetHistory: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownHistory] {
        let engine = try await daemon.accounts.engine()
        var records: [RecordHistory] = []
        if let code {
            guard let code = ItemCode(parsing: code) else { throw CommandFailure.malformedCode }
            records = try await engine.records(beginning: code.bytes)
            guard records.count < 2 else { throw CommandFailure.ambiguousCode }
        } else {
            guard let place, let account else { throw CommandFailure.malformedCall }
            for item in try await daemon.owner.synchronized(place: place, account: account) {
                guard let record = try await engine.record(of: item.key) else { continue }
                records.append(record)
            }
        }
        guard !records.isEmpty else { throw CommandFailure.noSuchItem }
        do {
            try await engine.markLookedAt(records)
        } catch {
            // The history is shown all the same; the conflict is reported once more.
            daemon.logger.warning("a conflict could not be marked as seen")
        }
        return records.map { ShownHistory($0, showsSecrets: showsSecrets ?? false) }
    }
}

extension GetConflicts: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownHistory] {
        try await daemon.accounts.engine().conflicts()
            .map { ShownHistory($0, showsSecrets: false) }
    }
}

/// How far a sync has come since it began.
package struct SyncProgress {
    /// Of the cursor, when it began and now.
    package let firstSeq: UInt64
    package let seq: UInt64
    /// The seq of the newest write that the server has announced; 0 for none.
    package let newestSeq: UInt64
    package let pushed: Int
    package let unsent: Int

    package init(firstSeq: UInt64, seq: UInt64, newestSeq: UInt64, pushed: Int, unsent: Int) {
        self.firstSeq = firstSeq
        self.seq = seq
        self.newestSeq = newestSeq
        self.pushed = pushed
        self.unsent = unsent
    }

    /// What goes is counted in records; what comes, where nothing goes, in the account's writes.
    package var shown: AgentProgress {
        if unsent > 0 {
            return AgentProgress(
                done: UInt64(max(0, pushed)),
                total: UInt64(max(0, pushed) + unsent),
                text: "Syncing"
            )
        }
        let first = min(firstSeq, seq)
        return AgentProgress(
            done: seq - first,
            total: max(newestSeq, seq) - first,
            text: "Syncing"
        )
    }
}

extension ShownHistory {
    /// A record's history; secrets only where they were asked for.
    fileprivate init(_ history: RecordHistory, showsSecrets: Bool) {
        self.init(
            item: ItemCode(history.id).text,
            class: history.item.itemClass.rawValue,
            attributes: AgentDictionary(history.item.attributes),
            deletedElsewhere: history.isDeletedElsewhere,
            versions: history.versions.map { version in
                ShownVersion(
                    standing: version.standing.rawValue,
                    time: version.milliseconds.map(AgentDate.init(milliseconds:)),
                    secret: showsSecrets ? version.secret : nil
                )
            },
            attributeConflicts: history.attributeConflicts.map { conflict in
                ShownConflict(
                    attribute: conflict.name.text,
                    value: AgentValue(conflict.value),
                    time: conflict.milliseconds.map(AgentDate.init(milliseconds:))
                )
            }
        )
    }
}
