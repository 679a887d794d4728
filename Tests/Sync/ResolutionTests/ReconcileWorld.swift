import KSCausality
import KSRecords
import KSResolution
import KSTestSupport

/// Devices whose server goes back to earlier states, reduced to payloads: no network, no seal.
///
/// Each write that a user makes has a number, and everybody's knowledge is tracked by these.
struct ReconcileWorld {
    enum Kind { case secret, label, increment, element, removal, delete }

    struct Write {
        let kind: Kind
        let record: Int
        /// The writes of the record that its author had seen.
        let past: Set<Int>
        /// By how much a counter was raised.
        var amount: UInt64 = 0
        /// The write whose element was removed.
        var removed: Int?
    }

    struct Sibling {
        let state: RecordState
        let boxHash: Hash
        let seen: Set<Int>
    }

    struct Part {
        let record: Int
        let dot: Dot
        let replaced: [Dot]
        let sibling: Sibling
    }

    struct Batch {
        let number: Int
        let actor: ActorID
        let epoch: Int
        let parts: [Part]
    }

    /// What a backup of the server holds.
    struct Store {
        var records: [Siblings<Sibling>]
        var changed: [Int]
        var step = 0
        var vector = VersionVector()
        var accepted: Set<Int> = []
        var closed: Set<ActorID> = []
        /// The step of the newest record that was removed.
        var horizon = 0
    }

    struct Copy {
        var local = LocalRecord()
        var writes: [RecordComparison.Known.Write] = []
        var mirrorSeen: Set<Int> = []
        var batchSeen: Set<Int> = []
        var editSeen: Set<Int> = []
        /// Whether it was compared with the present life of the store.
        var isCompared = true

        var known: Set<Int> { mirrorSeen.union(batchSeen).union(editSeen) }
    }

    struct Device {
        var author: Author
        var counter: UInt64 = 0
        var copies: [Copy]
        var batch: Batch?
        var made: Set<Int> = []
        var seen = VersionVector()
        var heldBack: [Dot] = []
        var epoch = 0
        /// Whether it has raised the vector since it compared.
        var isReconciled = true
        /// The server's step up to which it has applied everything, in this life of the store.
        var applied = 0
    }

    /// What devices do wrong on purpose.
    enum Bug: CaseIterable {
        /// They give a batch under way new stamps, as after a refusal.
        case newStamps
        /// They put nothing up.
        case takesAlways
        /// They put up what has no unsent edit beside it.
        case editsAlone
        /// They leave what is back.
        case forgetsDeletions
        /// They raise the vector before they compare.
        case raisesFirst
        /// They send a batch of the earlier life as it is.
        case sendsOldBatches
        /// Deleting what waits to go up leaves no trace.
        case dropsUnsent
    }

    var random: SeededGenerator
    var store: Store
    var backups: [Store] = []
    var epoch = 0
    var devices: [Device] = []
    var writes: [Write] = []
    let bug: Bug?
    /// Promises that were broken on the way.
    var faults: [String] = []
    /// How often records had each outcome.
    var outcomes: [String: Int] = [:]
    private var numbers: UInt64 = 0

    init(seed: UInt64, deviceCount: Int? = nil, records: Int = 2, bug: Bug? = nil) {
        random = SeededGenerator(seed: seed)
        self.bug = bug
        store = Store(
            records: Array(repeating: Siblings(), count: records),
            changed: Array(repeating: 0, count: records)
        )
        for _ in 0..<(deviceCount ?? Int.random(in: 2...4, using: &random)) {
            let copies = Array(repeating: Copy(), count: records)
            devices.append(Device(author: Author(number(), clock: 100), copies: copies))
        }
    }

    mutating func number() -> UInt64 {
        numbers += 1
        return numbers
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    static let counter = bytes("count")

    static func element(_ number: Int) -> ValueName {
        ValueName(kind: ValueName.Kind.element, nameBytes: bytes("e\(number)"))
    }

    // MARK: What users do

    private mutating func user(
        _ kind: Kind,
        on device: Int,
        record: Int,
        amount: UInt64 = 0,
        removed: Int? = nil
    ) {
        let own = devices[device].made.filter { writes[$0].record == record }
        let past = devices[device].copies[record].known.union(own)
        devices[device].made.insert(writes.count)
        devices[device].copies[record].editSeen.formUnion(past.union([writes.count]))
        writes.append(
            Write(kind: kind, record: record, past: past, amount: amount, removed: removed)
        )
    }

    mutating func act(on device: Int, record: Int) {
        devices[device].author.clock = UInt64.random(in: 100...120, using: &random)
        let (clock, next) = (devices[device].author.clock, writes.count)
        var local = devices[device].copies[record].local
        guard local.view.isAlive else {
            user(.secret, on: device, record: record)
            local.create(
                [.secret: bytes("s\(next)"), account: bytes("a"), note: bytes("n\(next)")],
                atMilliseconds: clock
            )
            devices[device].copies[record].local = local
            return
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3:
            user(.secret, on: device, record: record)
            local.set([.secret: bytes("s\(next)")], atMilliseconds: clock)
        case 3:
            user(.label, on: device, record: record)
            local.set([note: bytes("n\(next)")], atMilliseconds: clock)
        case 4..<7:
            let amount = UInt64.random(in: 1...9, using: &random)
            user(.increment, on: device, record: record, amount: amount)
            let change = CounterChange(increment: CounterTotals(plus: amount, minus: 0))
            local.set(
                [note: bytes("n\(next)")],
                counters: [Self.counter: change],
                atMilliseconds: clock
            )
        case 7, 8:
            user(.element, on: device, record: record)
            local.set(
                [note: bytes("n\(next)"), Self.element(next): bytes("v\(next)")],
                atMilliseconds: clock
            )
        case 9:
            let elements = Self.elements(of: local.view)
            guard let removed = elements.randomElement(using: &random) else { return }
            user(.removal, on: device, record: record, removed: removed)
            local.set([Self.element(removed): nil], atMilliseconds: clock)
        default:
            user(.delete, on: device, record: record)
            local.delete(atMilliseconds: clock)
            if bug == .dropsUnsent, local.mirror == nil, local.onItsWay == nil { local.edit = nil }
        }
        devices[device].copies[record].local = local
    }

    /// The writes whose elements a state shows, in order.
    static func elements(of state: RecordState) -> [Int] {
        state.names.filter { $0.kind == ValueName.Kind.element }
            .filter { name in
                state.values[name]?.contains { !state.deleted.contains($0.stamp) } ?? false
            }
            .compactMap { Int($0.name.dropFirst()) }.sorted()
    }

    static func count(in state: RecordState) -> UInt64 {
        state.counters[counter]?.uncut.values.reduce(0) { $0 + $1.totals.plus } ?? 0
    }

    /// What the server has of each record.
    var states: [RecordState] {
        store.records.map { RecordState.join($0.entries.map(\.value.state)) }
    }

    // MARK: What the operator does

    mutating func backUp() { backups.append(store) }

    /// Puts a backup in place of the store; every device notices at its next request.
    mutating func restore(_ backup: Store) {
        store = backup
        epoch += 1
        store.closed.formUnion(store.vector.entries.map(\.actor))
    }

    /// Removes deleted records whose deletion every device has applied.
    mutating func removeTombstones() {
        // A batch that was sealed before its device applied the deletion would bring values back.
        guard devices.allSatisfy({ $0.epoch == epoch && $0.isReconciled && $0.batch == nil })
        else { return }
        let applied = devices.map(\.applied).min() ?? 0
        for record in store.records.indices where store.changed[record] <= applied {
            let isDead = store.records[record].entries.allSatisfy { !$0.value.state.isAlive }
            guard !store.records[record].isEmpty, isDead else { continue }
            store.records[record] = Siblings()
            store.horizon = max(store.horizon, store.changed[record])
        }
    }

    // MARK: Everything at random

    mutating func run(steps: Int, restores: Bool = true) {
        for _ in 0..<steps {
            let device = Int.random(in: devices.indices, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40:
                act(on: device, record: Int.random(in: store.records.indices, using: &random))
            case 40..<55: seal(device)
            case 55..<70: push(device)
            case 70..<88: contact(device)
            case 88..<91: removeTombstones()
            case 91..<96: backUp()
            default:
                guard restores, let backup = backups.randomElement(using: &random) else { continue }
                // An older backup, or a newer one after that.
                restore(backup)
            }
        }
    }

    mutating func quiesce() {
        for _ in 0..<5 {
            for device in devices.indices.shuffled(using: &random) {
                while !contact(device) {}
                push(device, isCalm: true)
                seal(device)
                push(device, isCalm: true)
                contact(device)
            }
        }
    }
}
