/// A writer's identity: eight random bytes.
///
/// A device has one at a time and takes a new one after a fork or a restore. An actor is one serial
/// writer; once given up it is never used again, or one dot could name two writes.
package struct ActorID: Hashable, Comparable, Sendable {
    /// The eight bytes, read as a big-endian integer.
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (left: ActorID, right: ActorID) -> Bool {
        left.rawValue < right.rawValue
    }
}
