/// How often the network and the users did what a world is there for.
///
/// A world without them keeps every promise and shows nothing.
public struct Happenings: Equatable, Sendable {
    /// Requests and notices that never arrived.
    public var lostMessages = 0
    /// Answers that never arrived, after the server had done what was asked.
    public var lostAnswers = 0
    /// Those of them that were to say that a batch is stored.
    public var lostAcknowledgements = 0
    /// Requests and answers that were sent twice.
    public var duplicatedMessages = 0
    /// Messages that were held back by a second or more.
    public var delayedMessages = 0
    /// Messages that arrived after one that was sent later.
    public var overtakenMessages = 0
    /// Times that a device was ended and started again.
    public var restarts = 0
    /// Times that a device went offline.
    public var offlinePeriods = 0
    /// Items that were made.
    public var additions = 0
    /// Secrets and notes that were set.
    public var edits = 0
    /// Items that were deleted.
    public var deletions = 0
    /// Items that became another record.
    public var renames = 0
    /// Devices that were cloned.
    public var clones = 0
    /// Those of them that had a batch on its way.
    public var clonesWithBatch = 0
    /// Databases that were put back to an earlier copy.
    public var putBacks = 0
    /// Times that a clock was set ten years wrong.
    public var clockJumps = 0

    /// Nothing has happened yet.
    public init() {}

    /// What happened in two worlds.
    public static func + (left: Happenings, right: Happenings) -> Happenings {
        var sum = left
        sum.lostMessages += right.lostMessages
        sum.lostAnswers += right.lostAnswers
        sum.lostAcknowledgements += right.lostAcknowledgements
        sum.duplicatedMessages += right.duplicatedMessages
        sum.delayedMessages += right.delayedMessages
        sum.overtakenMessages += right.overtakenMessages
        sum.restarts += right.restarts
        sum.offlinePeriods += right.offlinePeriods
        sum.additions += right.additions
        sum.edits += right.edits
        sum.deletions += right.deletions
        sum.renames += right.renames
        sum.clones += right.clones
        sum.clonesWithBatch += right.clonesWithBatch
        sum.putBacks += right.putBacks
        sum.clockJumps += right.clockJumps
        return sum
    }
}

/// Notices which messages come later than ones that were sent after them.
struct ArrivalOrder {
    /// Between a device and the server, each way.
    struct Line: Hashable {
        let device: Int
        let isToServer: Bool
    }

    private var newest: [Line: UInt64] = [:]

    /// Takes in an arrival, by the order in which messages were sent.
    ///
    /// - Returns: whether one that was sent later has arrived already.
    mutating func note(_ order: UInt64, on line: Line) -> Bool {
        let isOvertaken = order < newest[line, default: 0]
        newest[line] = max(order, newest[line, default: 0])
        return isOvertaken
    }
}
