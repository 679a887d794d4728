import KSCausality
import KSRecords
import KSResolution
import KSTestSupport

/// A few devices and a server, reduced to payloads: no network, no seal.
///
/// It also tracks which writes each state has seen, and so detects losses.
struct World {
    struct Write {
        enum Kind { case secret, field, delete }
        let record: Int
        let kind: Kind
        /// The writes of the record that its author had seen.
        let past: Set<Int>
        let secret: String?
    }

    struct Sibling {
        let state: RecordState
        let seen: Set<Int>
    }

    struct Part {
        let record: Int
        let dot: Dot
        let replaced: [Dot]
        let sibling: Sibling
    }

    /// A record on a device, and which writes its parts have seen.
    struct Copy {
        var local = LocalRecord()
        var dots: [Dot] = []
        var mirrorSeen: Set<Int> = []
        var batchSeen: Set<Int> = []
        var editSeen: Set<Int> = []
        var mustRewrite = false

        var known: Set<Int> { mirrorSeen.union(batchSeen).union(editSeen) }
    }

    struct Device {
        var author: Author
        var counter: UInt64 = 0
        var copies: [Copy]
        var batch: [Part]?
        var made: Set<Int> = []
        /// The server's step up to which it has applied everything.
        var applied = 0
    }

    var random: SeededGenerator
    var server: [Siblings<Sibling>]
    private var changedAt: [Int]
    private var step = 0
    private var vector = VersionVector()
    var devices: [Device]
    var writes: [Write] = []
    /// Texts that a rename has copied, so the write that they name is not their own.
    var carried: Set<String> = []
    /// Texts that a user had forgotten.
    private var forgotten: Set<String> = []
    /// Texts that a rename has copied from one history to another.
    private var copiedPast: Set<String> = []
    /// Whether users forget earlier secrets too.
    private let forgets: Bool
    /// Every state that was ever sealed, by record.
    var sealed: [[RecordState]]
    private var actors: UInt64 = 0

    init(seed: UInt64, records: Int = 2, forgets: Bool = false) {
        self.forgets = forgets
        random = SeededGenerator(seed: seed)
        server = Array(repeating: Siblings(), count: records)
        changedAt = Array(repeating: 0, count: records)
        sealed = Array(repeating: [], count: records)
        devices = []
        for _ in 0..<Int.random(in: 2...4, using: &random) {
            actors += 1
            let copies = Array(repeating: Copy(), count: records)
            devices.append(Device(author: Author(actors, clock: 100), copies: copies))
        }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    // MARK: What users do

    private mutating func write(
        _ kind: Write.Kind,
        on device: Int,
        record: Int,
        secret: String? = nil,
        past more: Set<Int> = []
    ) -> Int {
        let own = devices[device].made.filter { writes[$0].record == record }
        let past = devices[device].copies[record].known.union(own).union(more)
        writes.append(Write(record: record, kind: kind, past: past, secret: secret))
        devices[device].made.insert(writes.count - 1)
        devices[device].copies[record].editSeen.formUnion(past.union([writes.count - 1]))
        return writes.count - 1
    }

    mutating func act() {
        let device = Int.random(in: devices.indices, using: &random)
        let record = Int.random(in: server.indices, using: &random)
        devices[device].author.clock = UInt64.random(in: 100...120, using: &random)
        let clock = devices[device].author.clock
        let next = writes.count
        guard devices[device].copies[record].local.view.isAlive else {
            _ = write(.secret, on: device, record: record, secret: "v\(next)")
            devices[device].copies[record].local.create(
                [.secret: bytes("v\(next)"), note: bytes("n\(next)")],
                atMilliseconds: clock
            )
            return
        }
        if forgets, chance(25) { return forget(on: device, record: record, clock: clock) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            _ = write(.secret, on: device, record: record, secret: "v\(next)")
            devices[device].copies[record].local
                .set([.secret: bytes("v\(next)")], atMilliseconds: clock)
        case 4..<6:
            _ = write(.field, on: device, record: record)
            devices[device].copies[record].local.set(
                [note: chance(20) ? nil : bytes("n\(next)")],
                atMilliseconds: clock
            )
        case 6..<8:
            _ = write(.delete, on: device, record: record)
            devices[device].copies[record].local.delete(atMilliseconds: clock)
        default:
            rename(on: device, from: record, clock: clock)
        }
    }

    /// Forgets the oldest earlier secret, or all of them.
    private mutating func forget(on device: Int, record: Int, clock: UInt64) {
        let past = texts(devices[device].copies[record].local.view.shownHistory).compactMap(\.self)
        let chosen = Set(chance(50) ? past : past.suffix(1))
        _ = devices[device].copies[record].local.forget(atMilliseconds: clock) { entry in
            entry.name == .secret && text(entry.value).map(chosen.contains) ?? false
        }
        forgotten.formUnion(chosen)
    }

    /// The forgotten texts of which a rename has made no copy with another stamp.
    var forgottenForGood: Set<String> { forgotten.subtracting(copiedPast.union(carried)) }

    private mutating func rename(on device: Int, from record: Int, clock: UInt64) {
        let target = Int.random(in: server.indices, using: &random)
        let view = devices[device].copies[record].local.view
        guard target != record, !devices[device].copies[target].local.view.isAlive else { return }
        let seen = devices[device].copies[record].known
        copiedPast.formUnion(texts(view.shownHistory).compactMap(\.self))
        _ = write(.delete, on: device, record: record)
        for value in [view.shownSecret] + view.conflictingSecrets.map(\.value) {
            guard let secret = text(value) else { continue }
            carried.insert(secret)
            _ = write(.secret, on: device, record: target, secret: secret, past: seen)
        }
        var source = devices[device].copies[record].local
        var destination = devices[device].copies[target].local
        LocalRecord.rename(
            &source,
            id: RecordID(validated: [UInt8](repeating: UInt8(record), count: 32)),
            to: &destination,
            changes: [:],
            atMilliseconds: clock
        )
        devices[device].copies[record].local = source
        devices[device].copies[target].local = destination
    }

    // MARK: What devices do

    mutating func seal(_ device: Int) {
        guard devices[device].batch == nil else { return }
        var parts: [Part] = []
        for record in server.indices {
            var copy = devices[device].copies[record]
            var author = devices[device].author
            let sealed = copy.local.seal(isRewrite: copy.mustRewrite) { author.stamp($0, $1) }
            copy.mustRewrite = false
            devices[device].author = author
            if let sealed {
                copy.batchSeen = copy.mirrorSeen.union(copy.editSeen)
                let dot = Dot(
                    actor: author.actor,
                    counter: devices[device].counter + UInt64(parts.count) + 1
                )
                let sibling = Sibling(state: sealed.state, seen: copy.batchSeen)
                parts.append(
                    Part(record: record, dot: dot, replaced: copy.dots, sibling: sibling)
                )
                self.sealed[record].append(sealed.state)
            }
            copy.editSeen = []
            devices[device].copies[record] = copy
        }
        if !parts.isEmpty { devices[device].batch = parts }
    }

    /// Sends the batch: accepted, its answer lost, or (when it was not accepted yet) refused.
    mutating func push(_ device: Int, isCalm: Bool = false) {
        guard let batch = devices[device].batch else { return }
        let isNew = batch.contains { !vector.contains($0.dot) }
        if isNew && !isCalm && chance(15) {
            refuse(device)
            return
        }
        for part in batch where !vector.contains(part.dot) {
            step += 1
            changedAt[part.record] = step
            vector.raise(part.dot.actor, to: part.dot.counter)
            server[part.record].write(part.sibling, dot: part.dot, replacing: part.replaced)
        }
        if !isCalm && chance(25) { return }
        devices[device].batch = nil
        devices[device].counter += UInt64(batch.count)
        for part in batch {
            devices[device].copies[part.record].local.acknowledge()
            devices[device].copies[part.record].batchSeen = []
            take(part.record, on: device)
        }
    }

    private mutating func refuse(_ device: Int) {
        actors += 1
        devices[device].author = Author(actors, clock: devices[device].author.clock)
        devices[device].counter = 0
        for part in devices[device].batch ?? [] {
            var copy = devices[device].copies[part.record]
            copy.mustRewrite = copy.local.takeApart()
            copy.editSeen.formUnion(copy.batchSeen)
            copy.batchSeen = []
            devices[device].copies[part.record] = copy
        }
        devices[device].batch = nil
    }

    mutating func pull(_ device: Int) {
        for record in server.indices where !server[record].isEmpty { take(record, on: device) }
        devices[device].applied = step
    }

    private mutating func take(_ record: Int, on device: Int) {
        let siblings = server[record].entries
        guard !siblings.isEmpty else { return }
        var copy = devices[device].copies[record]
        let state = RecordState.join(siblings.map(\.value.state))
        copy.dots = siblings.map(\.dot)
        copy.mirrorSeen = siblings.reduce(into: []) { $0.formUnion($1.value.seen) }
        copy.local.mirror = state
        if !state.isAlive && copy.local.onItsWay == nil
            && copy.local.edit?.isDeleteOnly ?? true
        {
            copy.local = LocalRecord(stub: state.stub)
            copy.editSeen = []
        }
        if siblings.count > 3, copy.local.onItsWay == nil, copy.local.edit == nil,
            copy.local.mirror != nil, chance(30)
        {
            copy.mustRewrite = true
        }
        devices[device].copies[record] = copy
    }

    /// Removes tombstones that every device has applied.
    mutating func removeTombstones() {
        let applied = devices.map(\.applied).min() ?? 0
        for record in server.indices where changedAt[record] <= applied {
            if server[record].entries.allSatisfy({ !$0.value.state.isAlive }) {
                server[record] = Siblings()
            }
        }
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            let device = Int.random(in: devices.indices, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: act()
            case 4..<6: seal(device)
            case 6..<8: push(device)
            case 8: pull(device)
            default: removeTombstones()
            }
        }
    }

    mutating func quiesce() {
        for _ in 0..<4 {
            for device in devices.indices {
                push(device, isCalm: true)
                seal(device)
                push(device, isCalm: true)
            }
            for device in devices.indices { pull(device) }
        }
    }
}
