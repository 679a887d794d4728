/// Why a database that several servers share has not done what it was asked for.
package enum DatabaseTrouble: Hashable, Sendable {
    /// No connection can be made.
    case away
    /// It has ended the connection: it stops, starts again, or another machine takes over.
    case failingOver
    /// It has too many connections, a lock was held for too long, or a statement took too long.
    case busy
    /// Its disk is full.
    case full
    /// It is a copy that accepts no writes.
    case readOnly
    /// Anything else, by PostgreSQL's SQLSTATE.
    case failed(state: String)

    /// Whether the same request may well succeed in a moment.
    package var isTemporary: Bool {
        switch self {
        case .away, .failingOver, .busy, .readOnly: true
        case .full, .failed: false
        }
    }

    /// The word for logs and metrics.
    package var code: String {
        switch self {
        case .away: "database_away"
        case .failingOver: "database_failing_over"
        case .busy: "database_busy"
        case .full: "database_full"
        case .readOnly: "database_read_only"
        case .failed(let state): "database_failed_" + state
        }
    }
}
