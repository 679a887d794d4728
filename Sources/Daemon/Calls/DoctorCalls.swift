internal import KSBytes
internal import KSAgent
internal import KSKeychain
internal import KSSealing
internal import SyncEngine

extension Examine: HandledCall {
    /// Restores or discards quarantined items if asked to, then looks at everything kept here.
    ///
    /// The findings hold nothing secret.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Examination {
        var findings = Examination.Findings()
        try await treat(daemon, &findings)
        let inspection = try await daemon.owner.inspect()
        findings.damages = inspection.damages
        findings.readable = inspection.readable
        findings.locked = inspection.locked
        let rebuilt = try await daemon.owner.repairKeyValues()
        findings.rebuiltEntries = rebuilt == 0 ? nil : rebuilt
        let unreadable = try await daemon.owner.unreadableKeyValues()
        findings.unreadableEntries = unreadable == 0 ? nil : unreadable
        findings.unreadable = inspection.unreadable.map { row in
            DamagedItem(
                class: row.itemClass.rawValue,
                reference: String(hexadecimal: row.persistentReference)
            )
        }
        findings.quarantinedRows = inspection.quarantined.map { row in
            QuarantinedItem(class: row.table, time: AgentDate(secondsSince2001: row.seconds))
        }
        findings.keyFiles = await daemon.owner.inspectKeyFiles().map { file, problem in
            KeyFileProblem(
                file: file.rawValue,
                problem: problem.map { CommandFailure($0).sentence }
            )
        }
        if let rows = try await daemon.owner.inspectSync() {
            findings.unreadableSync = [
                "known": rows.mirror, "unsent": rows.outbox, "sent": rows.batch,
                "received": rows.waiting,
            ]
        }
        let running = await daemon.accounts.started()
        findings.account = await daemon.accounts.problem?.sentence
        var sync: Examination.Sync?
        if let engine = running?.engine {
            let status = try await engine.status()
            findings.quarantinedRecords = status.quarantinedByReason
            // What is wrong now may be well on the server, or be taken by a newer one.
            if !status.counts.open.isEmpty { try await engine.askAgain() }
            sync = Examination.Sync(
                waiting: status.counts.waiting,
                paused: status.state.hold.map { CommandFailure($0).sentence },
                notSent: status.counts.open.notSent,
                quarantinedItems: status.counts.open.quarantinedItems
            )
        }
        return Examination(lock: await daemon.lockStatus, findings: findings, sync: sync)
    }

    private func treat(
        _ daemon: CallHandler,
        _ findings: inout Examination.Findings
    ) async throws {
        if restore == true {
            findings.restored = try await daemon.owner.restoreQuarantined()
        }
        if discard == true { findings.discarded = try await daemon.owner.discardDamaged() }
        if let replace {
            guard let code = ItemCode(parsing: replace) else { throw CommandFailure.malformedCode }
            let engine = try await daemon.accounts.engine()
            guard try await engine.giveUpUnreadable(beginning: code.bytes) > 0 else {
                throw CommandFailure.nothingToReplace
            }
            findings.replaced = true
        }
    }
}
