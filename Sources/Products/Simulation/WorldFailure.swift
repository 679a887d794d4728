/// A broken promise.
public enum WorldFailure: Error, Equatable, Sendable {
    /// Two devices differ after all is synced.
    case differs(device: Int)
    /// A secret is missing although nobody who had seen it overwrote or deleted it.
    case secretLost(write: Int)
    /// An item is back although all its values were deleted by users who had seen them.
    case cameBack(item: Int)
    /// An item is missing although one of its values was never deleted by a user who had seen it.
    case itemGone(item: Int)
    /// An item lives but has no secret.
    case withoutSecret(item: Int)
    /// A secret is current although somebody overwrote it after seeing it.
    case stale(write: Int)
    /// A secret that was replaced and not deleted is missing in the history of its item.
    case historyLost(write: Int)
    /// One of the values that devices set at the same time is not current any more although nobody
    /// who had seen it has set its field again.
    case concurrentValueLost(write: Int)
    /// A device shows an older value than its user had seen or written before.
    case wentBack(device: Int, write: Int)
    /// A batch has one half of a rename, and the other half was not sent.
    case renameSplit(device: Int)
    /// A device did not hear of a write although nothing was lost on the network.
    case notHeard(device: Int)
    /// A device says that the server went back, and it did not.
    case falseAlarm(device: Int)
    /// Most items of a device went at once although its user was not asked.
    case deletedUnasked(device: Int)
    /// The server's list of devices is not the newest one: a revoked device is in it.
    case circleLost
    /// A write to a key-value store has no effect although nobody who had seen it replaced or
    /// deleted it.
    case keyValueLost(write: Int)
    /// A write to a key-value store is shown although somebody who had seen it replaced or deleted
    /// it.
    case keyValueCameBack(write: Int)
    /// A list shows an element twice, or a counter counts an increment more often than devices had
    /// to send it.
    case keyValueRepeated(write: Int)
    /// A write under a type that is not shown is not reported as a conflict.
    case keyValueHidden(write: Int)
    /// A key-value entry shows another type than the last declared one, or reports a conflict
    /// where there is none.
    case typeUnexplained
    /// A deleted record was removed before an active device had applied the deletion, or before its
    /// time.
    case removedEarly
    /// Two payloads went out under one dot.
    case dotReused
    /// The devices do not stop syncing.
    case notQuiet
    /// A device paused sync and asks its user.
    case held(device: Int)
    /// A device's stamps are far ahead of the server's date.
    case stampAhead(device: Int)
    /// A sibling that an honest device made could not be opened.
    case quarantined(device: Int)
}
