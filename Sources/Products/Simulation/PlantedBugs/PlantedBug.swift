/// A mistake that a maintainer could make, to test that the simulator finds it.
///
/// It is planted at the edges of a world: in what the server sends or stores, in what a device's
/// tables hold between two steps, in what the network does. The code of the product is unchanged.
public struct PlantedBug: Sendable {
    /// A promise that a bug breaks.
    public enum Promise: String, CaseIterable, Sendable {
        /// Everything that was written and not replaced or deleted stays.
        case nothingIsLost = "no write is lost"
        /// What somebody replaced or deleted who had seen it is not shown again.
        case nothingComesBack = "nothing replaced or deleted comes back"
        /// After a sync all devices show the same.
        case devicesAgree = "all devices show the same"
        /// Each of the values that devices set at the same time stays until a user chooses.
        case conflictsStay = "each concurrent value of a field stays until a user chooses"
        /// What was replaced is in the history.
        case historyStays = "earlier values are in the history"
        /// A user reads what that user wrote, and nothing older than what was shown before.
        case readsMoveOn = "a device shows its own writes, and nothing older than before"
        /// Another device never sees one half of a rename.
        case renamesAreWhole = "both halves of a rename arrive together"
        /// A device that listens to the server hears of each write.
        case writesAreHeard = "a device that listens hears of every write"
        /// An increment counts once, and a list shows each element once.
        case writesCountOnce = "each write has its effect once"
        /// The server keeps a deleted record until every device has applied the deletion.
        case removalWaits = "a deleted record stays until every device knows"
        /// A device's clock, however wrong, leaves stamps near the server's time.
        case clocksAreBounded = "a clock that is set wrong does little"
        /// A dot names one write.
        case dotsNameOneWrite = "no two writes have one name"
        /// What an honest device has sealed can be opened by all others.
        case honestWritesOpen = "what an honest device sends can be opened"
        /// A user is asked before most items go.
        case usersAreAsked = "most items go only with the user's consent"
        /// A device that was removed stays out.
        case revokedStayOut = "a revoked device stays out"
        /// Only a server that went back is reported as one.
        case alarmsAreTrue = "no device reports a server that did not go back"
        /// Sync ends by itself, and never needs a user who can do nothing.
        case syncEnds = "sync comes to an end by itself"
    }

    /// The name, as options take it.
    public let name: String
    /// What happens, as a sentence without its full stop.
    public let mistake: String
    /// The promise that it breaks first of all.
    public let promise: Promise
    /// The worlds that show it.
    public let mix: WorldMix

    init(_ name: String, _ mistake: String, breaks promise: Promise, in mix: WorldMix = .usual) {
        (self.name, self.mistake, self.promise, self.mix) = (name, mistake, promise, mix)
    }

    /// The bug of a name; nil if none has it.
    public init?(named name: String) {
        guard let bug = Self.all.first(where: { $0.name == name }) else { return nil }
        self = bug
    }

    /// All bugs, by what makes the mistake.
    public static let all =
        ofServer + ofNetwork + ofDevice + ofEdits + ofPrograms + ofCopies + ofRestores + ofRemovals
        + ofSweeps + ofDisks

    /// Worlds that show the bug, and have it.
    public var settings: WorldSettings {
        var settings = mix.settings
        settings.bug = self
        return settings
    }
}

extension PlantedBug: Hashable {
    /// Compares the names.
    public static func == (left: PlantedBug, right: PlantedBug) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension PlantedBug: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// What the planted bugs of a world remember.
struct PlantedMemory {
    /// Separate, so that a bug decides nothing else.
    var random: SimulationGenerator
    /// Each device's batch under way at the last look: its first box, and its records.
    var batches: [Int: SentBatch] = [:]
    /// What devices showed of items, by device and item.
    var views: [Int: [Int: SeenViews]] = [:]
    /// The items of which devices show something wrong until their next step.
    var wronglyShown: [Int: Set<Int>] = [:]
}
