internal import SyncEngine

/// Something that is going to happen in the world.
enum Event {
    /// A user does something, on some device.
    case action
    /// A device looks for something to send.
    case poll(device: Int)
    case request(device: Int, life: Int, NumberedRequest)
    case answer(device: Int, life: Int, NumberedRequest, SyncAnswer, serverMilliseconds: UInt64?)
    /// The server tells a device that there is something new.
    case notice(device: Int, seq: UInt64, circleVersion: UInt64)
}

/// Events in the order of their times; those of one time in the order they were put in.
struct EventQueue {
    struct Entry {
        let milliseconds: UInt64
        /// In which they were put in.
        let order: UInt64
        let event: Event
    }

    /// The soonest last.
    private var entries: [Entry] = []
    private var order: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ event: Event, atMilliseconds milliseconds: UInt64) {
        order += 1
        let entry = Entry(milliseconds: milliseconds, order: order, event: event)
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].milliseconds > milliseconds {
                low = middle + 1
            } else {
                high = middle
            }
        }
        entries.insert(entry, at: low)
    }

    /// The next event, unless it is later than this.
    mutating func next(until milliseconds: UInt64) -> Entry? {
        guard let last = entries.last, last.milliseconds <= milliseconds else { return nil }
        return next()
    }

    mutating func next() -> Entry? { entries.popLast() }
}
