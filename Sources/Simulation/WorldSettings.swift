/// What a simulated world is like.
public struct WorldSettings: Equatable, Sendable {
    /// A bug put in on purpose, to see that the simulator would find it.
    public enum PlantedBug: String, CaseIterable, Sendable {
        /// The server leaves out one of several concurrent writes.
        case dropsSibling
        /// The server begins a page one write too late.
        case cursorOffByOne
        /// A device that starts again counts from one less than it had.
        case reusesCounter
    }

    /// How many devices; by default two to four, by the seed.
    public var deviceCount: Int?
    /// How many things the users do.
    public var steps: Int
    /// How many different items there can be: few, so that devices meet.
    public var itemCount: Int
    /// How often a message is lost, sent twice or held back, from 0 to 1.
    public var lossProbability: Double
    public var duplicateProbability: Double
    public var lateProbability: Double
    public var bug: PlantedBug?

    /// The ordinary world: a bad network and busy users.
    public init() {
        deviceCount = nil
        steps = 40
        itemCount = 3
        lossProbability = 0.12
        duplicateProbability = 0.12
        lateProbability = 0.1
        bug = nil
    }
}
