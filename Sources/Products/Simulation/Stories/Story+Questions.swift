internal import KSSyncEngine

/// Why a device's changes are not on the server.
public enum UnsentReason: String, CaseIterable, Sendable {
    /// The device is offline.
    case offline
    /// Nobody reaches the server.
    case serverAway = "server-away"
    /// The disk of the device is full: it can note neither what it sends nor what it hears.
    case diskFull = "disk-full"
    /// The server has no room for them: its disk is full.
    case serverFull = "server-full"
    /// No answer reaches the device: the server may have the changes.
    case oneWay = "one-way"
    /// The server has lost the account.
    case serverEmpty = "server-empty"
    /// The device does not run.
    case killed
    /// The device is locked.
    case locked
    /// Sync is paused until the user of the device acts.
    case paused
    /// The device was removed from the account.
    case revoked
    /// The server refuses a record, or the device cannot seal it.
    case blocked
    /// The changes go with the next sync.
    case waiting
}

/// How a device answered its user.
public enum StoryAnswer: String, CaseIterable, Sendable {
    /// It did what was asked.
    case done
    /// Its disk is full, and nothing was changed.
    case diskFull = "disk-full"
    /// Its power failed before it answered: the change is there, or it is not.
    case nothing
}

/// Why a device asks its user before it goes on.
public enum PauseReason: String, CaseIterable, Sendable {
    /// The server's list of devices does not continue the one that the device knows.
    case circle
    /// Other devices have deleted more than 20 items and more than half of them.
    case deletions
}

extension Story.Device {
    /// How many items and keys have changes that are not on the server, as far as the device knows.
    public func unsentCount() throws -> Int { hasLeft ? 0 : try device.unsentCount() }

    /// Why changes are not on the server; nil if all are.
    public func unsentReason() throws -> UnsentReason? {
        guard try unsentCount() > 0 else { return nil }
        if let obstacle = try world.obstacle(of: device) { return obstacle }
        if device.isLocked { return .locked }
        if world.waitsForRoom(device) { return .serverFull }
        return try device.replica.counts().blocked > 0 ? .blocked : .waiting
    }

    /// Why the device asks its user before it goes on; nil if it does not.
    public func pauseReason() throws -> PauseReason? {
        guard !hasLeft else { return nil }
        if try device.replica.state().hold != nil { return .circle }
        return try device.replica.counts().deletions > 0 ? .deletions : nil
    }

    /// How the device answered the last step of its user.
    public var lastAnswer: StoryAnswer { device.lastAnswer }

    /// Whether the device is locked.
    public var isLocked: Bool { device.isLocked }
}

extension Story {
    /// What every device shows: a line for each field of an item, each key, and what is unsent.
    public func summary() throws -> [String] {
        try world.devices.flatMap { device in
            try Device(story: self, device: device).summary().map { "\(device.name): \($0)" }
        }
    }
}

extension Story.Device {
    fileprivate func summary() throws -> [String] {
        let lines = try shownLines().map(\.text)
        return lines.isEmpty ? ["nothing"] : lines
    }

    func shownLines() throws -> [ShownLine] {
        if device.isStopped, !hasLeft { return [.init(name: "killed", text: "does not run")] }
        if device.isLocked { return [.init(name: "locked", text: "is locked")] }
        var lines = try items().flatMap { item in
            try fields(of: item).map { field in
                let shown = try value(field, of: item).map { StoryValue($0) }
                let conflicts = try conflicts(field, of: item).map { StoryValue($0.value) }
                return Self.line("\(item) \(field)", shown, conflicts)
            }
        }
        lines += try keyValues.keys().map { key in
            Self.line("kv \(key)", try keyValues.value(key), try keyValues.conflicts(key))
        }
        if let reason = try unsentReason() {
            let text = "\(try unsentCount()) unsent because \(reason.rawValue)"
            lines.append(.init(name: "unsent", text: text))
        }
        if let reason = try pauseReason() {
            lines.append(.init(name: "pause", text: "pause \(reason.rawValue)"))
        }
        return lines
    }

    private static func line(
        _ name: String,
        _ shown: StoryValue?,
        _ conflicts: [StoryValue]
    ) -> ShownLine {
        let others = conflicts.map { ", conflict \($0)" }.joined()
        let text = "\(name) is \(shown?.description ?? "nothing")\(others)"
        return ShownLine(name: name, text: text)
    }
}
