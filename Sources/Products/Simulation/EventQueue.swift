internal import KSRecords
internal import KSSyncEngine

/// A future event of the world.
enum Event {
    /// A user acts on some device.
    case action
    /// A device checks whether it has something to send.
    case poll(device: Int)
    case request(device: Int, life: Int, route: Int, server: Int, NumberedRequest)
    case answer(device: Int, life: Int, NumberedRequest, SyncAnswer, serverMilliseconds: UInt64?)
    /// A server notifies a device of new writes.
    case notice(device: Int, server: Int, seq: UInt64, AnnouncedPage?)
    /// A server notifies a device of a newer circle.
    case circleNotice(device: Int, server: Int, version: UInt64)
}

/// Events by time; events of one time in the order of their insertion.
struct EventQueue {
    struct Entry {
        let milliseconds: UInt64
        /// The order of insertion.
        let order: UInt64
        let event: Event
    }

    /// The earliest is last.
    private var entries: [Entry] = []
    private var order: UInt64 = 0

    /// - Returns: the event's number in the order of insertion.
    @discardableResult
    mutating func add(_ event: Event, atMilliseconds milliseconds: UInt64) -> UInt64 {
        order += 1
        let entry = Entry(milliseconds: milliseconds, order: order, event: event)
        let place = entries.firstIndex { $0.milliseconds <= milliseconds } ?? entries.endIndex
        entries.insert(entry, at: place)
        return order
    }

    func contains(where isWanted: (Event) -> Bool) -> Bool {
        entries.contains { isWanted($0.event) }
    }

    /// Removes the next event, unless it is later than this time.
    mutating func next(until milliseconds: UInt64 = .max) -> Entry? {
        guard let last = entries.last, last.milliseconds <= milliseconds else { return nil }
        return entries.popLast()
    }
}
