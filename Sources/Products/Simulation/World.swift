internal import GRDB
internal import KSCausality
internal import KSKeyValues
internal import KSRecords
internal import KSResolution
internal import KSSealing
internal import KSSyncEngine
internal import KSWire

/// Devices, their users, a network and a server, in one thread on one clock, from one seed.
///
/// Everything but the network is the real code: keychain, outbox, sealing, replica, merging, store.
public final class World {
    /// The outcome of a world.
    public struct Outcome: Equatable, Sendable {
        /// The seed.
        public let seed: UInt64
        /// The broken promise, if any.
        public let failure: WorldFailure?
        /// The number of devices with users; one more device checks the outcome.
        public let deviceCount: Int
        /// How often a device wrote a record's joined state back.
        public let writeBacks: Int
        /// The faults and actions of the world.
        public let happenings: Happenings
        /// A hash of the trace and of every device's final bytes.
        ///
        /// The same seed and settings give the same hash in every process.
        public let traceHash: String
        /// The events, if asked for.
        public let trace: [String]
        /// Who waits for what, if the devices do not stop syncing.
        public let waiting: [String]
    }

    package static let startMilliseconds: UInt64 = 1_750_000_000_000
    private static let quietEventsMax = 20_000

    let settings: WorldSettings
    var random: SimulationGenerator
    /// Separate generators, so that locks, copies, returns, revocations, changes of the password,
    /// proxies, restores, removals, moves, sweeps, joins, power failures, set clocks and key-value
    /// writes do not change the other events.
    var lockRandom: SimulationGenerator
    var copyRandom: SimulationGenerator
    var clockRandom: SimulationGenerator
    var keyValueRandom: SimulationGenerator
    var clashRandom: SimulationGenerator
    var returnRandom: SimulationGenerator
    var revocationRandom: SimulationGenerator
    var passwordRandom: SimulationGenerator
    var proxyRandom: SimulationGenerator
    var restoreRandom: SimulationGenerator
    var removalRandom: SimulationGenerator
    var moveRandom: SimulationGenerator
    var sweepRandom: SimulationGenerator
    var joinRandom: SimulationGenerator
    var powerRandom: SimulationGenerator
    package let clock: VirtualClock
    var events = EventQueue()
    package var devices: [SimulatedDevice] = []
    /// The account's servers; the last one is the present one.
    var servers: [SimulatedServer]
    package var server: SimulatedServer { servers[servers.count - 1] }
    package internal(set) var oracle = Oracle()
    var keyValueOracle: KeyValueOracle
    /// Of the key that devices declare with different types.
    var clashOracle: KeyValueOracle
    /// What programs have read some steps ago, by device and key.
    var oldViews: [String: PropertyValue] = [:]
    /// The types whose entries are written: few, so that devices change the same ones.
    let mergeTypes: [MergeType]
    /// The types that devices declare for one key: one kind of register, and all others.
    let clashTypes: [MergeType]
    var trace: Trace
    let fixture: AccountFixture
    let circles: AccountCircles
    /// How often the account's password was changed.
    var passwordNumber = 0
    /// The devices that can still be revoked.
    var spares: [MemberID]
    /// The devices that can still join.
    var joiners: [DeviceIdentity]
    let bytes: SimulationRandomSource
    /// Whether messages are no longer lost or late.
    var isQuiet = false
    var happenings = Happenings()
    var arrivals = ArrivalOrder()
    var copies = Copies()
    /// What users have seen of items, and the renames whose halves have to go together.
    var reads = Reads()
    var openRenames: [OpenRename] = []
    /// What a planted bug remembers.
    var planted: PlantedMemory
    /// What the trace shows of a record.
    var watched: WatchedRecord?
    /// Whether nobody reaches the server.
    var isServerAway = false
    /// The server's backup.
    var serverBackup: SimulatedServer.Backup?
    /// The backups before that one, where worlds restore such too.
    var olderBackups: [SimulatedServer.Backup] = []
    /// What a picture is drawn from, if one is wanted.
    var record: StoryRecord?
    /// Whether the record gets its steps from the devices, as no file has them.
    var recordsSteps = false
    /// Which actions take place.
    var script = WorldScript()
    /// One thread at a time uses the world.
    let turn = Turn()
    /// Called after each event.
    var whenStepped: (() throws -> Void)?

    package init(seed: UInt64, settings: WorldSettings, keepsTrace: Bool) throws {
        self.settings = settings
        keyValueOracle = KeyValueOracle(hasCopies: settings.hasCopies)
        oracle.holdsHistory = settings.returnProbability == 0
        clashOracle = keyValueOracle
        random = SimulationGenerator(seed: seed)
        lockRandom = SimulationGenerator(seed: seed ^ 0x10C5)
        copyRandom = SimulationGenerator(seed: seed ^ 0xC107E5)
        clockRandom = SimulationGenerator(seed: seed ^ 0xC10C5)
        keyValueRandom = SimulationGenerator(seed: seed ^ 0x4E7)
        clashRandom = SimulationGenerator(seed: seed ^ 0xC1A54)
        returnRandom = SimulationGenerator(seed: seed ^ 0x4E742)
        revocationRandom = SimulationGenerator(seed: seed ^ 0x4E70CE)
        passwordRandom = SimulationGenerator(seed: seed ^ 0x9A55)
        proxyRandom = SimulationGenerator(seed: seed ^ 0x940C5)
        restoreRandom = SimulationGenerator(seed: seed ^ 0x4E5704E)
        removalRandom = SimulationGenerator(seed: seed ^ 0x4E304A1)
        moveRandom = SimulationGenerator(seed: seed ^ 0x304E)
        sweepRandom = SimulationGenerator(seed: seed ^ 0x53EE9)
        joinRandom = SimulationGenerator(seed: seed ^ 0x101D5)
        powerRandom = SimulationGenerator(seed: seed ^ 0x90_3E4)
        planted = PlantedMemory(random: SimulationGenerator(seed: seed ^ 0xB065))
        let register = clashRandom.one(of: [MergeType.register, .maximum, .minimum])
        clashTypes = [register, .counter, .set, .map, .list]
        let types = MergeType.allCases.shuffled(using: &keyValueRandom)
        mergeTypes = Array(types.prefix(settings.mergeTypeCount))
        bytes = SimulationRandomSource(seed: seed ^ 0xB17E5)
        clock = VirtualClock(milliseconds: Self.startMilliseconds)
        trace = Trace(keepsLines: keepsTrace)
        fixture = try AccountFixture.shared.get()
        circles = AccountCircles(of: fixture)
        (spares, joiners) = (fixture.spares, fixture.joiners)
        servers = [
            try SimulatedServer(fixture: fixture, clock: clock, random: bytes, settings: settings)
        ]
        let count = settings.deviceCount ?? Int.random(in: 2...4, using: &random)
        for _ in 0..<min(count, AccountFixture.devicesMax - 1) { try addDevice() }
        try server.passLongTime()
        try server.noteUnusedMembers()
    }

    /// Adds a device that has been a member from the beginning.
    ///
    /// `name`: what other devices call it; nil for one name of all devices.
    func addDevice(named name: String? = nil) throws {
        let others = happenings[.clones] + happenings[.joins]
        try addDevice(fixture.identities[devices.count - others], named: name)
    }

    /// Adds a member's device, with what its join has brought.
    ///
    /// `joined`: of a device that joins now; the others know the account as the world began.
    func addDevice(
        _ identity: DeviceIdentity,
        named name: String? = nil,
        joined: SimulatedDevice.Joined? = nil
    ) throws {
        let device = try SimulatedDevice(
            index: devices.count,
            epoch: server.epoch,
            DeviceSetting(
                identity: identity,
                fixture: fixture,
                circles: circles,
                clock: clock,
                random: bytes,
                writeBack: settings.writeBack,
                bug: settings.bug,
                deviceName: name
            ),
            joined: joined
        )
        device.server = servers.count - 1
        server.used.insert(device.member)
        devices.append(device)
        add(.poll(device: device.index))
    }

    /// Runs one world.
    ///
    /// - Parameters:
    ///   - seed: decides everything that happens.
    ///   - settings: what may happen, and how often.
    ///   - keepsTrace: whether the outcome has the events.
    ///   - watched: the number of an item, or a key: each time that a device's record of it
    ///     changes, the trace says what it is.
    /// - Throws: errors that no world may cause, such as one of the database.
    /// - Returns: the outcome.
    public static func run(
        seed: UInt64,
        settings: WorldSettings = WorldSettings(),
        keepsTrace: Bool = false,
        watching watched: String? = nil
    ) throws -> Outcome {
        let world = try World(seed: seed, settings: settings, keepsTrace: keepsTrace)
        world.watched = watched.map { WatchedRecord(name: $0) }
        return try world.run(seed: seed)
    }

    func run(seed: UInt64) throws -> Outcome {
        let deviceCount = devices.count
        var failure: WorldFailure?
        do {
            try live()
        } catch let thrown as WorldFailure {
            failure = thrown
            trace.add("\(thrown)", atMilliseconds: clock.milliseconds)
        }
        return Outcome(
            seed: seed,
            failure: failure,
            deviceCount: deviceCount,
            writeBacks: devices.reduce(0) { $0 + $1.writeBacks },
            happenings: happenings,
            traceHash: trace.hash,
            trace: trace.lines,
            waiting: try failure == .notQuiet ? reasons(devices) : []
        )
    }

    private func live() throws {
        var time = clock.milliseconds
        for _ in 0..<settings.steps {
            // Some actions follow at once, others after minutes.
            time += UInt64.random(in: 1...(random.chance(0.5) ? 300 : 60_000), using: &random)
            events.add(.action, atMilliseconds: time)
        }
        if settings.sweepProbability > 0 { try addAllItems() }
        while let next = events.next(until: time) {
            try step(next)
            noteWatched()
        }
        try comeToRest()
        if settings.removalProbability > 0 { try removeRest() }
        try addDevice()
        try comeToRest()
        try lookAtEvents()
        try noteResyncs()
        try traceStates()
        try check()
    }

    /// Adds every device's state of every item to the hash, in the bytes that devices exchange.
    private func traceStates() throws {
        for device in devices {
            for item in 0..<settings.itemCount {
                trace.add(try device.state(item: item).encoded)
            }
            for key in mergeTypes.map(\.name) + [Self.clashKey] {
                trace.add(try device.state(key: key).encoded)
            }
        }
    }

    private func comeToRest() throws {
        isQuiet = true
        trace("everybody is online, and the network is well")
        for _ in 0..<3 {
            for device in devices {
                if device.server != servers.count - 1 { try move(device) }
                (device.isOnline, device.silentUntilMilliseconds) = (true, 0)
                try device.unlock()
                // Its user runs doctor: the proxy is gone.
                if settings.proxyBytesMax != nil { try device.replica.askAgain() }
                try answerDeletions(on: device)
                device.replica.wake()
                add(.poll(device: device.index))
            }
            if server.isEmpty { try rebuildAccount() }
            var count = 0
            while let next = events.next() {
                count += 1
                guard count < Self.quietEventsMax else { throw WorldFailure.notQuiet }
                try step(next)
                noteWatched()
            }
        }
        try expectRest()
    }

    package func expectRest() throws {
        for device in devices {
            if try device.replica.state().hold != nil {
                throw WorldFailure.held(device: device.index)
            }
            guard try device.replica.isQuiet() else {
                trace("\(device.name) is not at rest: \(try device.replica.counts())")
                throw WorldFailure.notQuiet
            }
        }
    }

    func step(_ next: EventQueue.Entry) throws {
        clock.milliseconds = max(clock.milliseconds, next.milliseconds)
        noteArrival(next)
        noteEnd(of: next, isLost: !arrives(next.event))
        try carryOut(next)
        try whenStepped?()
    }

    /// Whether an event is no message, or one that is not lost on its way.
    private func arrives(_ event: Event) -> Bool {
        switch event {
        case .action, .poll: true
        case .request(let device, _, let route, _, _):
            devices[device].route == route && !isServerAway
        case .answer(let device, let life, _, let answer, _):
            devices[device].life == life
                && (answer == .failed || !settings.isStory || devices[device].isReachable)
        case .notice(let device, let server, _, _), .circleNotice(let device, let server, _):
            devices[device].isReachable && devices[device].server == server
        }
    }

    private func carryOut(_ next: EventQueue.Entry) throws {
        guard arrives(next.event) else { return }
        switch next.event {
        case .action:
            try takeAction()
        case .poll(let device):
            try poll(devices[device])
        case .request(let device, let life, _, let server, let request):
            try deliver(request, from: devices[device], life: life, to: server)
        case .answer(let device, _, let request, let answer, let serverMilliseconds):
            trace("\(devices[device].name) hears of request \(request.number)")
            // It has the answer to this request, or does not wait for one any more.
            guard let request = self.request(of: answer, to: request, on: devices[device]) else {
                return
            }
            try onDisk(of: devices[device]) {
                try receive(answer, to: request, serverMilliseconds, on: devices[device])
            }
            try poll(devices[device])
        case .notice(let device, _, let seq, let page):
            let page = try spoilt(page, for: devices[device])
            try onDisk(of: devices[device]) {
                try devices[device].replica.notice(seq: seq, circleVersion: 0, page)
            }
            try poll(devices[device])
        case .circleNotice(let device, _, let version):
            try onDisk(of: devices[device]) {
                try devices[device].replica.notice(seq: 0, circleVersion: version)
            }
            try poll(devices[device])
        }
    }

    private func receive(
        _ answer: SyncAnswer,
        to request: NumberedRequest,
        _ serverMilliseconds: UInt64?,
        on device: SimulatedDevice
    ) throws {
        guard try !endsBeforeApplying(answer, on: device) else { return }
        device.isRefusedForRoom = answer == .refused(.storageFailed)
        try device.replica.receive(
            answer,
            to: request,
            serverMilliseconds: serverMilliseconds,
            retryAfterSeconds: device.isRefusedForRoom ? Self.roomRetrySeconds : nil
        )
        try spoilEdits(of: device, after: answer, to: request.request)
        try spoilTables(of: device, after: answer)
        try lookAtCopies(device)
        try lookAtReads(on: device)
    }

    func trace(_ line: String) {
        trace.add(line, atMilliseconds: clock.milliseconds)
    }
}
