/// Settings under which worlds show something.
public enum WorldMix: String, CaseIterable, Sendable {
    /// A bad network and busy users.
    case usual
    /// Users who write several fields of few items, mostly without a connection.
    case fields
    /// Devices that end in the middle of what they do, on a worse network.
    case restarts
    /// Programs that write to key-value stores.
    case keyValues = "key-values"
    /// The same, of any merge type.
    case mergeTypes = "merge types"
    /// Devices that are cloned, and databases that are put back.
    case copies
    /// The same, with programs that write to key-value stores.
    case copiedKeyValues = "copied key-values"
    /// Devices that leave the account and return.
    case returns
    /// A server that is restored from backups.
    case restores
    /// The same, and devices that are revoked.
    case revocations
    /// Devices that join the account.
    case joins
    /// An account that gets another server.
    case moves
    /// A proxy that refuses large requests.
    case proxy
    /// A server that is restored, and removes deleted records.
    case restoredRemovals = "restored removals"
    /// A server that removes deleted records, and devices that are silent for long.
    case removals
    /// Machines whose power fails in the middle of a write.
    case powerFailures = "power failures"
    /// Users who delete nearly everything.
    case sweeps
    /// The same, a few items at a time.
    case slowSweeps = "slow sweeps"

    /// The settings, without a bug.
    public var settings: WorldSettings {
        var settings = WorldSettings()
        switch self {
        case .usual: break
        case .fields:
            settings.deviceCount = 4
            settings.itemCount = 2
            settings.fieldCount = 3
            settings.keyValueProbability = 0
        case .restarts:
            settings.restartProbability = 0.3
            settings.lossProbability = 0.3
        case .keyValues:
            settings.deviceCount = 4
            settings.keyValueProbability = 1
            settings.mergeTypeCount = 3
        case .mergeTypes:
            settings.steps = 24
            settings.keyValueProbability = 1
            settings.mergeTypeCount = 7
        case .copies:
            settings.steps = 24
            settings.cloneProbability = 0.05
            settings.putBackProbability = 0.1
        case .copiedKeyValues:
            settings.steps = 24
            settings.cloneProbability = 0.15
            settings.putBackProbability = 0.5
            settings.keyValueProbability = 1
            settings.mergeTypeCount = 3
        case .returns:
            settings.steps = 24
            settings.returnProbability = 0.15
            settings.keyValueProbability = 1
            settings.mergeTypeCount = 3
        case .restores, .revocations:
            settings.deviceCount = 4
            settings.steps = 60
            settings.itemCount = 4
            settings.mergeTypeCount = 7
            settings.restoreProbability = 0.1
            if self == .revocations { settings.revocationProbability = 0.05 }
        case .joins:
            settings.joinProbability = 0.1
        case .moves:
            settings.deviceCount = 4
            settings.moveProbability = 0.1
        case .proxy:
            settings.itemCount = 6
            settings.proxyBytesMax = 1000
        case .restoredRemovals:
            settings.deviceCount = 3
            settings.steps = 120
            settings.itemCount = 4
            settings.restoreProbability = 0.05
            settings.removalProbability = 0.5
        case .removals:
            settings.deviceCount = 4
            settings.steps = 80
            settings.itemCount = 4
            settings.removalProbability = 0.3
            settings.silentProbability = 0.05
        case .powerFailures: settings.powerFailureProbability = 0.05
        case .sweeps, .slowSweeps:
            settings.deviceCount = 3
            settings.steps = 60
            settings.itemCount = 45
            settings.sweepProbability = 0.05
            if self == .slowSweeps { settings.sweepPart = 4 }
        }
        return settings
    }
}

extension WorldSettings {
    /// The options of `sync-simulate` that differ from the usual world's.
    public var options: String {
        let usual = WorldSettings()
        var options: [String] = []
        func add<Value: Equatable>(_ option: String, _ value: Value, unless usual: Value) {
            if value != usual { options.append("--\(option) \(value)") }
        }
        if let deviceCount { options.append("--devices \(deviceCount)") }
        add("steps", steps, unless: usual.steps)
        add("items", itemCount, unless: usual.itemCount)
        add("fields", fieldCount, unless: usual.fieldCount)
        add("losses", lossProbability, unless: usual.lossProbability)
        add("restarts", restartProbability, unless: usual.restartProbability)
        add("power-failures", powerFailureProbability, unless: usual.powerFailureProbability)
        add("write-back", writeBackSiblingsMax, unless: usual.writeBackSiblingsMax)
        add("clones", cloneProbability, unless: usual.cloneProbability)
        add("put-backs", putBackProbability, unless: usual.putBackProbability)
        add("returns", returnProbability, unless: usual.returnProbability)
        add("revocations", revocationProbability, unless: usual.revocationProbability)
        add("passwords", passwordProbability, unless: usual.passwordProbability)
        add("joins", joinProbability, unless: usual.joinProbability)
        add("restores", restoreProbability, unless: usual.restoreProbability)
        add("older-backups", olderBackupProbability, unless: usual.olderBackupProbability)
        add("empties", emptyProbability, unless: usual.emptyProbability)
        add("removals", removalProbability, unless: usual.removalProbability)
        add("silences", silentProbability, unless: usual.silentProbability)
        add("moves", moveProbability, unless: usual.moveProbability)
        add("sweeps", sweepProbability, unless: usual.sweepProbability)
        if let sweepPart { options.append("--sweep-part \(sweepPart)") }
        if let proxyBytesMax { options.append("--proxy-bytes \(proxyBytesMax)") }
        add("key-values", keyValueProbability, unless: usual.keyValueProbability)
        add("merge-types", mergeTypeCount, unless: usual.mergeTypeCount)
        if let bug { options.append("--bug \(bug.name)") }
        return options.joined(separator: " ")
    }
}
