/// Chooses actions by their weights, and what their words in capitals stand for.
struct ActionChooser {
    private var random: SimulationGenerator
    private let actions: [(key: String, value: Double)]
    private var number = 0

    init(seed: UInt64, actions: [(key: String, value: Double)]) {
        random = SimulationGenerator(seed: seed ^ 0xE4_9104E)
        self.actions = actions.filter { $0.value > 0 }
    }

    /// A line; nil without actions.
    mutating func line(in story: Story) -> String? {
        guard let last = actions.last else { return nil }
        var left = Double.random(in: 0..<actions.reduce(0) { $0 + $1.value }, using: &random)
        var pattern = last.key
        for (action, weight) in actions {
            if left < weight {
                pattern = action
                break
            }
            left -= weight
        }
        number += 1
        let devices = story.deviceNames
        let device = devices.isEmpty ? "nobody" : random.one(of: devices)
        let others = devices.filter { $0 != device }
        let other = others.isEmpty ? device : random.one(of: others)
        return pattern.split(separator: " ").map { word in
            switch word {
            case "DEVICE": device
            case "OTHER": other
            default: filling(String(word))
            }
        }.joined(separator: " ")
    }

    private mutating func filling(_ word: String) -> String {
        guard let choices = Self.choices[word.replacing("...", with: "")] else {
            return Self.fresh(word, number) ?? word
        }
        return random.one(of: choices)
    }

    private static let choices: [String: [String]] = [
        "ITEM": ["mail", "bank"], "NEW": ["mail", "bank"], "KEY": ["a", "b"],
        "FIELD": ["password", "note", "user"], "NUMBER": ["1", "2", "5", "-3"],
        "PLACE": ["0", "1", "2"], "TARGET": ["0", "1"],
        "DURATION": ["1s", "1m", "1h", "1d", "31d"], "PERCENT": ["10", "30", "60"],
        "TYPE": StoryMergeType.allCases.map(\.rawValue),
    ]

    /// A text that was not there before.
    private static func fresh(_ word: String, _ number: Int) -> String? {
        switch word.replacing("...", with: "") {
        case "VALUE", "PASSWORD", "TEXT": "v\(number)"
        case "NAME": "d\(number)"
        default: nil
        }
    }

    // MARK: Every small case

    /// An action with its devices.
    struct Letter {
        let devices: [String]
        fileprivate let words: [String]

        /// The line, as the action of this number of a story.
        func line(at number: Int) -> String {
            words.map { ActionChooser.fresh($0, number) ?? $0 }.joined(separator: " ")
        }
    }

    /// An action for each device, or pair of devices.
    static func letters(of action: String, _ devices: [String]) -> [Letter] {
        let words = action.split(separator: " ").map(String.init)
        let first = words.contains("DEVICE") ? devices : [""]
        return first.flatMap { device in
            let others = words.contains("OTHER") ? devices.filter { $0 != device } : [""]
            return others.map { other in
                let filled = words.map { word in
                    switch word {
                    case "DEVICE": device
                    case "OTHER": other
                    default: choices[word.replacing("...", with: "")]?[0] ?? word
                    }
                }
                let named = devices.filter { filled.contains($0) }
                return Letter(devices: named, words: filled)
            }
        }
    }
}
