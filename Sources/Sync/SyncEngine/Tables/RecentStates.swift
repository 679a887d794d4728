package import KSRecords
package import KSResolution
internal import KSSealing
internal import Synchronization

/// The states of the last mirrors, so that the next steps of a change need not open them again.
///
/// Only of kinds that are readable while the device is locked: their stores have them in memory
/// anyway.
package final class RecentStates: Sendable {
    private struct Entry {
        let record: RecordID
        let sealed: SealedRows.Sealed
        let state: ItemState
    }

    package static let countMax = 8
    package static let boxBytesMax = 16 << 10

    private let entries = Mutex<[Entry]>([])

    package init() {}

    /// The state of a row that was opened or sealed before with these very bytes.
    package func state(
        of record: RecordID,
        kind: RecordKind,
        _ sealed: SealedRows.Sealed
    ) -> ItemState? {
        guard kind.isReadableWhileLocked else { return nil }
        return entries.withLock { entries in
            entries.first { $0.record == record && $0.sealed == sealed }?.state
        }
    }

    package func note(
        _ state: ItemState,
        of record: RecordID,
        kind: RecordKind,
        _ sealed: SealedRows.Sealed
    ) {
        guard kind.isReadableWhileLocked, sealed.box.count <= Self.boxBytesMax else { return }
        entries.withLock { entries in
            entries.removeAll { $0.record == record }
            if entries.count == Self.countMax { entries.removeFirst() }
            entries.append(Entry(record: record, sealed: sealed, state: state))
        }
    }
}
