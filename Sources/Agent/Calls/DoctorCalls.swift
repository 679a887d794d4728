internal import KSRedaction

/// Looks for damage, after restoring or discarding quarantined items if asked to.
package struct Examine: AgentCall, Codable {
    package typealias Answer = Examination
    package static let name = "doctor"
    package static let permission = AgentPermission.seesAll
    package static let countsAsUse = false

    package var restore: Bool?
    package var discard: Bool?
    /// The code of an item.
    package var replace: String?

    package init(restore: Bool = false, discard: Bool = false, replace: String? = nil) {
        self.restore = restore
        self.discard = discard
        self.replace = replace
    }
}

/// What the doctor found; nothing of it is secret.
package struct Examination: AgentCoded, Codable {
    package var lock: LockStatus
    package var findings: Findings
    /// Nil where no sync runs.
    package var sync: Sync?

    package struct Findings: Codable, Sendable {
        package var restored: Int?
        package var discarded: Int?
        package var replaced: Bool?
        package var damages: [String] = []
        package var readable = 0
        package var locked = 0
        /// Damaged entries of key-value stores that were rebuilt; nil if there were none.
        package var rebuiltEntries: Int?
        /// Entries of key-value stores that cannot be read; nil if there are none.
        package var unreadableEntries: Int?
        package var unreadable: [DamagedItem] = []
        package var quarantinedRows: [QuarantinedItem] = []
        package var keyFiles: [KeyFileProblem] = []
        /// How many rows of each kind, where there is an account that can be read.
        package var unreadableSync: [String: Int]?
        @OrNull
        package var account: String?
        /// How many, by reason.
        package var quarantinedRecords: [String: Int] = [:]

        package init() {}
    }

    package struct Sync: Codable, Sendable {
        package var waiting: Int
        @OrNull
        package var paused: String?
        package var notSent: [OpenRecord]
        package var quarantinedItems: [OpenRecord]

        package init(
            waiting: Int,
            paused: String?,
            notSent: [OpenRecord],
            quarantinedItems: [OpenRecord]
        ) {
            self.waiting = waiting
            self.paused = paused
            self.notSent = notSent
            self.quarantinedItems = quarantinedItems
        }
    }

    private enum CodingKeys: String, CodingKey {
        case waiting
    }

    package init(lock: LockStatus, findings: Findings, sync: Sync? = nil) {
        self.lock = lock
        self.findings = findings
        self.sync = sync
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
package struct DamagedItem: Codable, Sendable {
    package var `class`: String
    package var reference: String

    package init(class: String, reference: String) {
        self.class = `class`
        self.reference = reference
    }
}

/// A row that was quarantined.
package struct QuarantinedItem: Codable, Sendable {
    package var `class`: String
    package var time: AgentDate

    package init(class: String, time: AgentDate) {
        self.class = `class`
        self.time = time
    }
}

/// A key file, and what is wrong with it.
package struct KeyFileProblem: Codable, Sendable {
    package var file: String
    @OrNull
    package var problem: String?

    package init(file: String, problem: String?) {
        self.file = file
        self.problem = problem
    }
}
