/// Carries out lines and looks at invariants.
struct StoryTrial {
    /// The result of the lines.
    struct Outcome {
        /// What does not hold; nil if all does.
        var breach: String?
        /// The lines that were carried out, with those that bring everything to rest.
        var lines: [String] = []
        /// Whether each line could be carried out.
        var isWhole = true
    }

    let seed: UInt64
    let invariants: [StoryInvariant]
    var bug: PlantedBug?

    /// Begins a story with some lines, and carries out those that `next` gives, until nil.
    ///
    /// Invariants hold from the end of the beginning on. A line that cannot be carried out is left
    /// out.
    func run(
        beginning: [String],
        _ next: (Story) throws -> String?
    ) throws -> Outcome {
        let story = try Story(seed: seed, keepsTrace: false, bug: bug)
        var outcome = Outcome()
        for line in beginning where outcome.breach == nil {
            try carryOut(line, story, &outcome, isLookedAt: false)
        }
        while outcome.breach == nil, let line = try next(story) {
            try carryOut(line, story, &outcome)
        }
        var rest = try story.linesToRest()
        // The first sync may ask a user.
        for _ in 0..<2 where outcome.breach == nil && !rest.isEmpty {
            for line in rest where outcome.breach == nil {
                try carryOut(line, story, &outcome)
            }
            rest = try story.linesToRest()
            if rest == ["sync"] { rest = [] }
        }
        if outcome.breach == nil { outcome.breach = try breach(in: story, atRest: true) }
        return outcome
    }

    func run(beginning: [String], _ lines: [String]) throws -> Outcome {
        var left = lines[...]
        return try run(beginning: beginning) { _ in left.popFirst() }
    }

    private func carryOut(
        _ line: String,
        _ story: Story,
        _ outcome: inout Outcome,
        isLookedAt: Bool = true
    ) throws {
        let milliseconds = story.world.clock.milliseconds
        do {
            var result = StoryOutcome()
            for step in try StoryFile(parsing: line).steps {
                try story.carryOut(step, &result)
            }
            outcome.lines.append(line)
            outcome.breach = result.failures.first.map {
                "\(line): expected \($0.expected), shown \($0.shown)"
            }
        } catch StoryError.notQuiet(let reasons) {
            outcome.lines.append(line)
            outcome.breach = StoryError.notQuiet(reasons).description
        } catch is StoryError {
            // As if the line had not been tried.
            story.world.clock.milliseconds = milliseconds
            outcome.isWhole = false
        } catch let failure as WorldFailure {
            outcome.lines.append(line)
            outcome.breach = "\(failure)"
        } catch let mistake as StorySyntaxError {
            throw StorySyntaxError(
                line: mistake.line,
                column: mistake.column,
                message: "\(line): \(mistake.message)"
            )
        }
        if isLookedAt, outcome.breach == nil {
            outcome.breach = try breach(in: story, atRest: false)
        }
    }

    private func breach(in story: Story, atRest: Bool) throws -> String? {
        for invariant in invariants where atRest || invariant.isAlways {
            if let breach = try invariant.breach(in: story) { return breach }
        }
        return nil
    }

    /// The shortest part of lines that has a breach, with the devices that it needs.
    func finding(devices: [String], beginning: [String], _ lines: [String]) throws -> StoryFinding?
    {
        func fails(_ devices: [String], _ lines: [String]) throws -> Bool {
            let start = [StoryTrial.line(of: devices)] + beginning
            return try run(beginning: start, lines).breach != nil
        }
        guard try fails(devices, lines) else { return nil }
        let short = try shrunk(lines) { try fails(devices, $0) }
        let fewer = try shrunk(devices) { try !$0.isEmpty && fails($0, short) }
        let last = try run(beginning: [Self.line(of: fewer)] + beginning, short)
        guard let breach = last.breach else { return nil }
        return StoryFinding(seed: seed, breach: breach, lines: last.lines)
    }

    static func line(of devices: [String]) -> String { "devices \(devices.joined(separator: " "))" }
}

extension Story {
    /// The lines that take every device online, and sync.
    func linesToRest() throws -> [String] {
        var lines: [String] = []
        if world.isServerAway { lines.append("server back") }
        if world.server.disk.isFull { lines.append("server disk-free") }
        for device in world.devices {
            let (name, isAbsent) = (device.name, device.hasLeft)
            if device.disk.isFull { lines.append("\(name) disk-free") }
            if device.isStopped, !isAbsent { lines.append("\(name) start") }
            if device.isLocked { lines.append("\(name) unlock") }
            if !device.isOnline || device.link.isBad { lines.append("\(name) online") }
            if isAbsent { lines.append("\(name) return") }
            if device.server < world.servers.count - 1 { lines.append("\(name) move") }
            if try Device(story: self, device: device).pauseReason() == .deletions {
                lines.append("\(name) keep-deleted")
            }
        }
        if world.server.isEmpty, let first = world.devices.first {
            lines.append("server rebuild \(first.name)")
        }
        return lines + ["sync"]
    }
}

extension DeviceLink {
    fileprivate var isBad: Bool {
        delayMilliseconds != nil || lossProbability != nil || losesAnswers
    }
}
