/// Makes a story of lines that are typed one after the other, each of which runs at once.
///
/// A line that is wrong, or that cannot be done, leaves no trace in the story.
public final class StoryRecorder {
    /// What a line did.
    public enum Answer: Equatable, Sendable {
        /// It was carried out; each text says what a device shows now and did not show before.
        case done(news: [String])
        /// It was an expectation that does not hold; it is not recorded.
        case failed(expected: String, shown: String)
        /// It was wrong, or could not be carried out; it is not recorded.
        case mistake(StorySyntaxError)
    }

    private let seed: UInt64
    private var story: Story
    private var shown: [String: [ShownLine]] = [:]
    /// The lines of the story.
    public private(set) var lines: [String] = []

    /// Begins an empty story.
    ///
    /// - Parameter seed: decides all that is random.
    /// - Throws: errors that no story may cause, such as one of the database.
    public init(seed: UInt64 = 1) throws {
        self.seed = seed
        story = try Story(seed: seed)
    }

    /// Carries a line out, and records it.
    ///
    /// - Parameter text: the line, which may be empty or a comment.
    /// - Throws: errors that no story may cause, such as one of the database.
    /// - Returns: the result.
    public func add(_ text: String) throws -> Answer {
        let number = lines.count + 1
        do {
            let steps = try StoryFile(parsing: text).steps
            var outcome = StoryOutcome()
            for step in steps { try story.carryOut(step, &outcome) }
            if let failure = outcome.failures.first {
                return .failed(expected: failure.expected, shown: failure.shown)
            }
            lines.append(text)
            return .done(news: outcome.shown.isEmpty ? try news() : outcome.shown)
        } catch let mistake as StorySyntaxError {
            return .mistake(.init(line: number, column: mistake.column, message: mistake.message))
        } catch let error as StoryError {
            // It may have done a part of what it says.
            try replay()
            return .mistake(.init(line: number, column: 1, message: error.description))
        }
    }

    /// Takes the last line back.
    ///
    /// - Throws: errors that no story may cause, such as one of the database.
    /// - Returns: the line; nil if the story has no such line.
    public func undo() throws -> String? {
        let last = lines.popLast()
        try replay()
        return last
    }

    private func replay() throws {
        story = try Story(seed: seed)
        for line in lines {
            var outcome = StoryOutcome()
            for step in try StoryFile(parsing: line).steps {
                try story.carryOut(step, &outcome)
            }
        }
        _ = try news()
    }

    /// What devices show now and did not show before.
    private func news() throws -> [String] {
        try story.world.devices.flatMap { device -> [String] in
            let lines = try Story.Device(story: story, device: device).shownLines()
            let before = shown.updateValue(lines, forKey: device.name) ?? []
            let names = Set(lines.map(\.name))
            return
                (lines.filter { !before.contains($0) }.map(\.text)
                + before.filter { !names.contains($0.name) }.map(\.gone))
                .map { "\(device.name): \($0)" }
        }
    }

    // MARK: The file

    /// The story as a file, with an expectation for each thing that is shown at the end.
    ///
    /// - Throws: errors that no story may cause, such as one of the database.
    /// - Returns: the text.
    public func file() throws -> String {
        let expectations = try self.expectations()
        let end = expectations.isEmpty ? [] : [""] + expectations
        return (lines + end).map { $0 + "\n" }.joined()
    }

    private func expectations() throws -> [String] {
        var lines: [String] = []
        for device in story.world.devices {
            lines += try Story.Device(story: story, device: device).expectations()
        }
        do {
            if try story.deviceNames.count > 1 && story.difference() == nil {
                lines.append("expect agreement")
            }
        } catch is StoryError {
            // A locked device shows nothing that could be compared.
        }
        return lines
    }
}

extension Story.Device {
    /// The expectations that this device meets now.
    fileprivate func expectations() throws -> [String] {
        guard !device.isLocked, !device.isStopped || hasLeft else { return [] }
        var lines: [String] = []
        for item in try items() {
            for field in try fields(of: item) {
                let start = "expect \(name) \(Self.word(item)) \(Self.word(field))"
                guard let value = try value(field, of: item) else { continue }
                lines.append("\(start) is \(StoryValue(value))")
                let others = try conflicts(field, of: item).map { StoryValue($0.value) }
                lines += Self.conflicts(start, others)
            }
            if try isDeletedElsewhere(item) {
                lines.append("expect \(name) deleted-elsewhere \(Self.word(item))")
            }
        }
        for key in try keyValues.keys() {
            guard let value = try keyValues.value(key) else { continue }
            let start = "expect \(name) kv \(Self.word(key))"
            lines.append("\(start) is \(value)")
            lines += Self.conflicts(start, try keyValues.conflicts(key))
        }
        if let reason = try unsentReason() {
            lines.append("expect \(name) unsent because \(reason.rawValue)")
        }
        if lastAnswer != .done {
            lines.append("expect \(name) answered \(lastAnswer.rawValue)")
        }
        if let reason = try pauseReason() {
            lines.append("expect \(name) pause \(reason.rawValue)")
        }
        return lines
    }

    private static func conflicts(_ start: String, _ values: [StoryValue]) -> [String] {
        guard !values.isEmpty else { return [] }
        return ["\(start) conflicts \(values.map(\.description).joined(separator: " "))"]
    }

    /// A name as a word of a line, in quotation marks where it needs them.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "-_.@".utf8.contains(byte)
        }
        return isPlain && !text.isEmpty ? text : StoryValue.quoted(text)
    }
}
