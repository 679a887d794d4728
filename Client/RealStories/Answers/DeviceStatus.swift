package import KSAgent
package import Simulation

/// What `sync-client status` and `sync-client sync` say, with `--json`.
package struct DeviceStatus: Equatable, Sendable {
    /// The device's name in its account; nil without an account.
    package let name: String?
    package let unsent: Int
    package let notSent: Int
    package let deletions: Int
    package let isPaused: Bool
    package let isRefused: Bool
    package let isLocked: Bool
    /// Whether it still compares its records with a server that went back.
    package let isComparing: Bool
    /// The code of the message that says why sync does not work.
    package let problem: String?

    package init(_ json: AgentValue) {
        let status = json.dictionary ?? [:]
        func isThere(_ name: String) -> Bool { (status[name] ?? .null) != .null }
        name = status["device"]?.string
        unsent = Int(status["unsent"]?.integer ?? 0)
        notSent = status["notSent"]?.array?.count ?? 0
        deletions = Int(status["deletions"]?.integer ?? 0)
        isPaused = isThere("paused")
        isRefused = isThere("refusedSince")
        isLocked = status["lock"]?.string != "unlocked"
        let restored = status["restored"]?.dictionary
        isComparing = restored.map { ($0["ended"] ?? .null) == .null } ?? false
        problem = status["problemMessage"]?.string
    }

    /// Why it asks its user; nil if it does not.
    package var pause: PauseReason? {
        if isPaused { return .circle }
        return deletions > 0 ? .deletions : nil
    }

    /// Whether sync cannot go on before the story says otherwise.
    package var isStuck: Bool { isPaused || isRefused || name == nil }

    /// Why changes are not on the server; nil if all are.
    ///
    /// `reach`: what the story has done to the device's way to the server, which no program knows;
    /// nil for nothing.
    package func unsentReason(reach: UnsentReason?) -> UnsentReason? {
        guard unsent > 0 else { return nil }
        if let reach { return reach }
        if problem == Self.accountUnknown { return .serverEmpty }
        if isRefused { return .revoked }
        if isPaused { return .paused }
        if isLocked { return .locked }
        return notSent > 0 ? .blocked : .waiting
    }

    /// The code of the message of a server that has lost the account.
    private static let accountUnknown = "account_unknown"
}

/// How `sync-client sync` ended.
package struct SyncEnd: Equatable, Sendable {
    package let status: Int32
    /// How many records it has sent and taken.
    package let moved: Int

    package init(status: Int32, _ json: AgentValue?) {
        let counts = json?.dictionary ?? [:]
        self.status = status
        moved = Int((counts["pushed"]?.integer ?? 0) + (counts["pulled"]?.integer ?? 0))
    }
}
