internal import KSDeviceKeys
internal import KSBytes
package import KSAgent
internal import KSKeychain
internal import KSSealing
internal import KSSyncEngine
internal import KSKeyValueRecords
internal import KSRedaction

/// Looks for damage, after restoring or discarding quarantined items if asked to.
package struct Examine: HandledCall, Codable {
    package typealias Answer = Examination
    package static let name = "doctor"
    package static let permission = AgentPermission.seesAll
    package static let countsAsUse = false

    package var restore: Bool?
    package var discard: Bool?
    /// The code of an item.
    package var replace: String?
    /// The code of a record, or ``allRecords``.
    package var drop: String?

    package static let allRecords = "all"

    package init(restore: Bool, discard: Bool, replace: String?, drop: String? = nil) {
        (self.restore, self.discard, self.replace) = (restore, discard, replace)
        self.drop = drop
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Examination {
        let report = caller.reportProgress
        return try await LiveProgress.reporting("Looking for damage", to: report) { progress in
            try await examine(daemon, progress)
        }
    }

    private func examine(
        _ daemon: CallHandler,
        _ progress: LiveProgress
    ) async throws -> Examination {
        try daemon.checkHome()
        var examination = Examination()
        var findings = Examination.Findings()
        try await treat(daemon, &findings)
        let inspection = try await daemon.owner.with { keychain in
            try keychain.inspect { done, total in
                let (done, total) = (UInt64(done), UInt64(total))
                progress.show(AgentProgress(done: done, total: total, text: "Reading items"))
            }
        }
        progress.show(AgentProgress(done: 0, total: 0, text: "Looking for damage"))
        findings.damages = inspection.damages
        findings.readable = inspection.readable
        findings.locked = inspection.locked
        let rebuilt = try await daemon.owner.repairKeyValues()
        findings.rebuiltEntries = rebuilt == 0 ? nil : rebuilt
        let unreadable = try await daemon.owner.withKeyValues { try $0.unreadableRows() }
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
        findings.keyFiles = daemon.owner.files.keys.inspect().map { file, problem in
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
        var problem = await daemon.accounts.problem
        if let engine = running?.engine {
            let status = try await engine.status()
            findings.quarantinedRecords = status.quarantinedByReason
            if let trouble = status.trouble { problem = CommandFailure(trouble) }
            // The server may have been repaired, or replaced by a newer one that accepts the edits.
            if !status.counts.open.isEmpty { try await engine.askAgain() }
            examination.sync = Examination.Sync(
                waiting: status.counts.waiting,
                paused: status.state.hold.map { CommandFailure($0).sentence },
                notSent: status.counts.open.notSent,
                quarantinedItems: status.counts.open.quarantinedItems
            )
        }
        findings.account = problem?.sentence
        findings.isDiskTrouble = problem?.exit == .diskTrouble ? true : nil
        examination.findings = findings
        examination.lock = await daemon.deviceLock.status
        return examination
    }

    private func treat(_ daemon: CallHandler, _ findings: inout Examination.Findings) async throws {
        if restore == true {
            findings.restored = try await daemon.owner.with { try $0.restoreQuarantined() }
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
        if let drop {
            let prefix = try DroppedRecord.prefix(of: drop)
            let engine = try await daemon.engineOfOpenKeychain()
            let dropped = try await engine.dropUnreadable(beginning: prefix)
            guard !dropped.isEmpty else { throw CommandFailure(code: .nothingToDrop) }
            findings.dropped = dropped.count
            findings.droppedRecords = dropped.map(DroppedRecord.init)
        }
    }
}

/// What the doctor found; nothing of it is secret.
package struct Examination: AgentCoded {
    package var lock = LockStatus()
    package var findings = Findings()
    /// Nil where no sync runs.
    package var sync: Sync?

    package init() {}

    package struct Findings: Codable, Sendable {
        package var restored: Int?
        package var discarded: Int?
        package var replaced: Bool?
        /// How many records of the server the next sync drops.
        package var dropped: Int?
        /// Those records.
        package var droppedRecords: [DroppedRecord]?
        package var damages: [String] = []
        package var readable = 0
        package var locked = 0
        /// How many damaged entries of key-value stores were rebuilt; nil for zero.
        package var rebuiltEntries: Int?
        /// How many entries of key-value stores cannot be read; nil for zero.
        package var unreadableEntries: Int?
        package var unreadable: [DamagedItem] = []
        package var quarantinedRows: [QuarantinedItem] = []
        package var keyFiles: [KeyFileProblem] = []
        /// How many rows of each kind, where there is an account that can be read.
        package var unreadableSync: [String: Int]?
        @OrNull
        package var account: String? = nil
        /// True if the disk is the reason; nil if not.
        package var isDiskTrouble: Bool?
        /// How many, by reason.
        package var quarantinedRecords: [String: Int] = [:]
    }

    package struct Sync: AgentCoded, Codable {
        package var waiting: Int
        @OrNull
        package var paused: String?
        package var notSent: [OpenRecord]
        package var quarantinedItems: [OpenRecord]
    }
}

extension Examination: Codable {
    private enum CodingKeys: String, CodingKey {
        case waiting
    }

    package init(from decoder: any Decoder) throws {
        lock = try LockStatus(from: decoder)
        findings = try Findings(from: decoder)
        let hasSync = try decoder.container(keyedBy: CodingKeys.self).contains(.waiting)
        sync = hasSync ? try Sync(from: decoder) : nil
    }

    package func encode(to encoder: any Encoder) throws {
        try lock.encode(to: encoder)
        try findings.encode(to: encoder)
        try sync?.encode(to: encoder)
    }
}

/// A row that cannot be read.
package struct DamagedItem: AgentCoded, Codable {
    package var `class`: String
    package var reference: String
}

/// A row that was quarantined.
package struct QuarantinedItem: AgentCoded, Codable {
    package var `class`: String
    package var time: AgentDate
}

/// A key file, and what is wrong with it.
package struct KeyFileProblem: AgentCoded, Codable {
    package var file: String
    @OrNull
    package var problem: String?
}
