internal import KSSyncEngine

/// The settings of a simulated world.
public struct WorldSettings: Equatable, Sendable {
    /// The number of devices; by default two to four, chosen by the seed.
    public var deviceCount: Int?
    /// The number of the users' actions.
    public var steps = 40
    /// The number of different items: few, so that devices edit the same ones.
    public var itemCount = 3
    /// How often a message is lost, from 0 to 1.
    public var lossProbability = 0.12
    /// How often a message is sent twice, from 0 to 1.
    public var duplicateProbability = 0.12
    /// How often a message is delayed by up to a minute and a half, from 0 to 1.
    public var lateProbability = 0.1
    /// How often a device is locked or unlocked before an action, from 0 to 1.
    public var lockProbability = 0.15
    /// How often a device is restarted, beside the users' actions, from 0 to 1.
    public var restartProbability = 0.0
    /// How often the power of a device's or the server's machine fails in a step of sync, from 0 to
    /// 1, at one of the writes to its disk.
    public var powerFailureProbability = 0.0
    /// How often a whole device is cloned before an action, from 0 to 1.
    public var cloneProbability = 0.0
    /// How often a device's database is copied, or put back to its copy, before an action, 0 to 1.
    public var putBackProbability = 0.0
    /// How often a device leaves the account, is used, and joins it again before an action, 0 to 1.
    public var returnProbability = 0.0
    /// How often a device that nobody uses is revoked before an action, from 0 to 1; three can be.
    public var revocationProbability = 0.0
    /// How often the account's password is changed before an action, from 0 to 1.
    public var passwordProbability = 0.0
    /// How often a new device joins the account before an action, from 0 to 1; three can.
    public var joinProbability = 0.0
    /// How often the server is backed up, or restored from its backup, before an action, 0 to 1.
    ///
    /// Only with neither copies nor returns: a device that left without its items has no write that
    /// a restored server lost.
    public var restoreProbability = 0.0
    /// How often a restore takes one of the two backups before the last, from 0 to 1.
    ///
    /// A newer one may be restored before the devices have told the server what the older lacked.
    public var olderBackupProbability = 0.0
    /// How often the server loses everything before an action, from 0 to 1.
    ///
    /// A while later the user of one device lets it make the account again. Only with neither
    /// copies, returns nor restores.
    public var emptyProbability = 0.0
    /// How often the server removes deleted records before an action, from 0 to 1, as soon as after
    /// some seconds.
    ///
    /// Only with neither copies nor returns. Where the server can go back, it waits for every
    /// device: nothing tells a device that was away for longer what was removed.
    public var removalProbability = 0.0
    /// How often a device falls silent before an action, from 0 to 1, for so long that removal may
    /// not wait for it.
    public var silentProbability = 0.0
    /// How often the account gets another server before an action, from 0 to 1: with what the
    /// present one has, or with its backup.
    ///
    /// The one before stays in reach of the devices whose users have not named the new one to
    /// them. Only with neither copies, returns, losses of everything nor removals.
    public var moveProbability = 0.0
    /// How often the user of a device deletes nearly all of its items before an action, from 0 to
    /// 1.
    ///
    /// Only with neither copies nor returns. All items are there at the beginning.
    public var sweepProbability = 0.0
    /// How many items of such a sweep the user deletes at once; nil for all.
    public var sweepPart: Int?
    /// The largest request that a proxy lets through, in bytes; nil for no proxy.
    ///
    /// Devices come behind it and leave it again before actions.
    public var proxyBytesMax: Int?
    /// How often a program writes to a key-value store before an action, from 0 to 1.
    public var keyValueProbability = 0.4
    /// How many merge types it writes to, 1 to 7; chosen by the seed.
    public var mergeTypeCount = 2
    /// How often a clock is set ten years wrong, or right again, before an action, from 0 to 1.
    public var clockJumpProbability = 0.02
    /// A record with more siblings than this is written back by one of its readers.
    ///
    /// With any other than the standard number, the delay is a few seconds: otherwise an edit would
    /// always come first.
    public var writeBackSiblingsMax = 8
    /// How many fields of items are written beside the secret, 1 to 3: the note, the title, and
    /// the description, which keeps no history.
    public var fieldCount = 1
    /// The planted bug, if any.
    public var bug: PlantedBug?
    /// Whether a ``Story`` says what happens, and nothing happens by chance.
    var isStory = false

    /// The usual world: a bad network and busy users.
    public init() {}
}

extension WorldSettings {
    /// Whether two copies of one device may write as one actor.
    var hasCopies: Bool { isStory || cloneProbability > 0 || putBackProbability > 0 }

    /// The settings of a story.
    static var story: WorldSettings {
        var settings = WorldSettings()
        settings.isStory = true
        (settings.deviceCount, settings.itemCount) = (0, 0)
        (settings.lossProbability, settings.duplicateProbability) = (0, 0)
        (settings.lateProbability, settings.keyValueProbability) = (0, 0)
        return settings
    }

    /// Whether the server can lose what it had accepted.
    var losesWrites: Bool { restoreProbability > 0 || emptyProbability > 0 || moveProbability > 0 }

    /// Whether the account's keys can change.
    var endsGenerations: Bool { revocationProbability > 0 || passwordProbability > 0 }

    /// Whether key-value writes that were not sent can be lost.
    var looksAtUnsentKeyValues: Bool { hasCopies || returnProbability > 0 }

    var writeBack: WriteBackRule {
        let standard = WriteBackRule.standard
        if writeBackSiblingsMax == standard.siblingsMax { return standard }
        return WriteBackRule(siblingsMax: writeBackSiblingsMax, delayMilliseconds: 100...5000)
    }
}
