/// How concurrent changes of one key come together; declared per key, and sealed with it.
package enum MergeType: UInt8, CaseIterable, Sendable {
    /// The last write is shown; the others are kept as its history.
    case register = 1
    /// The highest number ever set.
    case maximum = 2
    /// The lowest number ever set.
    case minimum = 3
    /// Increments of all devices add up.
    case counter = 4
    /// Elements added on any device; an addition wins over a concurrent removal.
    case set = 5
    /// Each field by itself: the last write of it, or a counter.
    case map = 6
    /// Elements in an order that all devices share.
    case list = 7

    /// What commands and errors call it.
    package var name: String {
        switch self {
        case .register: "register"
        case .maximum: "max"
        case .minimum: "min"
        case .counter: "counter"
        case .set: "set"
        case .map: "map"
        case .list: "list"
        }
    }

    package init?(named name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// Whether the value is in one piece, under the name of a secret.
    var isWhole: Bool { self == .register || self == .maximum || self == .minimum }
}
