internal import KSBytes
package import KSAgent
internal import KSDeviceKeys
internal import KSKeychain
internal import KSRecords
internal import KSTransport
internal import KSWire
internal import KSSyncEngine
internal import KSRedaction

/// Pushes and pulls until nothing is left.
package struct SyncNow: HandledCall, Codable {
    package typealias Answer = SyncedCounts
    package static let name = "sync.now"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> SyncedCounts {
        try daemon.checkHome()
        let engine = try await daemon.accounts.engine()
        let start = try await engine.status()
        let before = start.report
        let outcome = await engine.syncNow(since: start, reporting: caller.reportProgress)
        let failure = await daemon.accounts.explained(CommandFailure(outcome))
        let status = try await engine.status()
        var counts = SyncedCounts(
            pushed: status.report.pushedRecords - before.pushedRecords,
            pulled: status.report.pulledRecords - before.pulledRecords,
            conflicts: status.counts.conflicts,
            notSent: status.counts.open.notSent,
            quarantinedItems: status.counts.open.quarantinedItems
        )
        // What cannot be read now is reported by the next sync.
        counts.deviceNews = try? await daemon.deviceNews(engine, for: caller)
        if let failure {
            // The command prints the counts before it fails because of records that stay open.
            guard case .open = outcome else { throw failure.naming(status.counts) }
            counts.problem = failure.sentence
            counts.exit = failure.exit.rawValue
        }
        return counts
    }
}

/// What a sync did, and the records that it could not finish.
package struct SyncedCounts: AgentCoded, Codable {
    package var pushed: Int
    package var pulled: Int
    package var conflicts: Int
    package var notSent: [OpenRecord]
    package var quarantinedItems: [OpenRecord]
    /// Devices that others have added or removed; nil for a program that may not see them.
    package var deviceNews: [ShownDeviceNews]?
    /// Why the command fails although all else is synced.
    package var problem: String?
    package var exit: Int32?
}

/// A record that sync cannot send or open: its code and the reason, nothing of its contents.
package struct OpenRecord: Codable, Equatable, Sendable {
    package var item: String
    package var reason: String
    /// If a proxy refuses the record: the size of the smallest request that it refused, in bytes.
    package var requestBytesRefused: Int?
    /// If the account has no room for it: the most that it may take, in bytes.
    package var bytesNeeded: Int?
    /// For how many bytes there is room; nil if that is unknown.
    package var bytesLeft: Int?

    /// The reason of records for which the account has no room.
    package static let accountFull = "account_full"

    package init(item: String, reason: String, requestBytesRefused: Int? = nil) {
        (self.item, self.reason) = (item, reason)
        self.requestBytesRefused = requestBytesRefused
    }
}

extension OpenRecords {
    var notSent: [OpenRecord] {
        blocked.map { blocked in
            OpenRecord(
                item: ItemCode(blocked.record).text,
                reason: blocked.reason.rawValue,
                requestBytesRefused: blocked.reason == .proxyLimit ? requestBytesRefused : nil
            )
        }
    }

    var quarantinedItems: [OpenRecord] {
        quarantined.map { OpenRecord(item: ItemCode($0.record).text, reason: $0.reason.rawValue) }
    }
}

/// Asks for the state of the device and of its sync.
package struct GetStatus: HandledCall, Codable {
    package typealias Answer = DeviceStatus
    package static let name = "status"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> DeviceStatus {
        try daemon.checkHome()
        let unreadable = await daemon.lookUps.unreadableRows
        var answer = try await status(on: daemon, caller, unreadable, daemon.owner)
        // A file that cannot be read at all is reported by what else needs it.
        if answer.standing.failure == nil, (try? await daemon.lookUps.isDamaged()) == true {
            answer.standing.failure = CommandFailure(ItemStoreError.fileDamaged)
        }
        answer.standing.next = answer.nextStep
        return answer
    }

    /// Asks all of the device's queue in one turn: each turn may wait for a page of records.
    private func status(
        on daemon: CallHandler,
        _ caller: Caller,
        _ unreadable: [UnreadableRow],
        _ owner: isolated KeychainOwner
    ) async throws -> DeviceStatus {
        var answer = DeviceStatus()
        answer.lock = await daemon.deviceLock.status
        answer.standing.unreadable = Set(owner.unreadableRows).union(unreadable).count
        guard let running = await daemon.accounts.started() else {
            answer.standing.failure = await daemon.accounts.problem
            return answer
        }
        let status: SyncEngine.Status
        do {
            status = try await running.engine.status()
        } catch {
            answer.standing.failure = CommandFailure(StepTrouble(error))
            return answer
        }
        answer.standing.joined = true
        answer.standing.failure = await daemon.accounts.explained(status.problem)
        var sync = SyncStatus(
            account: running.device.names.account,
            device: running.device.names.device,
            server: running.device.server.origin
        )
        sync.lastSync = status.state.lastSuccessMilliseconds.map(AgentDate.init(milliseconds:))
        sync.unsent = status.counts.unsent
        sync.conflicts = status.counts.conflicts
        sync.quarantined = status.quarantinedByReason
        (sync.waiting, sync.deletions) = (status.counts.waiting, status.counts.deletions)
        sync.connection = status.connection.rawValue
        sync.refusedSince = status.refusedSinceMilliseconds.map(AgentDate.init(milliseconds:))
        sync.restored = ShownReconciliation(status)
        sync.paused = status.state.hold.map { CommandFailure($0).sentence }
        sync.notSent =
            status.counts.open.notSent
            + status.counts.withoutRoom.map { waiting in
                var record = OpenRecord(
                    item: ItemCode(waiting.record).text,
                    reason: OpenRecord.accountFull
                )
                record.bytesNeeded = Int(clamping: waiting.bytesMax)
                record.bytesLeft = status.counts.room.map { Int(clamping: $0) }
                return record
            }
        sync.quarantinedItems = status.counts.open.quarantinedItems
        sync.falseKeys = try await running.engine.withReplica { replica in
            replica.devices().filter(\.hasSignedFalseKeys).map { ItemCode($0.id).text }
        }
        sync.certificateEnd = await daemon.accounts.certificateEndSeconds.flatMap { end in
            let milliseconds = UInt64(max(0, end)) * 1000
            let soon = DeviceFiles.milliseconds() + SyncStatus.certificateWarningMilliseconds
            return milliseconds < soon ? AgentDate(milliseconds: milliseconds) : nil
        }
        sync.accountBytes = status.usage.map { Int(clamping: $0.bytes) }
        sync.accountBytesMax = status.usage?.bytesMax.map { Int(clamping: $0) }
        sync.full = status.isFull
        sync.deviceNews = try await daemon.deviceNews(running.engine, for: caller)
        answer.sync = sync
        return answer
    }
}

/// The state of the device and of its sync.
package struct DeviceStatus: AgentCoded {
    package var lock = LockStatus()
    package var standing = Standing()
    /// Nil where the device belongs to no account, or the account cannot be read.
    package var sync: SyncStatus?

    package init() {}

    package struct Standing: Codable, Sendable {
        package var joined = false
        @OrNull
        package var problem: String? = nil
        /// The exit status of a command that fails with this problem; nil without one.
        @OrNull
        package var problemCode: Int32? = nil
        /// The code of the problem's message; nil without one.
        @OrNull
        package var problemMessage: String? = nil
        package var unreadable = 0
        /// What to do about the most urgent matter; nil if nothing needs the user.
        @OrNull
        package var next: NextStep? = nil

        /// The problem as a command's failure.
        package var failure: CommandFailure? {
            get {
                guard let problem else { return nil }
                let exit = problemCode.flatMap(CommandFailure.Exit.init(rawValue:)) ?? .other
                guard let code = problemMessage.flatMap(MessageCode.init(rawValue:)) else {
                    return CommandFailure(exit, problem)
                }
                return CommandFailure(code: code, exit: exit, sentence: problem)
            }
            set {
                (problem, problemCode) = (newValue?.sentence, newValue?.exit.rawValue)
                problemMessage = newValue?.code.rawValue
            }
        }
    }
}

extension DeviceStatus: Codable {
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

/// The state of an account's sync.
package struct SyncStatus: Codable, Sendable {
    package var account: String
    package var device: String
    package var server: String

    package init(account: String, device: String, server: String) {
        (self.account, self.device, self.server) = (account, device, server)
    }

    @OrNull
    package var lastSync: AgentDate? = nil
    /// Items and values with changes that are not on the server.
    package var unsent = 0
    package var conflicts = 0
    /// How many, by reason.
    package var quarantined: [String: Int] = [:]
    package var waiting = 0
    /// Items that other devices have deleted, and which stay until the user answers.
    package var deletions = 0
    /// How news of the server arrive: live, polling or closed.
    package var connection = SyncEngine.Connection.closed.rawValue
    /// When the server began to refuse this device; nil while it accepts it.
    @OrNull
    package var refusedSince: AgentDate? = nil
    /// What is done about a server that was restored from a backup, or was; nil if none was.
    @OrNull
    package var restored: ShownReconciliation? = nil
    /// When the server's certificate ends, from 30 days before on; nil earlier.
    @OrNull
    package var certificateEnd: AgentDate? = nil

    static let certificateWarningMilliseconds: UInt64 = 30 * 86_400_000
    @OrNull
    package var paused: String? = nil
    package var notSent: [OpenRecord] = []
    package var quarantinedItems: [OpenRecord] = []
    /// The codes of devices that have stored false keys for others.
    package var falseKeys: [String] = []
    /// What the account holds on the server; nil until the server has said so.
    @OrNull
    package var accountBytes: Int? = nil
    /// Nil where there is no limit.
    @OrNull
    package var accountBytesMax: Int? = nil
    /// Whether the server takes no more.
    package var full = false
    /// Devices that others have added or removed; nil for a program that may not see them.
    package var deviceNews: [ShownDeviceNews]? = nil
}

extension SyncEngine.Status {
    /// Whether the account has no room for what this device would send.
    var isFull: Bool {
        if case .refused(.quotaExceeded, _, _) = lastError { return true }
        return usage.map { usage in usage.bytesMax.map { usage.bytes >= $0 } ?? false } ?? false
    }

    /// Why sync does not work; nil if it does.
    ///
    /// The server's refusal comes first: a device that is also offline does not sync once it is
    /// online again.
    var problem: CommandFailure? {
        switch refusal {
        case .account?: return .accountLost
        case .device?: return .serverRefusesDevice
        case nil: break
        }
        return trouble.map { CommandFailure($0) } ?? lastError.map { CommandFailure($0) }
    }

    /// How many of the server's records cannot be read, by reason.
    var quarantinedByReason: [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.quarantined.map { ($0.reason.rawValue, $0.count) })
    }
}
