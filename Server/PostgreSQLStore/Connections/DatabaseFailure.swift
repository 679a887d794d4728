internal import KSMerging

/// Why PostgreSQL has not done what it was asked for.
package enum DatabaseFailure: Error, Hashable, Sendable {
    /// No connection can be made.
    case unreachable
    /// The connection has ended in the middle of a call; a commit may have happened or not.
    case lost
    /// All connections are in use.
    case noneFree
    /// PostgreSQL has refused a statement, for the reason of this SQLSTATE.
    case refused(state: String)
    /// The store was closed.
    case closed
    /// The address of the database cannot be read.
    case badAddress

    /// Whether the same call may well succeed in a moment.
    var isTemporary: Bool {
        switch self {
        case .unreachable, .lost: true
        case .noneFree, .closed, .badAddress: false
        case .refused(let state):
            // A serialization failure, a deadlock, a server that stops, starts or is only a copy
            // now, and too many connections.
            [
                "40001", "40P01", "57P01", "57P02", "57P03", "57P05", "25P03", "25006", "53300",
            ].contains(state) || state.hasPrefix("08")
        }
    }

    /// Whether other connections may have the same trouble, and new ones may not.
    var endsConnections: Bool {
        switch self {
        case .lost, .unreachable: true
        case .noneFree, .closed, .badAddress: false
        case .refused(let state):
            ["57P01", "57P02", "57P03", "57P05", "25P03", "25006"].contains(state)
                || state.hasPrefix("08")
        }
    }

    var storeError: StoreError {
        switch self {
        case .unreachable, .closed: .database(.away)
        case .lost: .database(.failingOver)
        case .noneFree: .database(.busy)
        case .badAddress: .database(.failed(state: "08001"))
        case .refused(let state):
            switch state {
            case "XX001", "XX002": .damaged
            case "53100": .database(.full)
            case "25006": .database(.readOnly)
            case "57P01", "57P02", "57P03", "57P05", "25P03": .database(.failingOver)
            // Too much memory, connections, locks or time.
            case "53200", "53300", "53400", "55P03", "57014", "40001", "40P01": .database(.busy)
            default:
                state.hasPrefix("08") ? .database(.failingOver) : .database(.failed(state: state))
            }
        }
    }
}
