internal import KSRedaction

/// Pushes and pulls until nothing is left.
package struct SyncNow: AgentCall, Codable {
    package typealias Answer = SyncedCounts
    package static let name = "sync.now"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}
}

/// What a sync did, and what it could not bring to an end.
package struct SyncedCounts: AgentCoded, Codable {
    package var pushed: Int
    package var pulled: Int
    package var conflicts: Int
    package var notSent: [OpenRecord] = []
    package var quarantinedItems: [OpenRecord] = []
    /// Why the command fails although all else is synced.
    package var problem: String?
    package var exit: Int32?

    package init(pushed: Int, pulled: Int, conflicts: Int) {
        self.pushed = pushed
        self.pulled = pulled
        self.conflicts = conflicts
    }
}

/// A record that sync cannot bring to an end: its code and why, nothing of what is in it.
package struct OpenRecord: Codable, Equatable, Sendable {
    package var item: String
    package var reason: String

    package init(item: String, reason: String) {
        self.item = item
        self.reason = reason
    }
}

/// How the device and its sync stand.
package struct GetStatus: AgentCall, Codable {
    package typealias Answer = DeviceStatus
    package static let name = "status"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}
}

/// How the device and its sync stand.
package struct DeviceStatus: AgentCoded, Codable {
    package var lock: LockStatus
    package var standing: Standing
    /// Nil where the device belongs to no account, or the account cannot be read.
    package var sync: SyncStatus?

    package struct Standing: Codable, Sendable {
        package var joined: Bool
        @OrNull
        package var problem: String?
        package var unreadable: Int
    }

    package init(
        lock: LockStatus = LockStatus(),
        problem: String? = nil,
        unreadable: Int = 0,
        sync: SyncStatus? = nil
    ) {
        self.lock = lock
        standing = Standing(joined: sync != nil, problem: problem, unreadable: unreadable)
        self.sync = sync
    }

    package init(from decoder: any Decoder) throws {
        lock = try LockStatus(from: decoder)
        standing = try Standing(from: decoder)
        sync = standing.joined ? try SyncStatus(from: decoder) : nil
    }

    package func encode(to encoder: any Encoder) throws {
        try lock.encode(to: encoder)
        try standing.encode(to: encoder)
        try sync?.encode(to: encoder)
    }
}

/// How the sync of an account stands.
package struct SyncStatus: Codable, Sendable {
    package var account: String
    package var device: String
    package var server: String
    @OrNull
    package var lastSync: AgentDate?
    package var unsent = 0
    package var conflicts = 0
    /// How many, by reason.
    package var quarantined: [String: Int] = [:]
    package var waiting = 0
    package var listening = false
    @OrNull
    package var paused: String?
    package var notSent: [OpenRecord] = []
    package var quarantinedItems: [OpenRecord] = []

    package init(account: String, device: String, server: String) {
        self.account = account
        self.device = device
        self.server = server
    }
}

/// Shows what some items have and had.
package struct GetHistory: AgentCall, Codable {
    package typealias Answer = [ShownHistory]
    package static let name = "item.history"
    package static let permission = AgentPermission.seesAll

    /// The item's code; else it is named by place and account.
    package var code: String?
    package var place: String?
    package var account: String?
    package var showsSecrets: Bool?

    package init(code: String?, place: String?, account: String?, showsSecrets: Bool) {
        self.code = code
        self.place = place
        self.account = account
        self.showsSecrets = showsSecrets
    }
}

/// Lists the items that were changed on two devices at once.
package struct GetConflicts: AgentCall, Codable {
    package typealias Answer = [ShownHistory]
    package static let name = "item.conflicts"
    package static let permission = AgentPermission.seesAll

    package init() {}
}

/// What an item has and had.
package struct ShownHistory: AgentCoded, Codable {
    package var item: String
    package var `class`: String
    package var attributes: AgentDictionary
    package var deletedElsewhere: Bool
    package var versions: [ShownVersion]
    package var attributeConflicts: [ShownConflict]

    package init(
        item: String,
        `class`: String,
        attributes: AgentDictionary,
        deletedElsewhere: Bool = false,
        versions: [ShownVersion] = [],
        attributeConflicts: [ShownConflict] = []
    ) {
        self.item = item
        self.class = `class`
        self.attributes = attributes
        self.deletedElsewhere = deletedElsewhere
        self.versions = versions
        self.attributeConflicts = attributeConflicts
    }
}

/// A secret that an item has or had.
package struct ShownVersion: Codable, Sendable {
    package var standing: String
    /// Nil where it was not sent yet.
    @OrNull
    package var time: AgentDate?
    package var secret: [UInt8]?

    package init(standing: String, time: AgentDate? = nil, secret: [UInt8]? = nil) {
        self.standing = standing
        self.time = time
        self.secret = secret
    }
}

/// Another value of an attribute.
package struct ShownConflict: Codable, Sendable {
    package var attribute: String
    package var value: AgentValue
    @OrNull
    package var time: AgentDate?

    package init(attribute: String, value: AgentValue, time: AgentDate? = nil) {
        self.attribute = attribute
        self.value = value
        self.time = time
    }
}

/// Adds the passwords of a file.
package struct ImportPasswords: AgentCall, Codable {
    package typealias Answer = ImportedPasswords
    package static let name = "import"
    package static let permission = AgentPermission.seesAll

    package var file: [UInt8]
    package var format: String?
    package var dryRun: Bool?

    package init(file: [UInt8], format: String? = nil, dryRun: Bool? = nil) {
        self.file = file
        self.format = format
        self.dryRun = dryRun
    }
}

/// The result of an import.
package struct ImportedPasswords: AgentCoded, Codable {
    package var format: String
    package var dryRun: Bool
    package var rows = 0
    package var items = 0
    package var added = 0
    package var unchanged = 0
    package var kept = 0
    package var equalRows = 0
    package var superseded = 0
    package var withoutHistory = 0
    package var refusedRows = 0
    package var findings: [ImportFinding] = []

    package init(format: String, dryRun: Bool) {
        self.format = format
        self.dryRun = dryRun
    }
}

/// Something to report about one row of an import.
package struct ImportFinding: Codable, Sendable {
    package var row: Int
    package var reason: String
    package var imported: Bool
    package var sentence: String

    package init(row: Int, reason: String, imported: Bool, sentence: String) {
        self.row = row
        self.reason = reason
        self.imported = imported
        self.sentence = sentence
    }
}

extension ShownHistory: Redacted {}
extension ShownVersion: Redacted {}
extension ShownConflict: Redacted {}
