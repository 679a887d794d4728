import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport

/// A few devices that share one entry, and a server, without network and seals.
///
/// It notes every operation in the oracle's log, and what each state has seen.
struct MergingWorld {
    struct Sibling {
        let state: RecordState
        let seen: UInt64
    }

    struct Part {
        let number: Int
        let dot: Dot
        let replaced: [Dot]
        let sibling: Sibling
        let nodes: [Int]
        let mirrorSeen: UInt64
        var isShared = false
    }

    struct Device {
        var actor: ActorID
        /// By how many years its clock is wrong.
        var clockYears = 0
        var counter: UInt64 = 0
        var own = HybridTime.zero
        var record = LocalRecord()
        var dots: [Dot] = []
        var mirrorSeen: UInt64 = 0
        var editSeen: UInt64 = 0
        /// The operations of the unsent edit.
        var editNodes: [Int] = []
        var part: Part?
        var mustRewrite = false
        /// The server's step up to which it has applied everything.
        var applied = 0
        /// What a program of the device has read, which may be old; nil for nothing.
        var read: PropertyValue?
        var isPutBack = false

        var known: UInt64 { mirrorSeen | editSeen | (part?.sibling.seen ?? 0) }
    }

    /// For how many choices of three states a history checks the laws of joins.
    private static let lawCount = 4

    let type: MergeType
    let bug: PlantedBug?
    var random: SeededGenerator
    var log = OperationLog()
    var devices: [Device] = []
    private(set) var server = Siblings<Sibling>()
    private var vector = VersionVector()
    private var accepted: [Dot: Int] = [:]
    private var refused: Set<Int> = []
    var late: [Part] = []
    private var step = 0
    private var changedAt = 0
    private var actors: UInt64 = 0
    private var stamps: UInt64 = 0
    private var parts = 0
    /// A copy of each device's disk, by the device's index.
    var kept: [Int: Device] = [:]
    /// How often a device was put back to a copy of itself.
    var putBacks = 0
    /// All that was ever sealed.
    private(set) var sealed: [RecordState] = []
    /// The ids of a list's elements.
    var ids: [[UInt8]] = []
    /// The planted bug's copies of a list's elements, with the elements' ids.
    var copies: [[UInt8]: [UInt8]] = [:]
    /// Whether devices that insert at one place make equal positions.
    let hasEqualPositions: Bool
    /// The first view that was not what the oracle expects.
    var difference: String?

    init(_ type: MergeType, seed: UInt64, devices count: Int? = nil, bug: PlantedBug? = nil) {
        self.type = type
        self.bug = bug
        hasEqualPositions = seed % 4 == 3
        random = SeededGenerator(seed: seed)
        let count = count ?? Int.random(in: 2...5, using: &random)
        for index in 0..<count {
            // In a third of the worlds the clocks of some devices are wrong.
            let years = seed % 3 == 2 ? [10, -10, 0][index % 3] : 0
            devices.append(Device(actor: newActor(), clockYears: years))
        }
    }

    private mutating func newActor() -> ActorID {
        actors += 1
        return ActorID(rawValue: actors)
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    var isFull: Bool { log.nodes.count > OperationLog.nodesMax / 2 }

    /// Whether the log had no room for everything, so that nothing can be checked.
    var isOverfull: Bool { log.nodes.count > OperationLog.nodesMax }

    // MARK: What users do

    /// Notes an operation on a device, after what the device knows.
    mutating func note(
        _ changes: [OperationLog.Change],
        on device: Int,
        clears: Bool = false,
        creates: Bool = false
    ) {
        var node = OperationLog.Node(changes: changes, past: devices[device].known)
        (node.clears, node.creates) = (clears, creates)
        devices[device].editSeen |= node.past | 1 << UInt64(log.nodes.count)
        devices[device].editNodes.append(log.nodes.count)
        log.nodes.append(node)
    }

    mutating func delete(on device: Int) {
        guard !isFull, devices[device].record.view.isAlive else { return }
        note([], on: device, clears: true)
        devices[device].record.delete(atMilliseconds: clock(of: device))
        // An entry that never left the device leaves no trace.
        if devices[device].record.edit == nil { forgetEdit(of: device) }
    }

    /// A device's clock, a moment of 2026 or ten years off.
    mutating func clock(of device: Int) -> UInt64 {
        let now = 1_790_000_000_000 + Int64.random(in: 0...10, using: &random)
        return UInt64(now + Int64(devices[device].clockYears) * 31_557_600_000)
    }

    private mutating func forgetEdit(of device: Int) {
        devices[device].editSeen = 0
        devices[device].editNodes = []
    }

    // MARK: What devices do

    mutating func seal(_ device: Int) {
        guard devices[device].part == nil else { return }
        let before = devices[device].known
        let (actor, isRewrite) = (devices[device].actor, devices[device].mustRewrite)
        var own = devices[device].own
        stamps &+= 1
        let unique = UInt16(truncatingIfNeeded: stamps &* 40_503)
        let repeatsDot = bug == .reusedDot
        let made = devices[device].record.seal(isRewrite: isRewrite) { seen, clock in
            own = HybridTime.next(
                clockMilliseconds: clock,
                serverMilliseconds: nil,
                seen: seen,
                own: own,
                random: repeatsDot ? 0 : unique
            )
            return Stamp(time: own, actor: actor)
        }
        devices[device].mustRewrite = false
        devices[device].own = own
        let nodes = devices[device].editNodes
        forgetEdit(of: device)
        guard let made else { return }
        if let stamp = made.newStamps.last {
            for node in nodes {
                log.nodes[node].order = OperationLog.Order(
                    time: stamp.time.rawValue,
                    actor: actor.rawValue
                )
            }
        }
        parts += 1
        devices[device].part = Part(
            number: parts,
            dot: Dot(actor: actor, counter: devices[device].counter + 1),
            replaced: devices[device].dots,
            sibling: Sibling(state: made.state, seen: before),
            nodes: nodes,
            mirrorSeen: devices[device].mirrorSeen
        )
        sealed.append(made.state)
    }

    /// Sends the batch: accepted, its answer lost, or refused.
    mutating func push(_ device: Int, isCalm: Bool = false) {
        guard let part = devices[device].part else { return }
        if accepted[part.dot] != part.number {
            let isFork = bug != .reusedDot && part.dot.counter != vector[part.dot.actor] + 1
            if isFork || refused.contains(part.number) { return refuse(device) }
            if !isCalm, !isFull, chance(15) {
                // A shared batch is refused for both, or one copy would build on the other's.
                if part.isShared { refused.insert(part.number) } else { late.append(part) }
                return refuse(device)
            }
            accept(part)
            if !isCalm, !isFull, !part.isShared, chance(4) { return refuse(device) }
        }
        if !isCalm, chance(25) { return }
        devices[device].record.acknowledge()
        devices[device].counter += 1
        devices[device].part = nil
        take(on: device)
    }

    private mutating func accept(_ part: Part) {
        step += 1
        changedAt = step
        vector.raise(part.dot.actor, to: part.dot.counter)
        accepted[part.dot] = part.number
        server.write(part.sibling, dot: part.dot, replacing: part.replaced)
    }

    /// A refused batch that arrives once more.
    mutating func acceptLate() {
        guard let part = late.popLast() else { return }
        if part.dot.counter == vector[part.dot.actor] + 1 { accept(part) }
    }

    /// Takes the batch apart; its operations are repeated by a new actor.
    private mutating func refuse(_ device: Int) {
        guard let part = devices[device].part else { return }
        if bug == .keptActor, devices[device].isPutBack {
            devices[device].counter = vector[devices[device].actor]
        } else {
            devices[device].actor = newActor()
            devices[device].counter = 0
        }
        devices[device].part = nil
        if bug == .forgottenIncrements { devices[device].record.onItsWay = nil }
        devices[device].mustRewrite = devices[device].record.takeApart()
        let (nodes, mask) = repeated(part.nodes, isRepetition: true)
        for node in devices[device].editNodes { log.nodes[node].past |= mask }
        devices[device].editNodes = nodes + devices[device].editNodes
        devices[device].editSeen |= part.sibling.seen | mask
        if devices[device].mustRewrite { devices[device].mirrorSeen |= part.mirrorSeen }
    }

    /// Pushes and pulls, without losses.
    mutating func sync(_ device: Int) {
        seal(device)
        push(device, isCalm: true)
        pull(device)
    }

    mutating func pull(_ device: Int) {
        take(on: device)
        devices[device].applied = step
    }

    /// A page with further writes of this device's actor shows that the device was copied.
    private mutating func noticeCopy(_ device: Int) {
        let (actor, counter) = (devices[device].actor, devices[device].counter)
        guard bug != .reusedDot, vector[actor] > counter else { return }
        if let part = devices[device].part {
            if accepted[part.dot] != part.number { refuse(device) }
        } else {
            devices[device].actor = newActor()
            devices[device].counter = 0
        }
    }

    private mutating func take(on device: Int) {
        guard !server.isEmpty else { return }
        noticeCopy(device)
        let siblings = server.entries
        var states = siblings.map(\.value.state)
        // In any order, and some of them twice.
        if states.count > 1 { states.shuffle(using: &random) }
        if chance(20), let state = states.randomElement(using: &random) { states.append(state) }
        let state = states.dropFirst().reduce(states[0]) { join($0, $1) }
        devices[device].dots = siblings.map(\.dot)
        devices[device].mirrorSeen = siblings.reduce(0) { $0 | $1.value.seen }
        devices[device].record.mirror = state
        let isIdle = devices[device].part == nil
        if !state.isAlive, isIdle, devices[device].record.edit?.isDeleteOnly ?? true {
            devices[device].record = LocalRecord(stub: state.stub)
            forgetEdit(of: device)
        } else if siblings.count > 3, isIdle, chance(30) {
            devices[device].mustRewrite = devices[device].record.edit == nil
        }
    }

    /// Removes tombstones that every device has applied.
    mutating func removeTombstones() {
        // A device that goes back behind removed tombstones has to download everything again.
        let applied = (devices + kept.values).map(\.applied).min() ?? 0
        guard changedAt <= applied, !server.isEmpty,
            server.entries.allSatisfy({ !$0.value.state.isAlive })
        else { return }
        server = Siblings()
        late = []
    }

    // MARK: Histories

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            let device = Int.random(in: devices.indices, using: &random)
            switch Int.random(in: 0..<34, using: &random) {
            case 0..<10: if !isFull { act(on: device) }
            case 10..<13: if !isFull { actOnWhatWasRead(by: device) }
            case 13: delete(on: device)
            case 14..<19: seal(device)
            case 19..<25: push(device)
            case 25..<29: pull(device)
            case 29: removeTombstones()
            case 30: acceptLate()
            case 31: if chance(40) { clone(device) }
            default: keepOrPutBack(kept.keys.min() ?? device)
            }
            if chance(20) { check(device) }
        }
    }

    /// Sends and pulls until nothing is left.
    mutating func settle() {
        while !late.isEmpty { if chance(50) { acceptLate() } else { late.removeLast() } }
        for _ in 0..<8 {
            for device in devices.indices {
                push(device, isCalm: true)
                seal(device)
                push(device, isCalm: true)
            }
            if devices.allSatisfy({ $0.part == nil && $0.record.edit == nil }) { break }
        }
        for device in devices.indices { pull(device) }
        for device in devices.indices { check(device, isFinal: true) }
    }

    mutating func check(_ device: Int, isFinal: Bool = false) {
        guard difference == nil, !isOverfull else { return }
        let known =
            isFinal ? server.entries.reduce(0) { $0 | $1.value.seen } : devices[device].known
        var seen = shown(devices[device].record.view)
        if bug == .removalWins { seen = seen.without(log.removedFields(known)) }
        let expected = expected(known)
        if isFinal, devices[device].record.edit != nil || devices[device].part != nil {
            difference = "device \(device) has not sent everything"
        } else if seen != expected {
            difference = "device \(device) shows \(seen), the oracle expects \(expected)"
        }
    }

    func expected(_ known: UInt64) -> Shown {
        switch type {
        case .register: log.register(known)
        case .maximum: log.extreme(known, sign: 1)
        case .minimum: log.extreme(known, sign: -1)
        case .counter: log.counter(known)
        case .set: log.set(known)
        case .map: log.map(known, fields: Self.fields)
        case .list: log.list(known, ids: ids)
        }
    }

    /// Three sealed states, or fewer, have the same join in every order and grouping.
    mutating func checkLaws() {
        for _ in 0..<Self.lawCount where difference == nil { checkLawsOnce() }
    }

    private mutating func checkLawsOnce() {
        guard !sealed.isEmpty else { return }
        let states = (0..<3).compactMap { _ in sealed.randomElement(using: &random) }
        let (first, second, third) = (states[0], states[1], states[2])
        let joined = join(first, second)
        let isLawful =
            joined == join(second, first) && join(joined, first) == joined
            && join(joined, third) == join(first, join(second, third))
        if !isLawful { difference = "the joins of three states differ" }
    }

    private func join(_ left: RecordState, _ right: RecordState) -> RecordState {
        bug == .lopsidedJoin && !right.isAlive ? left : left.joined(with: right)
    }
}
