import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// Backups that are restored at any moment, before and after a login, count nothing twice.
///
/// All that a backup holds reaches the account from its own device too. So a world in which
/// somebody restores ends like the same world without any restore.
struct RestoreWorldTests {
    private struct Device {
        var author: UInt64
        var own = HybridTime.zero
        var record = LocalRecord()
        var hasAccount = false

        mutating func stamp(_ seen: HybridTime, _ clock: UInt64) -> Stamp {
            own = HybridTime.next(
                clockMilliseconds: clock,
                serverMilliseconds: nil,
                seen: seen,
                own: own,
                random: UInt16(truncatingIfNeeded: author)
            )
            return Stamp(time: own, actor: ActorID(rawValue: author))
        }
    }

    /// Two or three devices with one entry, and a server that accepts everything or answers
    /// nothing.
    private struct RestoreWorld {
        let type: MergeType
        let name = EntryName(store: StoreIdentifier.limitSettings, key: "k")
        var random: SeededGenerator
        var devices: [Device]
        var server: RecordState?
        var backups: [RecordState] = []
        var actors: UInt64 = 10
        var added = 0

        init(_ type: MergeType, seed: UInt64) {
            self.type = type
            random = SeededGenerator(seed: seed)
            devices = (0..<Int.random(in: 2...3, using: &random)).map {
                Device(author: UInt64($0 + 1))
            }
        }

        private mutating func newActor() -> UInt64 {
            actors += 1
            return actors
        }

        /// `restores`: whether a step that restores does so; the rest is the same.
        mutating func step(_ number: Int, restores: Bool) throws {
            let device = Int.random(in: devices.indices, using: &random)
            let choice = Int.random(in: 0..<20, using: &random)
            let draw = UInt64.random(in: 0 ... .max, using: &random)
            switch choice {
            case 0..<8: try write(on: device, number)
            case 8..<13: push(device, draw)
            case 13..<15: pull(device)
            case 15: devices[device].hasAccount = true
            case 16..<18: backUp(device)
            default:
                guard restores, !backups.isEmpty else { return }
                for _ in 0...(draw % 2) {
                    _ = devices[device].record.restore(
                        backups[Int(draw % UInt64(backups.count))],
                        atMilliseconds: clock(number)
                    )
                }
            }
        }

        private func clock(_ number: Int) -> UInt64 { 1_790_000_000_000 + UInt64(number) * 1000 }

        private mutating func write(on device: Int, _ number: Int) throws {
            added += 1
            let value = PropertyValue.integer(Int64(added))
            let write: EntryWrite =
                switch type {
                case .counter: .increment(by: Int64(added))
                case .set: .insert([value])
                case .list: .append([value])
                default:
                    added % 2 == 0
                        ? .incrementField("n", by: Int64(added))
                        : .setField("f\(added)", value)
                }
            var generator = SeededGenerator(seed: UInt64(number))
            try write.apply(to: &devices[device].record, of: name, using: &generator)
            if !devices[device].hasAccount { devices[device].record.edit?.noteWithoutAccount() }
        }

        /// Accepted; or accepted, and the answer is lost; or lost itself.
        mutating func push(_ device: Int, _ draw: UInt64) {
            guard devices[device].hasAccount else { return }
            if devices[device].record.onItsWay == nil {
                var copy = devices[device]
                _ = devices[device].record.seal { copy.stamp($0, $1) }
                devices[device].own = copy.own
            }
            guard let batch = devices[device].record.onItsWay, draw % 4 != 0 else { return }
            server = server.map { $0.joined(with: batch.state) } ?? batch.state
            guard draw % 4 != 1 else { return }
            devices[device].record.acknowledge()
            devices[device].record.mirror = server
        }

        mutating func pull(_ device: Int) {
            guard devices[device].hasAccount, let server else { return }
            devices[device].record.mirror = server
        }

        private mutating func backUp(_ device: Int) {
            let (author, actor) = (newActor(), newActor())
            if devices[device].record.onItsWay != nil {
                _ = devices[device].record.takeApart()
                devices[device].author = actor
            }
            var stamps = Device(author: author)
            let state = devices[device].record.stampUnsent { stamps.stamp($0, $1) }
            if let state { backups.append(state) }
        }

        mutating func quiesce() {
            for device in devices.indices { devices[device].hasAccount = true }
            for _ in 0..<3 {
                for device in devices.indices {
                    pull(device)
                    // The batch on its way, then the rest.
                    push(device, 2)
                    push(device, 2)
                }
            }
            for device in devices.indices { pull(device) }
        }

        /// What each device shows; the order of what several devices appended may differ.
        var shown: [[PropertyValue]] {
            devices.map { device in
                switch EntryReading(device.record.view)?.value {
                case .array(let elements)?:
                    elements.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }
                case let value: [value].compactMap(\.self)
                }
            }
        }
    }

    @Test(arguments: [MergeType.counter, .set, .list, .map], 0..<300 as Range<UInt64>)
    func `a world with restores ends like the same one without`(
        type: MergeType,
        seed: UInt64
    ) throws {
        var (world, plain) = (RestoreWorld(type, seed: seed), RestoreWorld(type, seed: seed))
        for number in 0..<60 {
            try world.step(number, restores: true)
            try plain.step(number, restores: false)
        }
        world.quiesce()
        plain.quiesce()
        #expect(Set(world.shown).count == 1, "seed \(seed)")
        #expect(world.shown == plain.shown, "seed \(seed)")
        if type == .counter, world.added > 0 {
            let sum = Int64(world.added * (world.added + 1) / 2)
            #expect(world.shown.first == [.integer(sum)], "seed \(seed)")
        }
        for device in world.devices {
            #expect(device.record.edit == nil && device.record.onItsWay == nil, "seed \(seed)")
        }
    }
}
