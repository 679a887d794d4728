extension Story {
    /// Looks for a story in which an invariant does not hold, among random ones.
    ///
    /// Each seed makes a story of actions that it chooses by their weights. Words in capitals stand
    /// for something that it chooses too: `DEVICE`, `OTHER`, `ITEM`, `KEY`, `FIELD`, `NUMBER`,
    /// `PLACE`, `DURATION`, `PERCENT`, `TYPE`; `VALUE`, `PASSWORD` and `NAME` are new ones each
    /// time. An action that cannot be done then, such as an edit on a locked device, is left out.
    /// At the end every device is taken online and syncs.
    ///
    /// ```swift
    /// import Simulation
    ///
    /// let found = try Story.explore(
    ///     devices: ["laptop", "phone", "tablet"],
    ///     actions: [
    ///         "DEVICE kv append todo VALUE": 4, "DEVICE kv remove-element todo 0": 2,
    ///         "DEVICE offline": 1, "DEVICE online": 1, "sync": 2,
    ///     ],
    ///     invariants: [.agreement]
    /// )
    /// if let found { print(found) }
    /// ```
    ///
    /// - Parameters:
    ///   - devices: the names of the devices in the account.
    ///   - beginning: lines that each story begins with; invariants hold from there on.
    ///   - actions: lines with their weights.
    ///   - steps: how many actions a story has.
    ///   - seeds: those to try.
    ///   - invariants: what must be true.
    /// - Throws: ``StorySyntaxError`` for an action that is no line.
    /// - Returns: the first breach, in the shortest story that has one; nil if all seeds keep all.
    public static func explore(
        devices: [String],
        beginning: [String] = [],
        actions: KeyValuePairs<String, Double>,
        steps: Int = 20,
        seeds: ClosedRange<UInt64> = 1...100,
        invariants: [StoryInvariant] = [.agreement]
    ) throws -> StoryFinding? {
        try explore(
            devices: devices,
            beginning: beginning,
            actions: actions,
            steps: steps,
            seeds: seeds,
            invariants: invariants,
            bug: nil
        )
    }

    /// The same with a deliberate bug, to test that it is found.
    package static func explore(
        devices: [String],
        beginning: [String],
        actions: KeyValuePairs<String, Double>,
        steps: Int,
        seeds: ClosedRange<UInt64>,
        invariants: [StoryInvariant],
        bug: PlantedBug?
    ) throws -> StoryFinding? {
        for seed in seeds {
            let trial = StoryTrial(seed: seed, invariants: invariants, bug: bug)
            var chooser = ActionChooser(seed: seed, actions: Array(actions))
            let start = [StoryTrial.line(of: devices)] + beginning
            var left = steps
            var chosen: [String] = []
            let outcome = try trial.run(beginning: start) { story in
                guard left > 0 else { return nil }
                left -= 1
                let line = chooser.line(in: story)
                if let line { chosen.append(line) }
                return line
            }
            guard let breach = outcome.breach else { continue }
            return try trial.finding(devices: devices, beginning: beginning, chosen)
                ?? StoryFinding(seed: seed, breach: breach, lines: outcome.lines)
        }
        return nil
    }

    /// Looks at every story of these actions up to a length, shortest first.
    ///
    /// `DEVICE` and `OTHER` stand for each device, any other word in capitals for one value.
    /// Devices that no line has named yet are alike, so only the first of them is tried. The number
    /// of stories is about the number of actions times devices, to the power of the length: with
    /// three devices and three actions some 1,500 of up to four lines.
    ///
    /// - Parameters:
    ///   - devices: the names of the devices in the account.
    ///   - beginning: lines that each story begins with.
    ///   - actions: lines.
    ///   - length: how many actions a story has at most.
    ///   - invariants: what must be true.
    /// - Throws: ``StorySyntaxError`` for an action that is no line.
    /// - Returns: the shortest story with a breach; nil if all keep all.
    public static func exploreAll(
        devices: [String],
        beginning: [String] = [],
        actions: [String],
        length: Int,
        invariants: [StoryInvariant] = [.agreement]
    ) throws -> StoryFinding? {
        try exploreAll(
            devices: devices,
            beginning: beginning,
            actions: actions,
            length: length,
            invariants: invariants,
            bug: nil
        ).finding
    }

    /// The same with a deliberate bug, and how many stories there were.
    package static func exploreAll(
        devices: [String],
        beginning: [String],
        actions: [String],
        length: Int,
        invariants: [StoryInvariant],
        bug: PlantedBug?
    ) throws -> (finding: StoryFinding?, count: Int) {
        let trial = StoryTrial(seed: 1, invariants: invariants, bug: bug)
        let start = [StoryTrial.line(of: devices)] + beginning
        let letters = actions.flatMap { ActionChooser.letters(of: $0, devices) }
        let words = beginning.flatMap { $0.split(separator: " ").map(String.init) }
        let named = devices.filter(words.contains)
        var count = 0
        var shorter: [(lines: [String], named: [String])] = [([], named)]
        for place in 1...max(1, length) {
            var these: [(lines: [String], named: [String])] = []
            for (lines, named) in shorter {
                for letter in letters {
                    let unnamed = devices.first { !named.contains($0) }
                    let known = named + [unnamed].compactMap(\.self)
                    guard letter.devices.allSatisfy(known.contains) else { continue }
                    let all = lines + [letter.line(at: place)]
                    let outcome = try trial.run(beginning: start, all)
                    guard outcome.isWhole else { continue }
                    count += 1
                    if outcome.breach != nil {
                        return (
                            try trial.finding(devices: devices, beginning: beginning, all), count
                        )
                    }
                    these.append((all, named + letter.devices.filter { !named.contains($0) }))
                }
            }
            shorter = these
        }
        return (nil, count)
    }
}
