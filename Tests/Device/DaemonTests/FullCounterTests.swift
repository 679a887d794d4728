import GRDB
import KSCausality
import KSDigests
import KSKeychain
import KSKeyValueRecords
import KSKeyValues
import KSResolution
import KSSealing
import KSTestSupport
import Synchronization
import Testing

import KSDaemon

/// A counter that as many actors have changed as may.
struct FullCounterTests {
    /// Keeps one record, whose actors it makes up.
    private final class Recorder: EntryRecorder {
        let deviceName = "device"
        private let own: ActorID
        private let record: Mutex<LocalRecord>

        var state: RecordState { record.withLock(\.view) }

        init(_ record: LocalRecord, own: UInt64) {
            self.record = Mutex(record)
            self.own = ActorID(rawValue: own)
        }

        func mergeLimits(in database: Database) -> MergeLimits {
            var limits = MergeLimits()
            limits.ownActor = own
            return limits
        }

        func record(of name: EntryName, in database: Database) -> LocalRecord {
            record.withLock(\.self)
        }

        func records(in database: Database) -> (readable: [LocalRecord], areAll: Bool) {
            ([record.withLock(\.self)], true)
        }

        func save(_ changed: LocalRecord, of name: EntryName, in database: Database) {
            record.withLock { $0 = changed }
        }

        func sendTogether(_ names: [EntryName], in database: Database) {}
    }

    /// A record whose counter the actors 1 to 1,024 have changed.
    private func fullRecord(of name: EntryName) throws -> LocalRecord {
        var record = LocalRecord()
        for actor in 1...1024 as ClosedRange<UInt64> {
            try EntryWrite.increment(by: 1).apply(
                to: &record,
                of: name,
                random: { [UInt8](repeating: 0, count: $0) },
                atMilliseconds: 1000
            )
            let sealed = record.seal { seen, _ in
                let time = HybridTime(rawValue: max(seen.rawValue, 1000 << 16) + 1)
                return Stamp(time: time, actor: ActorID(rawValue: actor))
            }
            record = LocalRecord(mirror: sealed?.state)
        }
        return record
    }

    @Test(arguments: [1024, 1025] as [UInt64])
    func `a device that has counted before may go on, and no other one`(actor: UInt64) throws {
        let (stores, _) = try KeyValueStores.inMemory(milliseconds: 2000)
        let app = try #require(StoreIdentifier("app"))
        let name = EntryName(store: app, key: "n")
        let recorder = Recorder(try fullRecord(of: name), own: actor)
        stores.recorder = recorder
        let writes = [KeyWrite(key: "n", .write(.increment(by: 10)))]
        let refused = try stores.write(writes, to: app)
        if actor == 1024 {
            #expect(refused.isEmpty && Counter(recorder.state).value == 1034)
        } else {
            #expect(refused == [0: .limitExceeded(.counterActors, wanted: 1025, max: 1024)])
            #expect(Counter(recorder.state).value == 1024)
        }
    }
}
