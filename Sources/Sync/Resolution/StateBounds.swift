internal import KSCausality
internal import KSRecords

/// How large a state may be.
///
/// A state that another device made is decoded only within these bounds: it was sealed by somebody
/// who has the account's keys, but that may be a thief, or a program with a fault.
package struct StateBounds: Sendable {
    /// The encoded state.
    package var bytesMax: Int
    /// The stamps of each context.
    package var stampsMax: Int
    /// The values of all names and of the history together.
    package var valuesMax: Int

    /// What a device takes from others, and sends.
    ///
    /// A context has a stamp for each actor that ever wrote the record: some thousand, if five
    /// devices begin again every month for ten years and more. The unsent deletion of a record
    /// names all of them, and has room for twice as many.
    ///
    /// The values of one edit have at most 256 KiB, so a state has as many only if several devices
    /// fill it at the same time.
    package static let living = StateBounds(
        bytesMax: RecordKind.largestTextBytes,
        stampsMax: 1 << 13,
        valuesMax: 1 << 16
    )

    /// The same of a deleted record, since each deletion adds a stamp: a record that has as many as
    /// there may be can be deleted.
    package static let received: StateBounds = {
        var bounds = living
        bounds.stampsMax += concurrentMax
        return bounds
    }()

    /// What a record may have for an edit here: others may edit it at the same time.
    package static let edited: StateBounds = {
        var bounds = living
        bounds.stampsMax -= concurrentMax
        return bounds
    }()

    /// How many devices may write one record at the same time: twice the siblings that it may have.
    private static let concurrentMax = 2 * Limits.siblingsMax

    /// For what this device made of states within the bounds, and sealed: their join may be larger.
    package static let none = StateBounds(bytesMax: .max, stampsMax: .max, valuesMax: .max)
}

extension RecordState {
    /// How many values it has, those of the history too.
    package var valueCount: Int { values.values.reduce(history.count) { $0 + $1.count } }

    /// How many stamps its contexts have.
    package var stampCount: Int { context.count + deleted.count }

    /// Whether other devices take it; its bytes are not looked at.
    package var isWithinBounds: Bool { isWithin(isAlive ? .living : .received) }

    /// Whether its stamps and values are within the bounds; its bytes are not looked at.
    package func isWithin(_ bounds: StateBounds) -> Bool {
        context.count <= bounds.stampsMax && deleted.count <= bounds.stampsMax
            && valueCount <= bounds.valuesMax
    }
}

extension PendingEdit {
    /// Whether a state may have as many stamps and values as the edit brings or names.
    package func isWithin(_ bounds: StateBounds) -> Bool {
        guard deleting?.count ?? 0 <= bounds.stampsMax,
            assignments.count + companions.count + counters.count <= bounds.valuesMax
        else { return false }
        return assignments.values.reduce(0) { $0 + $1.base.count } <= bounds.valuesMax
    }
}
