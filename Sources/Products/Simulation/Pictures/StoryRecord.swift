/// What happened in a story, in its order, to be drawn by ``StoryPicture``.
public struct StoryRecord: Equatable, Sendable {
    /// Who sends and receives.
    enum Party: Hashable, Sendable {
        case device(Int)
        /// Of the account's servers; the first is 0.
        case server(Int)
    }

    /// What a message is, for its color.
    enum Kind: String, Sendable {
        case request
        case answer
        case news
    }

    struct Message: Equatable, Sendable {
        let kind: Kind
        let text: String
        let from: Party
        let to: Party
    }

    /// Something that happens, each in a row of its own.
    enum Happening: Equatable, Sendable {
        /// A step of the story, with its line if it has one in a file; nil for a step of no device
        /// and no server.
        case step(String, line: Int?, Party?)
        /// The message of this number leaves, arrives or is lost.
        case sent(Int)
        case arrived(Int)
        case lost(Int)
        /// What a device shows now and did not show before.
        case shows(device: Int, [String])
        /// Whether a device or a server can be reached from now on.
        case reach(Party, Bool)
        /// An expectation of a line does not hold.
        case failed(line: Int, expected: String, shown: String, Party?)
    }

    struct Row: Equatable, Sendable {
        /// Since the story began.
        let milliseconds: UInt64
        let happening: Happening
    }

    /// The devices' names, by their index.
    var devices: [String] = []
    var serverCount = 1
    private(set) var rows: [Row] = []
    private(set) var messages: [Message] = []
    /// What each device shows at the end, by its index.
    var ends: [[String]] = []
    /// The messages on their way, by the order of their event.
    private var underWay: [UInt64: Int] = [:]
    private var reached: [Party: Bool] = [:]
    private var shown: [Int: [ShownLine]] = [:]

    /// Whether the steps are lines of a file, whose expectations are known.
    var hasLines: Bool {
        rows.allSatisfy { row in
            if case .step(_, nil, _) = row.happening { false } else { true }
        }
    }

    /// The sizes of what happened: lines of the story, messages, lost ones and failures.
    var counts: (steps: Int, messages: Int, lost: Int, failures: Int) {
        var counts = (steps: 0, messages: messages.count, lost: 0, failures: 0)
        for row in rows {
            switch row.happening {
            case .step: counts.steps += 1
            case .lost: counts.lost += 1
            case .failed: counts.failures += 1
            case .sent, .arrived, .shows, .reach: break
            }
        }
        return counts
    }

    mutating func add(_ happening: Happening, at milliseconds: UInt64) {
        let since = milliseconds - min(milliseconds, World.startMilliseconds)
        rows.append(Row(milliseconds: since, happening: happening))
    }

    /// A message leaves; without an order it is lost at once.
    mutating func send(_ message: Message, order: UInt64?, at milliseconds: UInt64) {
        messages.append(message)
        let number = messages.count - 1
        add(.sent(number), at: milliseconds)
        if let order { underWay[order] = number } else { add(.lost(number), at: milliseconds) }
    }

    /// The message of an event, if that is one, ends its way.
    mutating func end(_ order: UInt64, isLost: Bool, at milliseconds: UInt64) {
        guard let number = underWay.removeValue(forKey: order) else { return }
        add(isLost ? .lost(number) : .arrived(number), at: milliseconds)
    }

    mutating func note(_ party: Party, isReachable: Bool, at milliseconds: UInt64) {
        guard reached[party] ?? true != isReachable else { return }
        reached[party] = isReachable
        add(.reach(party, isReachable), at: milliseconds)
    }

    /// Notes what a device shows, and adds what of it is new.
    mutating func note(_ lines: [ShownLine], of device: Int, at milliseconds: UInt64) {
        let before = shown[device] ?? []
        guard before != lines else { return }
        shown[device] = lines
        var news = lines.filter { !before.contains($0) }.map(\.text)
        let names = Set(lines.map(\.name))
        news += before.filter { !names.contains($0.name) }.map(\.gone)
        if !news.isEmpty { add(.shows(device: device, news), at: milliseconds) }
    }
}

/// A line of what a device shows.
struct ShownLine: Equatable, Sendable {
    /// The value that the event concerns, such as a field of an item.
    let name: String
    let text: String

    /// What stands in its place when it is not shown any more.
    var gone: String {
        switch name {
        case "unsent": "all is sent"
        case "pause": "goes on"
        case "locked": "is unlocked"
        case "killed": "runs again"
        default: "\(name) is gone"
        }
    }
}
