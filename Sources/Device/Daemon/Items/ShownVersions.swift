internal import KSDigests
package import KSKeychainRecords
internal import KSRecords
internal import KSResolution

/// Which values the numbers of versions stand for.
///
/// A person reads a number in a history and types it afterwards. Meanwhile a sync may bring further
/// values, and an edit may drop old ones. A number therefore means what it meant when the history
/// was shown last, on this device.
package struct ShownVersions {
    /// A value, identified by a digest: no secret stays in memory for this.
    private struct Mark: Hashable {
        let digest: [UInt8]
    }

    /// How many items are remembered, the latest.
    private static let itemsMax = 256

    private let key: [UInt8]
    private var marks: [RecordID: [Mark]] = [:]
    /// The items that were shown, the latest last.
    private var order: [RecordID] = []

    /// `key`: random bytes, so that the digests say nothing outside of this process.
    package init(key: [UInt8]) { self.key = key }

    package mutating func note(_ history: RecordHistory) {
        order.removeAll { $0 == history.id }
        order.append(history.id)
        marks[history.id] = history.earlierValues.map(mark)
        if order.count > Self.itemsMax { marks[order.removeFirst()] = nil }
    }

    package mutating func forget() { (marks, order) = ([:], []) }

    /// The value that a number stands for.
    ///
    /// - Throws: ``ShownVersionError``.
    package func value(
        of number: Int64,
        in history: RecordHistory
    ) throws(ShownVersionError) -> EarlierValue {
        guard let shown = marks[history.id] else { throw .notShown }
        guard !shown.isEmpty else { throw .noVersions }
        guard number > 0, number <= shown.count else { throw .noSuchNumber(upTo: shown.count) }
        let wanted = shown[Int(number) - 1]
        guard let value = history.earlierValues.first(where: { mark($0) == wanted }) else {
            throw .isGone
        }
        return value
    }

    private func mark(_ value: EarlierValue) -> Mark {
        var encoder = CanonicalEncoder()
        encoder.bytes(key)
        encoder.integer(value.name.kind)
        encoder.bytes(value.name.nameBytes)
        encoder.bytes(value.value)
        return Mark(digest: Array(SHA256.hash(encoder.encoded)))
    }
}

/// Why a number stands for no value.
package enum ShownVersionError: Error, Equatable {
    /// No command has shown the history since the daemon started, or the device was locked since.
    case notShown
    case noVersions
    case noSuchNumber(upTo: Int)
    /// The value is current now, or newer ones have taken its room.
    case isGone
}
