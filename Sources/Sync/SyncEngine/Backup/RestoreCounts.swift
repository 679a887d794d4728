/// The result of a restore.
package struct RestoreCounts: Codable, Equatable, Sendable {
    /// What was not here.
    package var added = 0
    /// What was here and learned something: another value, or an earlier secret.
    package var joined = 0
    /// Items of this device alone that were here in an older version, which is gone.
    package var replaced = 0
    package var unchanged = 0
    package var leftOut = LeftOut()

    package init() {}

    package static func + (left: RestoreCounts, right: RestoreCounts) -> RestoreCounts {
        var sum = left
        sum.added += right.added
        sum.joined += right.joined
        sum.replaced += right.replaced
        sum.unchanged += right.unchanged
        sum.leftOut.deleted += right.leftOut.deleted
        sum.leftOut.newerHere += right.leftOut.newerHere
        sum.leftOut.tooLarge += right.leftOut.tooLarge
        sum.leftOut.damagedHere += right.leftOut.damagedHere
        sum.leftOut.refused += right.leftOut.refused
        return sum
    }

    /// Adds the result of a second restore, which brought back what had been deleted.
    package mutating func addUndeleted(_ second: RestoreCounts) {
        added += second.added
        joined += second.joined
        leftOut = second.leftOut
    }

    /// What a restore left out, by reason.
    package struct LeftOut: Codable, Equatable, Sendable {
        /// The account has deleted it since the backup.
        package var deleted = 0
        /// An item of this device alone is here in a newer version.
        package var newerHere = 0
        /// With what is here it would exceed the size of a record.
        package var tooLarge = 0
        /// Its row on this device is damaged.
        package var damagedHere = 0
        /// The keychain cannot hold it, such as beside an item that never leaves this device.
        package var refused = 0

        package init() {}

        package var sum: Int { deleted + newerHere + tooLarge + damagedHere + refused }
    }
}
