package import KSCausality
internal import KSRedaction

/// A value with the stamp of the write that set it.
package struct StampedValue: Hashable, Comparable, Sendable {
    package let stamp: Stamp
    /// Nil when the write removed the attribute.
    package let value: [UInt8]?

    package init(stamp: Stamp, value: [UInt8]?) {
        self.stamp = stamp
        self.value = value
    }

    /// By stamp; values with equal stamps by content, so that all devices agree.
    package static func < (left: StampedValue, right: StampedValue) -> Bool {
        if left.stamp != right.stamp { return left.stamp < right.stamp }
        switch (left.value, right.value) {
        case (nil, let other): return other != nil
        case (_, nil): return false
        case (let mine?, let other?): return mine.lexicographicallyPrecedes(other)
        }
    }
}

/// A value that a later write has superseded: an earlier secret, title, note or extra of an item.
package struct PastValue: Hashable, Sendable {
    package let name: ValueName
    package let stamp: Stamp
    package let byteCount: UInt64
    /// Nil if newer values fill the limit, or if it is forgotten; the entry stays, so that joins do
    /// not depend on their order.
    package let value: [UInt8]?
    /// Whether the user had the value forgotten; every join keeps that.
    package let isForgotten: Bool

    package init(name: ValueName, stamp: Stamp, value: [UInt8]) {
        self.init(name: name, stamp: stamp, byteCount: UInt64(value.count), value: value)
    }

    init(
        name: ValueName,
        stamp: Stamp,
        byteCount: UInt64,
        value: [UInt8]?,
        isForgotten: Bool = false
    ) {
        self.name = name
        self.stamp = stamp
        self.byteCount = byteCount
        self.value = isForgotten ? nil : value
        self.isForgotten = isForgotten
    }

    /// The same entry without its value.
    ///
    /// It counts against the limits as before: else it would depend on the order of joins which
    /// older entries are kept.
    var forgotten: PastValue {
        PastValue(name: name, stamp: stamp, byteCount: byteCount, value: nil, isForgotten: true)
    }

    fileprivate func isAt(_ other: PastValue) -> Bool { stamp == other.stamp && name == other.name }

    /// The newest first.
    fileprivate func precedes(_ other: PastValue) -> Bool {
        stamp == other.stamp ? name < other.name : stamp > other.stamp
    }

    /// The entry that stays of two with one name and stamp.
    fileprivate func joined(with other: PastValue) -> PastValue {
        let larger = yields(to: other) ? other : self
        return isForgotten || other.isForgotten ? larger.forgotten : larger
    }

    private func yields(to other: PastValue) -> Bool {
        if byteCount != other.byteCount { return byteCount < other.byteCount }
        guard let mine = value else { return other.value != nil }
        guard let theirs = other.value else { return false }
        return mine.lexicographicallyPrecedes(theirs)
    }
}

/// The superseded values of an item, newest first.
enum History {
    /// How much of the history is kept.
    struct Room {
        var count: Int
        var bytes: Int

        /// What is left for an entry of this size; an entry that does not fit ends it for all
        /// older ones.
        mutating func take(_ byteCount: UInt64) -> Bool {
            guard count > 0, byteCount <= bytes else {
                bytes = 0
                count -= 1
                return false
            }
            count -= 1
            bytes -= Int(byteCount)
            return true
        }
    }

    /// The rooms of a history: secrets and attachments have rooms of their own, so that no other
    /// value drives one out.
    struct Rooms {
        private var secrets: Room
        private var others: Room
        private var attachments: Room
        /// The actors whose name is kept.
        private var writers: Set<ActorID> = []

        init(
            countMax: Int = RecordState.historyCountMax,
            attachmentBytesMax: Int = RecordState.historyAttachmentBytesMax
        ) {
            secrets = Room(count: countMax, bytes: RecordState.historyBytesMax)
            others = secrets
            attachments = Room(count: countMax, bytes: attachmentBytesMax)
        }

        /// Makes room for the next older entry.
        ///
        /// - Returns: whether its value fits; nil if the entry is dropped as a whole.
        mutating func take(
            _ name: ValueName,
            _ byteCount: UInt64,
            of actor: ActorID? = nil
        ) -> Bool? {
            if name == .writer {
                // The newest name of each actor is enough.
                guard byteCount <= DeletionNote.deviceBytesMax else { return nil }
                guard let actor else { return true }
                guard writers.count < RecordState.writersMax else { return nil }
                return writers.insert(actor).inserted ? true : nil
            }
            if name == .secret { return secrets.count > 0 ? secrets.take(byteCount) : nil }
            guard byteCount > RecordState.historyTextBytesMax else {
                return others.count > 0 ? others.take(byteCount) : nil
            }
            return attachments.count > 0 ? attachments.take(byteCount) : nil
        }
    }

    /// The entries with the highest stamps, and of these the values that fit.
    ///
    /// The result depends on the set alone, so the order of joins does not matter: an entry within
    /// the limits of a union is within the limits of each part.
    static func bounded(
        _ entries: [PastValue],
        countMax: Int = RecordState.historyCountMax
    ) -> [PastValue] {
        guard !entries.isEmpty else { return [] }
        var rooms = Rooms(countMax: countMax)
        var kept: [PastValue] = []
        for entry in largest(entries) {
            guard let fits = rooms.take(entry.name, entry.byteCount, of: entry.stamp.actor) else {
                continue
            }
            let value = fits ? entry.value : nil
            kept.append(
                PastValue(
                    name: entry.name,
                    stamp: entry.stamp,
                    byteCount: entry.byteCount,
                    value: value,
                    isForgotten: entry.isForgotten
                )
            )
        }
        return kept
    }

    /// In order, each name and stamp once.
    private static func largest(_ entries: [PastValue]) -> [PastValue] {
        var result: [PastValue] = []
        for entry in entries.sorted(by: { $0.precedes($1) }) {
            if let last = result.last, last.isAt(entry) {
                result[result.count - 1] = last.joined(with: entry)
            } else {
                result.append(entry)
            }
        }
        return result
    }
}

extension StampedValue: Redacted {
    package var shownPart: String { "\(stamp), \(value.map { "\($0.count) bytes" } ?? "removed")" }
}

extension PastValue: Redacted {
    package var shownPart: String { "\(stamp), \(byteCount) bytes" }
}
