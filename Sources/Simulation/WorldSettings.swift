internal import SyncEngine

/// What a simulated world is like.
public struct WorldSettings: Equatable, Sendable {
    /// A bug put in on purpose, to see that the simulator would find it.
    public enum PlantedBug: String, CaseIterable, Sendable {
        /// The server leaves out one of several concurrent writes.
        case dropsSibling
        /// The server begins a page one write too late.
        case cursorOffByOne
        /// A device that starts again counts from one less than it had.
        case reusesCounter
        /// What was pulled while a device was locked is dropped at the unlock.
        case forgetsWaiting
        /// The server shows a record again as it was before its last writes.
        case rollsRecordBack
        /// The server shows no device that something was deleted.
        case forgetsTombstones
        /// A device that was copied takes the batch on its way apart without asking for its answer.
        case takesBatchApartUnasked
        /// A device carries the server's date on by its own clock, which its user can set.
        case trustsSetClock
    }

    /// How many devices; by default two to four, by the seed.
    public var deviceCount: Int?
    /// How many things the users do.
    public var steps: Int
    /// How many different items there can be: few, so that devices meet.
    public var itemCount: Int
    /// How often a message is lost, from 0 to 1.
    public var lossProbability: Double
    /// How often a message comes twice, from 0 to 1.
    public var duplicateProbability: Double
    /// How often a message is held back by up to a minute and a half, from 0 to 1.
    public var lateProbability: Double
    /// How often a device is locked or unlocked before something is done, from 0 to 1.
    public var lockProbability: Double
    /// How often, beside what users do, a device is ended and started again, from 0 to 1.
    public var restartProbability: Double
    /// How often, before something is done, a whole device is cloned, from 0 to 1.
    public var cloneProbability: Double
    /// How often, before something is done, a device's database is kept or one that was kept is put
    /// back, from 0 to 1.
    public var putBackProbability: Double
    /// How often, before something is done, a clock is set ten years wrong or right again, from 0
    /// to 1.
    public var clockJumpProbability: Double
    /// With more siblings than this a record is written back by one of its readers.
    ///
    /// Where it is not the ordinary number, the wait is a few seconds, so that users, who edit all
    /// the time, are not there first.
    public var writeBackSiblingsMax: Int
    /// The bug that is put in, if any.
    public var bug: PlantedBug?

    /// The ordinary world: a bad network and busy users.
    public init() {
        deviceCount = nil
        steps = 40
        itemCount = 3
        lossProbability = 0.12
        duplicateProbability = 0.12
        lateProbability = 0.1
        lockProbability = 0.15
        restartProbability = 0
        cloneProbability = 0
        putBackProbability = 0
        clockJumpProbability = 0.02
        writeBackSiblingsMax = 8
        bug = nil
    }
}

extension WorldSettings {
    /// Whether two copies of one device may write under one name.
    var hasCopies: Bool { cloneProbability > 0 || putBackProbability > 0 }

    var writeBack: WriteBackRule {
        let standard = WriteBackRule.standard
        if writeBackSiblingsMax == standard.siblingsMax { return standard }
        return WriteBackRule(
            siblingsMax: writeBackSiblingsMax,
            delayMilliseconds: 100...5000
        )
    }
}
