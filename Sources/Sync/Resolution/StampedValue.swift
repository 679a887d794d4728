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

/// A secret that a later write has superseded.
package struct PastSecret: Hashable, Sendable {
    package let stamp: Stamp
    package let byteCount: UInt64
    /// Nil if newer secrets fill the limit; the entry stays, so that the order of joins does not
    /// matter.
    package let value: [UInt8]?

    package init(stamp: Stamp, value: [UInt8]) {
        self.init(stamp: stamp, byteCount: UInt64(value.count), value: value)
    }

    init(stamp: Stamp, byteCount: UInt64, value: [UInt8]?) {
        self.stamp = stamp
        self.byteCount = byteCount
        self.value = value
    }

    /// Which of two entries with one stamp stays.
    fileprivate func yields(to other: PastSecret) -> Bool {
        if byteCount != other.byteCount { return byteCount < other.byteCount }
        guard let mine = value else { return other.value != nil }
        guard let theirs = other.value else { return false }
        return mine.lexicographicallyPrecedes(theirs)
    }
}

/// The superseded secrets of an item, newest first.
enum History {
    /// The entries with the highest stamps, and of these the values that fit.
    ///
    /// The result depends on the set alone, so the order of joins does not matter: an entry within
    /// the limits of a union is within the limits of each part.
    static func bounded(
        _ entries: [PastSecret],
        countMax: Int = RecordState.historyCountMax
    ) -> [PastSecret] {
        var highest: [PastSecret] = []
        for entry in entries.sorted(by: { $0.stamp > $1.stamp }) {
            if let last = highest.last, last.stamp == entry.stamp {
                if last.yields(to: entry) { highest[highest.count - 1] = entry }
            } else if highest.count < countMax {
                highest.append(entry)
            } else {
                break
            }
        }
        var room = UInt64(RecordState.historyBytesMax)
        return highest.map { entry in
            guard entry.byteCount <= room else {
                room = 0
                return PastSecret(stamp: entry.stamp, byteCount: entry.byteCount, value: nil)
            }
            room -= entry.byteCount
            return entry
        }
    }
}

extension StampedValue: Redacted {
    package var shownPart: String { "\(stamp), \(value.map { "\($0.count) bytes" } ?? "removed")" }
}

extension PastSecret: Redacted {
    package var shownPart: String { "\(stamp), \(byteCount) bytes" }
}
