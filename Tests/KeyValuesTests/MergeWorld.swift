import KSCausality
import KSKeyValues
import KSRecords
import KSResolution
import KSTestSupport

/// A few devices and a server that share one key, without network, seal or disk.
///
/// It keeps a log of what the users did and of what each had seen then. The oracles judge by this
/// log alone.
struct MergeWorld {
    /// What a user did, and what that user's device had seen.
    struct Operation {
        let write: EntryWrite
        let past: Set<Int>
    }

    private struct Version {
        let state: ItemState
        let seen: Set<Int>
    }

    private struct Batch {
        let dot: Dot
        let replaced: [Dot]
        let version: Version
        var isAccepted = false
    }

    private struct Device {
        var actor: ActorID
        var counter: UInt64 = 0
        var own = HybridTime.zero
        var record = LocalRecord()
        var dots: [Dot] = []
        var mirrorSeen: Set<Int> = []
        var batch: Batch?
        var batchSeen: Set<Int> = []
        var editSeen: Set<Int> = []
        /// Its own operations in the unsent edit, and in the batch.
        var unsent: Set<Int> = []
        var sent: Set<Int> = []

        var seen: Set<Int> { mirrorSeen.union(batchSeen).union(editSeen) }
    }

    static let name = EntryName(store: .app, key: "key")

    var random: SeededGenerator
    private(set) var log: [Operation] = []
    /// Increments that the same user's reset undid before any other device could see them.
    private(set) var undone: Set<Int> = []
    private var devices: [Device] = []
    private var server = Siblings<Version>()
    private var actors: UInt64 = 0
    /// Set to make the world forget what a refused batch had added: a fault that tests plant.
    var forgetsRefusedEdits = false

    init(seed: UInt64, type: MergeType) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 2...4, using: &random) {
            actors += 1
            devices.append(Device(actor: ActorID(rawValue: actors)))
        }
        // One device makes the key, so that all mean the same.
        write(.declare(type), on: 0)
        quiesce()
    }

    var deviceCount: Int { devices.count }

    /// What a device shows; nil while there is no such key.
    func reading(_ device: Int) -> EntryReading? { EntryReading(devices[device].record.view) }

    func value(_ device: Int) -> PropertyValue? { reading(device)?.value }

    func seen(_ device: Int) -> Set<Int> { devices[device].seen }

    func chance(_ percent: Int, _ random: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    // MARK: What users do

    /// Does something on a device; a write that is refused changes nothing and is not in the log.
    @discardableResult
    mutating func write(_ write: EntryWrite, on device: Int) -> Bool {
        var random = random
        let view = devices[device].record.view
        let source = RandomBytes(generator: SeededGenerator(seed: random.next()))
        self.random = random
        // A refused write is not in the log.
        guard let edit = try? write.edit(of: Self.name, over: view, random: source.bytes) else {
            return false
        }
        log.append(Operation(write: write, past: devices[device].seen))
        devices[device].editSeen.insert(log.count - 1)
        if case .reset = write { undo(devices[device].unsent) }
        devices[device].unsent.insert(log.count - 1)
        let clock = UInt64.random(in: 100...110, using: &self.random)
        devices[device].record.write(edit, atMilliseconds: clock)
        return true
    }

    private mutating func undo(_ operations: Set<Int>) {
        for index in operations {
            if case .increment = log[index].write { undone.insert(index) }
        }
    }

    // MARK: What devices do

    mutating func seal(_ index: Int) {
        var device = devices[index]
        guard device.batch == nil else { return }
        let actor = device.actor
        var own = device.own
        let sealed = device.record.seal { seen, clock in
            own = HybridTime.next(
                clockMilliseconds: clock,
                serverMilliseconds: nil,
                seen: seen,
                own: own,
                random: 0
            )
            return Stamp(time: own, actor: actor)
        }
        device.own = own
        device.batchSeen = device.mirrorSeen.union(device.editSeen)
        device.editSeen = []
        (device.sent, device.unsent) = (device.unsent, [])
        if let sealed {
            device.counter += 1
            let version = Version(state: sealed.state, seen: device.batchSeen)
            let dot = Dot(actor: actor, counter: device.counter)
            device.batch = Batch(dot: dot, replaced: device.dots, version: version)
        }
        devices[index] = device
    }

    /// Sends the batch: it is accepted, its answer is lost, or it is refused because a copy of the
    /// device used its actor.
    mutating func push(_ index: Int, isCalm: Bool = false) {
        guard var batch = devices[index].batch else { return }
        if !isCalm, !batch.isAccepted, chance(20, &random) { return refuse(index) }
        if !batch.isAccepted {
            server.write(batch.version, dot: batch.dot, replacing: batch.replaced)
            batch.isAccepted = true
            devices[index].batch = batch
        }
        if !isCalm, chance(25, &random) { return }
        devices[index].batch = nil
        devices[index].record.acknowledge()
        devices[index].batchSeen = []
        pull(index)
    }

    private mutating func refuse(_ index: Int) {
        actors += 1
        devices[index].actor = ActorID(rawValue: actors)
        devices[index].counter = 0
        devices[index].batch = nil
        let hasReset = devices[index].unsent.contains {
            if case .reset = log[$0].write { true } else { false }
        }
        if hasReset { undo(devices[index].sent) }
        devices[index].unsent.formUnion(devices[index].sent)
        _ = devices[index].record.takeApart()
        if forgetsRefusedEdits { devices[index].record.edit = nil }
        devices[index].editSeen.formUnion(devices[index].batchSeen)
        devices[index].batchSeen = []
    }

    mutating func pull(_ index: Int) {
        guard !server.isEmpty else { return }
        var device = devices[index]
        device.dots = server.dots
        device.mirrorSeen = server.entries.reduce(into: []) { $0.formUnion($1.value.seen) }
        // A page repeats siblings and comes in any order.
        var states = server.entries.map(\.value.state)
        states.append(states[0])
        device.record.mirror = ItemState.join(states.shuffled(using: &random))
        devices[index] = device
    }

    mutating func run(steps: Int, _ act: (inout MergeWorld, Int) -> Void) {
        for _ in 0..<steps {
            let device = Int.random(in: devices.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4: act(&self, device)
            case 4: seal(device)
            case 5, 6: push(device)
            default: pull(device)
            }
        }
        quiesce()
    }

    /// Syncs until all devices have everything.
    mutating func quiesce() {
        for _ in 0..<2 {
            for device in devices.indices {
                push(device, isCalm: true)
                seal(device)
                push(device, isCalm: true)
            }
        }
        for device in devices.indices { pull(device) }
    }
}

/// Random bytes for ids and positions.
private final class RandomBytes {
    private var generator: SeededGenerator

    init(generator: SeededGenerator) {
        self.generator = generator
    }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
