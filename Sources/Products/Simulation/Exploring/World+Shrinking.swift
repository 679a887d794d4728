internal import KSKeyValues

/// What the chances of a world were before each of its actions, so that some of them repeat.
struct WorldScript {
    /// The states of all generators before each action.
    var states: [[SimulationGenerator]] = []
    /// The actions that take place; nil for all.
    var kept: Set<Int>?
    /// How many actions there were until now.
    var count = 0
    /// What the actions are as lines of a story, each with its time; nil unless that is wanted.
    var lines: [(milliseconds: UInt64, line: String)]?
}

extension World {
    /// A world that breaks a promise, with as few actions as possible.
    public struct Shrunk: Equatable, Sendable {
        /// The outcome of the world with these actions only.
        public let outcome: Outcome
        /// The numbers of the actions, from 0.
        public let actions: [Int]
        /// The actions as lines of a story; a comment stands for an action without such a line.
        ///
        /// What the network loses is no part of it, so it may keep every promise.
        public let lines: [String]
        /// A story that fails too, as short as possible; nil if the lines do not fail as a story.
        public let story: StoryFinding?
    }

    /// Finds the shortest list of a world's actions that still breaks the same promise.
    ///
    /// What happens between two of these actions is what happened there in the whole world: each
    /// begins with the same chances.
    /// - Parameters:
    ///   - seed: the world's.
    ///   - settings: the world's.
    /// - Throws: errors that no world may cause, such as one of the database.
    /// - Returns: nil if the world keeps every promise.
    public static func shrink(
        seed: UInt64,
        settings: WorldSettings = WorldSettings()
    ) throws -> Shrunk? {
        let (first, script) = try run(seed: seed, settings, WorldScript())
        guard let failure = first.failure else { return nil }
        func outcome(of actions: [Int]) throws -> (outcome: Outcome, script: WorldScript) {
            let kept = WorldScript(states: script.states, kept: Set(actions), lines: [])
            return try run(seed: seed, settings, kept, keepsTrace: true)
        }
        let actions = try shrunk(Array(0..<script.count)) { part in
            try outcome(of: part).outcome.failure?.name == failure.name
        }
        let last = try outcome(of: actions)
        let lines = storyLines(last.script.lines ?? [])
        let devices = (1...max(1, first.deviceCount)).map { "device\($0)" }
        var story: StoryFinding?
        for seed in 1...3 as ClosedRange<UInt64> where story == nil {
            let trial = StoryTrial(seed: seed, invariants: [.agreement], bug: settings.bug)
            story = try trial.finding(devices: devices, beginning: [], lines)
        }
        return Shrunk(
            outcome: last.outcome,
            actions: actions,
            lines: [StoryTrial.line(of: devices)] + lines,
            story: story
        )
    }

    /// Runs one world with some of its actions only.
    ///
    /// - Parameters:
    ///   - seed: decides everything that happens.
    ///   - settings: what may happen, and how often.
    ///   - keepsTrace: whether the outcome has the events.
    ///   - actions: the numbers of the actions that take place, from 0.
    /// - Throws: errors that no world may cause, such as one of the database.
    /// - Returns: the outcome.
    public static func run(
        seed: UInt64,
        settings: WorldSettings = WorldSettings(),
        keepsTrace: Bool = false,
        onlyActions actions: [Int]
    ) throws -> Outcome {
        let (_, script) = try run(seed: seed, settings, WorldScript())
        let kept = WorldScript(states: script.states, kept: Set(actions))
        return try run(seed: seed, settings, kept, keepsTrace: keepsTrace).outcome
    }

    private static func run(
        seed: UInt64,
        _ settings: WorldSettings,
        _ script: WorldScript,
        keepsTrace: Bool = false
    ) throws -> (outcome: Outcome, script: WorldScript) {
        let world = try World(seed: seed, settings: settings, keepsTrace: keepsTrace)
        world.script = script
        return (try world.run(seed: seed), world.script)
    }

    /// Carries an action out, unless the script leaves it out.
    func takeAction() throws {
        let number = script.count
        script.count += 1
        guard let kept = script.kept else {
            script.states.append(generators)
            return try act()
        }
        if script.states.indices.contains(number) { generators = script.states[number] }
        if kept.contains(number) { try act() }
    }

    private var generators: [SimulationGenerator] {
        get {
            [
                random, lockRandom, copyRandom, clockRandom, keyValueRandom, clashRandom,
                returnRandom, revocationRandom, proxyRandom, restoreRandom, removalRandom,
                moveRandom, sweepRandom, joinRandom,
            ]
        }
        set {
            (random, lockRandom, copyRandom) = (newValue[0], newValue[1], newValue[2])
            (clockRandom, keyValueRandom) = (newValue[3], newValue[4])
            (clashRandom, returnRandom) = (newValue[5], newValue[6])
            (revocationRandom, proxyRandom) = (newValue[7], newValue[8])
            (restoreRandom, removalRandom) = (newValue[9], newValue[10])
            (moveRandom, sweepRandom, joinRandom) = (newValue[11], newValue[12], newValue[13])
        }
    }
}

// MARK: As a story

extension World {
    /// Notes what an action is as a line of a story.
    func tell(_ line: @autoclosure () -> String) {
        guard script.lines != nil else { return }
        script.lines?.append((clock.milliseconds, line()))
    }

    func tell(_ device: SimulatedDevice, _ line: @autoclosure () -> String) {
        tell("device\(device.index + 1) \(line())")
    }

    func tell(_ writes: [EntryWrite], to key: String, on device: SimulatedDevice) {
        for write in writes {
            if let line = write.storyLine(key: key) {
                tell(device, line)
            } else {
                tell("# device\(device.index + 1) changes the list \(key) as it was read before")
            }
        }
    }

    /// The lines with the time between them.
    private static func storyLines(
        _ lines: [(milliseconds: UInt64, line: String)]
    ) -> [String] {
        var result: [String] = []
        var now = startMilliseconds
        for (milliseconds, line) in lines {
            let gap = milliseconds - min(now, milliseconds)
            if result.isEmpty {
                // Nothing has happened yet that time could change.
            } else if gap >= 1_000_000 {
                result.append("advance \(gap / 1000)s")
            } else if gap > 1 {
                result.append("advance \(gap)ms")
            }
            result.append(line)
            now = max(now, milliseconds)
        }
        return result
    }
}

extension EntryWrite {
    /// What a story's line has behind the device; nil if it has no such form.
    fileprivate func storyLine(key: String) -> String? {
        func line(_ verb: String, _ values: String...) -> String {
            (["kv", verb, key] + values).joined(separator: " ")
        }
        func list(_ values: [PropertyValue]) -> String {
            values.map { StoryValue($0).description }.joined(separator: " ")
        }
        return switch self {
        case .set(let value, _): line("set", list([value]))
        case .declare(let type): line("declare", type.name)
        case .increment(let amount): line("increment", "\(amount)")
        case .reset(let value): line("reset", "\(value)")
        case .insert(let values): line("add", list(values))
        case .remove(let values): line("remove", list(values))
        case .setField(let field, let value, _): line("set-field", field, list([value]))
        case .incrementField(let field, let amount): line("increment-field", field, "\(amount)")
        case .removeField(let field, _): line("remove-field", field)
        case .append(let values): line("append", list(values))
        case .insertAt(.index(let place), let values): line("insert", "\(place)", list(values))
        case .setAt(.index(let place), let value): line("set-element", "\(place)", list([value]))
        case .removeAt(.index(let place)): line("remove-element", "\(place)")
        case .move(.index(let place), .index(let target)):
            line("move-element", "\(place)", "\(target)")
        case .insertAt, .setAt, .removeAt, .move: nil
        }
    }
}

extension WorldFailure {
    /// Which promise it is, without the number of a write or device.
    fileprivate var name: Substring { "\(self)".prefix { $0 != "(" } }
}
