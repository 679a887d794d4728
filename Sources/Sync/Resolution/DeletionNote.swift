internal import KSCausality
internal import KSRecords
internal import KSRedaction

/// Who deleted an item, and when.
///
/// A deletion makes no stamp, so a record keeps this beside the stamps that the deletion covers. It
/// decides nothing: it is for people only.
package struct DeletionNote: Hashable, Comparable, Sendable {
    /// A longer name comes from another program, and is refused.
    static let deviceBytesMax = 1024

    /// As for the times of values: a later time was forged.
    static let millisecondsMax = HybridTime.clockMillisecondsMax

    /// By the clock of the device, milliseconds since 1970-01-01 00:00 UTC.
    package let milliseconds: UInt64
    /// The name of the device.
    package let device: String
    /// Whether the item only moved to another record, because its user changed its key.
    package let isMove: Bool

    package init(milliseconds: UInt64, device: String, isMove: Bool = false) {
        (self.milliseconds, self.device, self.isMove) = (milliseconds, device, isMove)
    }

    /// The same deletion, shown rather than the earlier one that its device knew.
    ///
    /// That may be of a clock that was ahead.
    func after(_ earlier: DeletionNote?) -> DeletionNote {
        guard let earlier, earlier.milliseconds >= milliseconds else { return self }
        return DeletionNote(
            milliseconds: min(earlier.milliseconds + 1, Self.millisecondsMax),
            device: device,
            isMove: isMove
        )
    }

    /// By time; equal times by content, so that all devices agree.
    package static func < (left: DeletionNote, right: DeletionNote) -> Bool {
        if left.milliseconds != right.milliseconds { return left.milliseconds < right.milliseconds }
        let (mine, theirs) = (Array(left.device.utf8), Array(right.device.utf8))
        if mine != theirs { return mine.lexicographicallyPrecedes(theirs) }
        return !left.isMove && right.isMove
    }

    /// Names are equal if their bytes are.
    package static func == (left: DeletionNote, right: DeletionNote) -> Bool {
        left.milliseconds == right.milliseconds && left.isMove == right.isMove
            && left.device.utf8.elementsEqual(right.device.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(milliseconds)
        hasher.combine(isMove)
        hasher.combine(Array(device.utf8))
    }
}

extension DeletionNote? {
    /// The later one of both.
    static func later(_ left: DeletionNote?, _ right: DeletionNote?) -> DeletionNote? {
        guard let left else { return right }
        return right.map { max(left, $0) } ?? left
    }
}

extension DeletionNote: Redacted {
    package var shownPart: String { isMove ? "moved" : "deleted" }
}

extension CanonicalEncoder {
    mutating func deletionNote(_ note: DeletionNote) {
        integer(note.milliseconds)
        compactBytes(Array(note.device.utf8))
        boolean(compact: note.isMove)
    }
}

extension CanonicalDecoder {
    mutating func deletionNote() throws(RecordsError) -> DeletionNote {
        let milliseconds = try integer()
        guard milliseconds <= DeletionNote.millisecondsMax else { throw .malformed }
        let name = try compactBytes()
        guard name.count <= DeletionNote.deviceBytesMax,
            let device = String(validating: name, as: UTF8.self)
        else { throw .malformed }
        return DeletionNote(
            milliseconds: milliseconds,
            device: device,
            isMove: try compactBoolean()
        )
    }
}
