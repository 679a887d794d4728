/// Counts the faults and actions of a world.
///
/// A world without any keeps every promise and tests nothing.
public struct Happenings: Equatable, Sendable {
    /// Requests and notices that never arrived.
    public var lostMessages = 0
    /// Answers that never arrived although the server had carried out the request.
    public var lostAnswers = 0
    /// Lost answers that confirmed a batch.
    public var lostAcknowledgements = 0
    /// Requests and answers that were sent twice.
    public var duplicatedMessages = 0
    /// Messages that were delayed by a second or more.
    public var delayedMessages = 0
    /// Messages that arrived after a later one.
    public var overtakenMessages = 0
    /// Restarts of devices.
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
    /// Clones of devices with a batch under way.
    public var clonesWithBatch = 0
    /// Databases that were put back to an earlier copy.
    public var putBacks = 0
    /// Times that a clock was set ten years wrong.
    public var clockJumps = 0

    /// All counts are 0.
    public init() {}

    /// The sums of the counts of two worlds.
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

/// Detects messages that arrive after later ones.
struct ArrivalOrder {
    /// Between a device and the server, each way.
    struct Line: Hashable {
        let device: Int
        let isToServer: Bool
    }

    private var newest: [Line: UInt64] = [:]

    /// Notes an arrival; `order` is the order of sending.
    ///
    /// - Returns: whether a later message has arrived already.
    mutating func note(_ order: UInt64, on line: Line) -> Bool {
        let isOvertaken = order < newest[line, default: 0]
        newest[line] = max(order, newest[line, default: 0])
        return isOvertaken
    }
}
