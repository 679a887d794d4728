/// What a world showed that must never be.
public enum WorldFailure: Error, Equatable, Sendable {
    /// Two devices show different things after all is quiet.
    case differs(device: Int)
    /// A secret that nobody overwrote or deleted with knowledge is nowhere.
    case secretLost(write: Int)
    /// An item is back of which everything had been deleted with knowledge.
    case cameBack(item: Int)
    /// An item is gone although something in it was never deleted with knowledge.
    case itemGone(item: Int)
    /// An item lives but has no secret.
    case withoutSecret(item: Int)
    /// A secret is current although somebody overwrote it after seeing it.
    case stale(write: Int)
    /// Two payloads went out under one dot.
    case dotReused
    /// The devices do not come to rest.
    case notQuiet
    /// A device stopped syncing and asks its user.
    case held(device: Int)
    /// A device's stamps are far ahead of the server's date.
    case stampAhead(device: Int)
    /// A sibling that an honest device made could not be opened.
    case quarantined(device: Int)
}
