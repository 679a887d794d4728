internal import KSDigests

/// The passwords of one length that meet some demands, counted exactly and numbered.
///
/// A password is drawn by its number, so each is exactly as likely as any other, and the logarithm
/// of their number is the entropy.
struct PasswordSpace: Sendable {
    /// At least `count` characters of the password are in the set.
    struct Demand: Equatable, Sendable {
        let set: Set<UInt8>
        var count: Int
    }

    private let steps: PasswordSteps
    /// For each number of characters to come, and for each state, the number of ways to continue.
    private let ways: [[BigNatural]]

    /// The number of passwords.
    var count: BigNatural { ways[ways.count - 1][steps.start] }

    /// Counts the passwords, from their last character to the first; nil for too many states.
    ///
    /// No character stands more than `runMax` times in a row, where that is not nil.
    init?(alphabet: Set<UInt8>, demands: [Demand], runMax: Int? = nil, length: Int) {
        let limit = runMax.map { $0 < length ? $0 : 0 } ?? 0
        guard let steps = PasswordSteps(alphabet: alphabet, demands: demands, runMax: limit) else {
            return nil
        }
        var ways = [(0..<steps.stateCount).map { BigNatural(steps.isEnd($0) ? 1 : 0) }]
        for remaining in 0..<length {
            let row = (0..<steps.stateCount).map { state in
                steps.from(state).reduce(into: BigNatural(0)) { sum, step in
                    sum.add(ways[remaining][step.state], times: UInt32(step.characters.count))
                }
            }
            ways.append(row)
        }
        self.steps = steps
        self.ways = ways
    }

    /// The password with this number, from 0 up to but not including ``count``.
    func password(number: BigNatural) -> String {
        var rest = number
        var state = steps.start
        var password: [UInt8] = []
        for remaining in (0..<ways.count - 1).reversed() {
            (password, state) = next(password, state, remaining, &rest)
        }
        return String(decoding: password, as: UTF8.self)
    }

    /// Appends the character in whose share of the numbers `rest` is.
    private func next(
        _ password: [UInt8],
        _ state: Int,
        _ remaining: Int,
        _ rest: inout BigNatural
    ) -> ([UInt8], Int) {
        for step in steps.from(state, last: password.last) {
            let share = ways[remaining][step.state]
            for character in step.characters {
                if rest < share { return (password + [character], step.state) }
                rest.subtract(share)
            }
        }
        preconditionFailure("there are fewer passwords than this number")
    }

    func random(with source: some RandomSource) -> String {
        password(number: .random(below: count, with: source))
    }
}

/// The states of a password that is written from left to right, and the steps between them.
///
/// A state is a number. It says how much of each demand is left and, where runs are limited, of
/// which kind the last character is and how often it has just been repeated.
struct PasswordSteps: Sendable {
    /// More states than this are refused, which some ten demands have.
    private static let statesMax = 4096

    /// Some characters, each of which leads to the same state.
    struct Step {
        let characters: ArraySlice<UInt8>
        let state: Int
    }

    /// Characters that meet the same demands.
    private struct Kind: Sendable {
        let characters: [UInt8]
        let met: [Int]
    }

    private let kinds: [Kind]
    /// The weight of each demand's rest in the number of a state, and its number of values.
    private let places: [(weight: Int, values: Int)]
    private let runMax: Int
    let stateCount: Int
    let start: Int

    init?(alphabet: Set<UInt8>, demands: [PasswordSpace.Demand], runMax: Int) {
        let groups = Dictionary(grouping: alphabet.sorted()) { character in
            demands.indices.filter { demands[$0].set.contains(character) }
        }
        kinds = groups.sorted { $0.value[0] < $1.value[0] }
            .map { Kind(characters: $0.value, met: $0.key) }
        self.runMax = runMax
        var places: [(weight: Int, values: Int)] = []
        var count = max(1, kinds.count) * (runMax + 1)
        var start = 0
        for demand in demands {
            places.append((count, demand.count + 1))
            start += count * demand.count
            count *= demand.count + 1
            guard count <= Self.statesMax else { return nil }
        }
        self.places = places
        self.start = start
        stateCount = count
    }

    /// The values of a state that do not belong to demands: kind and run.
    private var runStates: Int { max(1, kinds.count) * (runMax + 1) }

    /// Whether a password may end in this state: no demand is left.
    func isEnd(_ state: Int) -> Bool { state < runStates }

    /// The possible next characters.
    ///
    /// `last` is the last character; nil, for counting, stands for any of its kind.
    func from(_ state: Int, last: UInt8? = nil) -> [Step] {
        let (kind, run) = (state % runStates / (runMax + 1), state % (runMax + 1))
        return kinds.indices.flatMap { index -> [Step] in
            let characters = kinds[index].characters
            let left = reduced(state - state % runStates, by: kinds[index])
            guard runMax > 0 else { return [Step(characters: characters[...], state: left)] }
            let fresh = left + index * (runMax + 1) + 1
            guard run > 0, index == kind else {
                return [Step(characters: characters[...], state: fresh)]
            }
            let repeated = last ?? characters[0]
            let others = Step(
                characters: characters.filter { $0 != repeated }[...],
                state: fresh
            )
            guard run < runMax else { return [others] }
            return [others, Step(characters: [repeated], state: fresh + run)]
        }
    }

    /// The demands that are left after a character of this kind.
    private func reduced(_ state: Int, by kind: Kind) -> Int {
        kind.met.reduce(state) { state, demand in
            let (weight, values) = places[demand]
            return state / weight % values > 0 ? state - weight : state
        }
    }
}
