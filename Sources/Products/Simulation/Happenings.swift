/// Counts the faults and actions of a world.
///
/// A world without faults and actions tests nothing, since it cannot break a promise.
public struct Happenings: Equatable, Sendable {
    /// What is counted.
    public enum Kind: Hashable, Sendable {
        /// Requests and notices that never arrived.
        case lostMessages
        /// Answers that never arrived although the server had carried out the request.
        case lostAnswers
        /// Lost answers that confirmed a batch.
        case lostAcknowledgements
        /// Requests and answers that were sent twice.
        case duplicatedMessages
        /// Messages that were delayed by a second or more.
        case delayedMessages
        /// Messages that arrived after a later one.
        case overtakenMessages
        /// Requests that a proxy refused because of their size.
        case refusedForSize
        /// Restarts of devices.
        case restarts
        /// Times that the power of a device failed in the middle of a write.
        case powerFailures
        /// Times that the power of the server did.
        case serverPowerFailures
        /// Times that a device went offline.
        case offlinePeriods
        /// Items that were made.
        case additions
        /// Secrets and notes that were set.
        case edits
        /// Items that were deleted.
        case deletions
        /// Items that became another record.
        case renames
        /// Writes to the key-value entry of a merge type, named as on the command line.
        case keyValueWrites(type: String)
        /// Operations on the key-value entry of a merge type; the type is named as on the command
        /// line, the operation as in the code.
        case keyValueOperations(type: String, operation: String)
        /// Writes to the key that devices declare with different types.
        case typeClashWrites(type: String)
        /// Such writes on devices that showed one of several declared types.
        case typeClashes
        /// Key-value entries whose values of another type were not shown at the end.
        case hiddenTypes
        /// Values of more than 128 KiB, which leave no history.
        case largeKeyValues
        /// Writes of programs that had read another value of the entry than it showed.
        case oldViews
        /// Key-value entries that were deleted.
        case keyValueDeletions
        /// Devices that were cloned.
        case clones
        /// Clones of devices with a batch under way.
        case clonesWithBatch
        /// Databases that were put back to an earlier copy.
        case putBacks
        /// Times that a device left the account and joined it again.
        case returns
        /// Such returns with changes that were not on the server.
        case returnsWithUnsent
        /// Devices that were revoked, each of which ended a key generation.
        case revocations
        /// Changes of the account's password, each of which ended a key generation.
        case passwordChanges
        /// Revocations that the server refused, since their author did not know its newest writes.
        case refusedRevocations
        /// Devices that joined the account while others used it.
        case joins
        /// Those that joined after the server had lost something.
        case joinsAfterLosses
        /// Times that the server lost the entry of the circle that had added such a device.
        case lostJoins
        /// Times that the server was put back to a backup.
        case restores
        /// Times of these that it was not the last backup.
        case olderRestores
        /// Times that the server lost that it had removed deleted records.
        case lostRemovals
        /// Times that the server lost everything.
        case emptyServers
        /// Times that the account got another server.
        case moves
        /// Writes that a server accepted after the account had another one.
        case writesToOldServer
        /// Times that nearly all items were deleted at once.
        case sweeps
        /// Answers to the question about many deletions, with which the items went.
        case acceptedDeletions
        /// Those with which they stayed.
        case keptDeletions
        /// Deleted records that the server removed.
        case removals
        /// Times that a device fell silent for long.
        case silences
        /// Devices that compared all their records, since they may have missed a removal.
        case resyncs
        /// Items and key-value entries that were written on a device without its account.
        case editsAway
        /// Those that were deleted there.
        case deletionsAway
        /// Items that were renamed there.
        case renamesAway
        /// Key-value writes that several copies of a device had to send.
        case repeatedKeyValueWrites
        /// Increments that counted several times at the end, because copies had to send them.
        case repeatedIncrements
        /// Key-value writes that only a disk held which was put back to an earlier copy.
        case lostKeyValueWrites
        /// Times that a clock was set ten years wrong.
        case clockJumps
    }

    private var counts: [Kind: Int] = [:]

    /// All counts are 0.
    public init() {}

    /// How often it happened.
    public subscript(kind: Kind) -> Int {
        get { counts[kind, default: 0] }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    /// Each count with what it counts, as words: "restores 7".
    public var lines: [String] {
        counts.map { kind, count in "\(kind) \(count)" }.sorted()
    }

    /// The sums of the counts of two worlds.
    public static func + (left: Happenings, right: Happenings) -> Happenings {
        var sum = left
        sum.counts.merge(right.counts, uniquingKeysWith: +)
        return sum
    }
}

/// Detects messages that arrive after later ones.
struct ArrivalOrder {
    /// One direction between a device and the server.
    struct Line: Hashable {
        let device: Int
        let isToServer: Bool
    }

    private var newest: [Line: UInt64] = [:]

    /// Notes an arrival; `order` is the order of sending.
    ///
    /// - Returns: whether a later message has arrived already.
    package mutating func note(_ order: UInt64, on line: Line) -> Bool {
        let isOvertaken = order < newest[line, default: 0]
        newest[line] = max(order, newest[line, default: 0])
        return isOvertaken
    }
}
