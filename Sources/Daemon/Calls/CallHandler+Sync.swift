package import KSAgent
internal import KSKeychain
internal import KSKeychainRecords
internal import KSRecords
internal import KSSecItem
package import SyncEngine

extension CallHandler {
    private static let progressMilliseconds: UInt64 = 100

    /// Pushes and pulls until nothing is left, and says how much that was.
    package func sync(_ reportProgress: @escaping ReportProgress) async throws -> AgentValue {
        let engine = try await accounts.engine()
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
                        unsent: now.unsent
                    )
                    reportProgress(progress.shown)
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
        var answer: AgentDictionary = [
            "pushed": .integer(Int64(status.report.pushedRecords - before.pushedRecords)),
            "pulled": .integer(Int64(status.report.pulledRecords - before.pulledRecords)),
            "conflicts": .integer(Int64(status.conflicts)),
        ]
        for entry in AgentDictionary(status.open).entries { answer[entry.key] = entry.value }
        if let failure {
            // The command prints the counts before it fails because of records that stay open.
            guard case .open = outcome else { throw failure }
            answer["problem"] = .string(failure.sentence)
            answer["exit"] = .integer(Int64(failure.exit.rawValue))
        }
        return .dictionary(answer)
    }

    package func status() async throws -> AgentValue {
        let unreadable = await owner.unreadableCount
        var lock = await lockStatus()
        guard let running = await accounts.started() else {
            lock["joined"] = false
            lock["problem"] = await accounts.problem.map { .string($0.sentence) } ?? .null
            lock["unreadable"] = .integer(Int64(unreadable))
            return .dictionary(lock)
        }
        let status = try await running.engine.status()
        var quarantined: AgentDictionary = [:]
        for (reason, count) in status.quarantined {
            quarantined[reason.rawValue] = .integer(Int64(count))
        }
        let hold = status.state.hold.map { CommandFailure($0).sentence }
        let problem = status.lastError.map { CommandFailure($0).sentence }
        var value: AgentDictionary = [
            "joined": true,
            "account": .string(running.device.names.account),
            "device": .string(running.device.names.device),
            "server": .string(running.device.server.origin),
            "lastSync": AgentValue(milliseconds: status.state.lastSuccessMilliseconds),
            "unsent": .integer(Int64(status.unsent)),
            "conflicts": .integer(Int64(status.conflicts)),
            "quarantined": .dictionary(quarantined),
            "waiting": .integer(Int64(status.waiting)),
            "unreadable": .integer(Int64(unreadable)),
            "listening": .bool(status.isListening),
            "held": hold.map { .string($0) } ?? .null,
            "problem": problem.map { .string($0) } ?? .null,
        ]
        for entry in AgentDictionary(status.open).entries { value[entry.key] = entry.value }
        for entry in lock.entries { value[entry.key] = entry.value }
        return .dictionary(value)
    }
}

/// How far a sync has come since it began.
package struct SyncProgress {
    /// Of the cursor, when it began and now.
    package let firstSeq: UInt64
    package let seq: UInt64
    /// The newest write that the server has told of; 0 when it has told of none.
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

extension AgentValue {
    /// A moment, from milliseconds since 1970-01-01 00:00 UTC.
    package init(milliseconds: UInt64?) {
        guard let milliseconds else {
            self = .null
            return
        }
        self = .date(Double(milliseconds) / 1000 - secondsFrom1970To2001)
    }

    /// A record's history; secrets only where they were asked for.
    package init(_ history: RecordHistory, showsSecrets: Bool) {
        let versions = history.versions.map { version in
            var dictionary: AgentDictionary = [
                "standing": .string(version.standing.rawValue),
                "time": AgentValue(milliseconds: version.milliseconds),
            ]
            if showsSecrets { dictionary["secret"] = .data(version.secret) }
            return AgentValue.dictionary(dictionary)
        }
        let others = history.attributeConflicts.map { conflict in
            AgentValue.dictionary([
                "attribute": .string(conflict.name.text),
                "value": AgentValue(conflict.value),
                "time": AgentValue(milliseconds: conflict.milliseconds),
            ])
        }
        self = [
            "item": .string(ItemCode(history.id).text),
            "class": .string(history.item.itemClass.rawValue),
            "attributes": .dictionary(AgentDictionary(history.item.attributes)),
            "deletedElsewhere": .bool(history.isDeletedElsewhere),
            "versions": .array(versions),
            "attributeConflicts": .array(others),
        ]
    }
}

/// From 1970-01-01 to 2001-01-01, where the dates of items begin.
package let secondsFrom1970To2001 = 978_307_200.0
