import KSCausality
import KSRecords
import KSResolution
import KSTestSupport

/// Devices that change the counters of one record, over several key generations.
///
/// Two worlds of one seed do the same, and one of them folds no counters: it is the oracle.
struct FoldWorld {
    /// A reset, a removal or a deletion, and the earlier ones that its user had seen.
    struct Reset {
        /// How many generations had ended as its device knew.
        let generation: Int
        let seen: Set<Int>
        let counters: Set<String>
    }

    struct Written {
        let state: ItemState
        let resets: Set<Int>
    }

    struct Device {
        var author: Author
        var counter: UInt64 = 0
        var record = LocalRecord()
        var dots: [Dot] = []
        var batch: (state: ItemState, replaced: [Dot])?
        /// The entries in the mirror that the batch withdraws, by counter.
        var batchWithdraws: [String: Set<Stamp>] = [:]
        /// Whether the server has accepted the batch, and its answer was lost.
        var isAccepted = false
        /// Whether a batch was taken apart since it last pulled.
        var mustPull = false
        /// The resets in the mirror, in the batch under way, and in the edit.
        var mirrorResets: Set<Int> = []
        var batchResets: Set<Int> = []
        var editResets: Set<Int> = []
        /// How many generations had ended when it last pulled.
        var generation = 0
        var isOnline = true
        var isFolder = false

        var seenResets: Set<Int> { mirrorResets.union(batchResets).union(editResets) }
    }

    /// What a device shows after a step.
    struct Shown {
        let device: Int
        let isAlive: Bool
        let numbers: [String: Number]
        /// The counters whose resets a fold may have weakened by then.
        let contested: Set<String>
    }

    struct Number: Equatable {
        var base: Int64?
        var plus: UInt64 = 0
        var minus: UInt64 = 0

        mutating func add(_ increment: CounterTotals) {
            plus += increment.plus
            minus += increment.minus
        }
    }

    static let counters = ["a", "b"]

    let folds: Bool
    /// Whether answers get lost, and batches arrive late.
    let losesAnswers: Bool
    /// How many of a hundred changes reset, remove or delete something.
    private let resetPercent: Int
    var random: SeededGenerator
    var server = Siblings<Written>()
    var devices: [Device] = []
    var resets: [Reset] = []
    /// The resets in each closing join, and the dots that it is made of.
    var closed: [(resets: Set<Int>, dots: [Dot])] = []
    var shown: [Shown] = []
    /// Every state that was ever sealed.
    var sealed: [ItemState] = []
    var foldCount = 0
    /// Batches that were taken apart although the server had accepted them.
    var repeatedCount = 0
    /// The increments in these batches.
    var repeated: [String: Number] = [:]
    /// The entries that accepted batches have withdrawn, and those that folds hold, by counter.
    private(set) var withdrawn: [String: Set<Stamp>] = [:]
    private(set) var folded: [String: Set<Stamp>] = [:]
    /// All increments that users made.
    var added: [String: Number] = [:]
    private var clock: UInt64 = 1_000_000
    private var actors: UInt64 = 0

    init(seed: UInt64, folds: Bool, losesAnswers: Bool) {
        self.folds = folds
        self.losesAnswers = losesAnswers
        random = SeededGenerator(seed: seed)
        resetPercent = [4, 12, 36, 0][Int(seed % 4)]
        for _ in 0..<Int.random(in: 2...4, using: &random) {
            devices.append(Device(author: newAuthor()))
        }
    }

    private mutating func newAuthor() -> Author {
        actors += 1
        return Author(actors, clock: clock)
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    // MARK: What users do

    mutating func act(_ device: Int) {
        clock += 1000
        let counter = Self.counters[Int.random(in: Self.counters.indices, using: &random)]
        let number = UInt64.random(in: 1...9, using: &random)
        let increment =
            chance(70)
            ? CounterTotals(plus: number, minus: 0) : CounterTotals(plus: 0, minus: number)
        added[counter, default: Number()].add(increment)
        let kind = chance(resetPercent) ? Int.random(in: 0..<3, using: &random) : nil
        let change = CounterChange(increment: increment)
        let name = bytes(counter)
        let text = bytes("n\(clock)")
        guard devices[device].record.view.isAlive else {
            noteReset(of: Set(Self.counters), on: device)
            devices[device].record
                .create([note: text], counters: [name: change], atMilliseconds: clock)
            return
        }
        var changes: [ValueName: [UInt8]?] = [note: text]
        var counters: [[UInt8]: CounterChange] = [:]
        switch kind {
        case 0:
            noteReset(of: [counter], on: device)
            counters[name] = CounterChange(reset: .to(Int64(number)), increment: increment)
        case 1:
            noteReset(of: [counter], on: device)
            counters[name] = CounterChange(reset: .removed)
            changes = [:]
        case 2:
            noteReset(of: Set(Self.counters), on: device)
            devices[device].record.delete(atMilliseconds: clock)
            return
        default: counters[name] = change
        }
        devices[device].record.set(changes, counters: counters, atMilliseconds: clock)
    }

    private mutating func noteReset(of counters: Set<String>, on device: Int) {
        let generation = devices[device].generation
        let seen = devices[device].seenResets
        resets.append(Reset(generation: generation, seen: seen, counters: counters))
        devices[device].editResets.insert(resets.count - 1)
    }

    // MARK: What devices do

    mutating func seal(_ number: Int) {
        var device = devices[number]
        guard device.batch == nil, !device.mustPull else { return }
        let isClosingJoin = closed.last.map { $0.dots == device.dots } ?? false
        let mayFold = folds && device.isFolder && isClosingJoin
        let isRewrite = chance(10)
        let before = device.record.mirror ?? device.record.stub
        let edit = device.record.edit
        var author = device.author
        let sealed = device.record.seal(isRewrite: isRewrite, foldsCounters: mayFold) {
            author.stamp($0, $1)
        }
        device.author = author
        if let sealed {
            let isFold = mayFold && before.map { $0.folded != $0 } ?? false
            if isFold { foldCount += 1 }
            device.batchWithdraws = [:]
            for (name, parts) in before?.counters ?? [:] {
                let (key, held) = (text(name) ?? "", Set(parts.series.values.map(\.stamp)))
                if isFold { folded[key, default: []].formUnion(held) }
                let withdrawn = edit?.counters[name]?.withdrawn ?? []
                device.batchWithdraws[key] = isFold ? [] : withdrawn.intersection(held)
            }
            device.batch = (sealed.state, device.dots)
            device.batchResets = device.editResets
            self.sealed.append(sealed.state)
        }
        device.editResets = []
        devices[number] = device
    }

    /// Sends the batch, which the server accepts; sometimes the answer is lost.
    mutating func push(_ number: Int, mayLoseAnswer: Bool = true) {
        guard devices[number].batch != nil else { return }
        accept(number)
        let isLost = chance(30)
        guard !isLost || !mayLoseAnswer || !losesAnswers else { return }
        acknowledge(number)
    }

    private mutating func accept(_ number: Int) {
        guard let batch = devices[number].batch, !devices[number].isAccepted else { return }
        devices[number].isAccepted = true
        withdrawn.merge(devices[number].batchWithdraws) { $0.union($1) }
        devices[number].counter += 1
        let dot = Dot(actor: devices[number].author.actor, counter: devices[number].counter)
        let resets = devices[number].mirrorResets.union(devices[number].batchResets)
        let known = server.entries.filter { batch.replaced.contains($0.dot) }
        let written = Written(
            state: batch.state,
            resets: known.reduce(resets) { $0.union($1.value.resets) }
        )
        server.write(written, dot: dot, replacing: batch.replaced)
    }

    private mutating func acknowledge(_ number: Int) {
        guard let batch = devices[number].batch else { return }
        devices[number].record.acknowledge()
        let mirror = devices[number].record.mirror ?? ItemState()
        devices[number].record.replaceMirror(with: mirror.joined(with: batch.state))
        devices[number].batch = nil
        devices[number].isAccepted = false
        devices[number].batchResets = []
        pull(number)
    }

    mutating func pull(_ number: Int) {
        devices[number].mustPull = false
        guard !server.isEmpty else { return }
        var device = devices[number]
        let state = joined
        device.dots = server.dots
        device.generation = closed.count
        device.mirrorResets = server.entries.reduce(into: []) { $0.formUnion($1.value.resets) }
        device.record.replaceMirror(with: state)
        if !state.isAlive, device.record.onItsWay == nil,
            device.record.edit?.isDeleteOnly ?? true
        {
            device.record = LocalRecord(stub: state.stub)
            device.editResets = []
        }
        devices[number] = device
    }

    var joined: ItemState { ItemState.join(server.entries.map(\.value.state)) }

    /// Goes on as another actor, and takes a batch without an answer apart.
    ///
    /// The server may have accepted the batch. If it has not, a late copy may still arrive
    /// (`mayArriveLate`), before the device pulls.
    mutating func takeNewActor(_ number: Int, mayArriveLate: Bool = false) {
        let (isAnswered, arrivesLate) = (chance(30), chance(50))
        if devices[number].isAccepted, isAnswered || !losesAnswers { acknowledge(number) }
        if devices[number].batch != nil {
            let before = devices[number]
            _ = devices[number].record.takeApart()
            devices[number].editResets.formUnion(before.batchResets)
            if mayArriveLate, arrivesLate, losesAnswers { accept(number) }
            if devices[number].isAccepted {
                repeatedCount += 1
                for (name, edit) in before.record.onItsWay?.edit?.counters ?? [:] {
                    repeated[text(name) ?? "", default: Number()].add(edit.change.increment)
                }
            }
            devices[number].batchResets = []
            devices[number].batch = nil
            devices[number].isAccepted = false
            devices[number].mustPull = true
        }
        devices[number].author = newAuthor()
        devices[number].counter = 0
    }

    /// Ends the key generation: every device that is online goes on from the same join.
    mutating func endGeneration() {
        for number in devices.indices where devices[number].isOnline && chance(80) { push(number) }
        let resets = server.entries.reduce(into: Set<Int>()) { $0.formUnion($1.value.resets) }
        closed.append((resets, server.dots))
        for number in devices.indices {
            devices[number].isOnline = chance(70)
            guard devices[number].isOnline else { continue }
            // The device may learn of both in either order.
            let pullsFirst = chance(50)
            if pullsFirst { pull(number) }
            record(number)
            takeNewActor(number)
            devices[number].isFolder = chance(60)
            record(number)
            if !pullsFirst { pull(number) }
        }
    }

    /// A device that was away continues as another actor.
    mutating func comeBack(_ number: Int) {
        let pullsFirst = chance(50)
        if pullsFirst { pull(number) }
        record(number)
        takeNewActor(number)
        devices[number].isFolder = chance(60)
        record(number)
        devices[number].isOnline = true
        // Some write before they know what the others have written, and then do not fold.
        if chance(40), !devices[number].mustPull {
            seal(number)
            push(number)
        } else if !pullsFirst {
            pull(number)
        }
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            let number = Int.random(in: devices.indices, using: &random)
            let isOnline = devices[number].isOnline
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<44: act(number)
            case 44 where isOnline: takeNewActor(number, mayArriveLate: true)
            case 44: break
            case 45..<65: seal(number)
            case 65..<85 where isOnline: push(number)
            case 85..<97 where isOnline: pull(number)
            case 65..<97: break
            default: if !isOnline { comeBack(number) }
            }
            record(number)
        }
    }

    /// Everybody sends and pulls everything.
    mutating func quiesce() {
        for number in devices.indices where !devices[number].isOnline { comeBack(number) }
        for _ in 0..<3 {
            for number in devices.indices {
                push(number, mayLoseAnswer: false)
                pull(number)
                seal(number)
                push(number, mayLoseAnswer: false)
            }
        }
        for number in devices.indices {
            pull(number)
            record(number)
        }
    }

    // MARK: Checking

    private mutating func record(_ number: Int) {
        let view = devices[number].record.view
        shown.append(
            Shown(
                device: number,
                isAlive: view.isAlive,
                numbers: Self.numbers(of: view),
                contested: contested
            )
        )
    }
}
