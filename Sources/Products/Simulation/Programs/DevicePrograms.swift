internal import KSAgent
internal import KSDeviceKeys
internal import KSFiles
internal import KSKeyValueCalls
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSKeychain
internal import KSSealing
internal import KSSecItem
internal import KSSyncEngine
internal import Synchronization

/// The programs of one simulated device: it answers their calls in place of the device's daemon.
final class DevicePrograms: DeviceStandIn, @unchecked Sendable {
    // Safety: the world, its devices and all that is here are used only during a turn of the world.

    /// A program that waits for the changes of a store.
    private struct Watch {
        weak var program: (any SteppedProgram)?
        let reports: Reports
        let number: Int
    }

    /// What a program has not been told; nil says that it has to read everything again.
    private final class Reports: Sendable {
        let waiting = Mutex<[KeyValueReport?]>([])

        func take() -> [KeyValueReport?] {
            waiting.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }
    }

    /// How often two programs of a device may answer each other's changes in one step.
    private static let roundsMax = 100

    private let world: World
    private let device: SimulatedDevice
    private let watchers = KeyValueWatchers()
    private let random: SimulationRandomSource
    private var watches: [Watch] = []
    private(set) var hasEnded = false

    init(on device: SimulatedDevice, in world: World) {
        (self.device, self.world) = (device, world)
        let seed = world.bytes.bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        random = SimulationRandomSource(seed: seed)
    }

    // MARK: What the world tells

    /// Reports every further change of the device's stores.
    func observe() {
        device.keyValues.whenChanged = { [watchers] in watchers.report($0) }
    }

    /// The daemon was away, or another account is there: programs read everything again.
    func noteRestart() {
        observe()
        for watch in watches { watch.reports.waiting.withLock { $0 = [nil] } }
    }

    /// Lets programs take what was reported, and do again what failed; not in the middle of a step.
    func run() {
        guard isRunning else { return }
        for _ in 0..<Self.roundsMax {
            for ended in watches where ended.program == nil { watchers.end(ended.number) }
            watches.removeAll { $0.program == nil }
            for watch in watches {
                let reports = watch.reports.take()
                // The thread of an observer may be another one, which also uses the world.
                world.turn.pause {
                    for report in reports { watch.program?.take(report) }
                    watch.program?.goOn()
                }
            }
            let isDone = watches.allSatisfy { watch in
                watch.reports.waiting.withLock { $0.isEmpty }
            }
            if isDone { return }
        }
    }

    /// All programs end, with what they had not handed to the device.
    func end() {
        hasEnded = true
        giveUp()
    }

    /// Nobody lets the programs go on any more.
    func giveUp() {
        for watch in watches { watch.program?.giveUp() }
    }

    private var isRunning: Bool { !hasEnded && (!device.isStopped || device.hasLeft) }

    // MARK: What programs ask

    var milliseconds: UInt64 { device.clock.milliseconds }

    func randomBytes(_ count: Int) -> [UInt8] { random.bytes(count) }

    func watch(_ call: WatchKeyValues, by program: any SteppedProgram) {
        world.turn.take {
            // Every other call reports that the name is wrong.
            guard let store = try? store(call.store) else { return }
            let reports = Reports()
            let number = watchers.watch(store, except: call.writer) { report in
                // The program reads everything at its start.
                guard report.number > 0 else { return }
                reports.waiting.withLock { $0.append(report) }
            }
            watches.append(Watch(program: program, reports: reports, number: number))
        }
    }

    func answer(_ call: String, _ arguments: AgentDictionary) throws(AgentError) -> AgentValue {
        do {
            return try world.turn.take {
                guard isRunning else { throw AgentError.daemonNotRunning }
                return try answer(call, .dictionary(arguments))
            }
        } catch let error as AgentError {
            throw error
        } catch {
            throw .failed(Self.failure(error))
        }
    }

    private func answer(_ call: String, _ arguments: AgentValue) throws -> AgentValue {
        switch call {
        case ReadKeyValues.name:
            let call = try ReadKeyValues(arguments)
            return try device.keyValues.answer(call, of: store(call.store)).agentValue
        case WriteKeyValues.name: return try write(WriteKeyValues(arguments)).agentValue
        case GetAccountToken.name: return token.agentValue
        case GetKeyValueStatus.name: return try status(GetKeyValueStatus(arguments)).agentValue
        case SyncKeyValues.name: return try sync().agentValue
        case SecItemCall.name: return try answer(SecItemCall(arguments)).agentValue
        case ProtectFile.name, UnprotectFile.name, ReadProtectedFile.name:
            return try device.protectedFiles.answer(call, arguments)
        default:
            // As Apple's calls do that Apple has not implemented.
            throw AgentFailure(
                code: ItemStoreError.unimplemented.status,
                status: "A device of a story does not answer this call."
            )
        }
    }

    private func write(_ call: WriteKeyValues) throws -> WrittenKeyValues {
        let store = try store(call.store)
        let keys = try call.writes.map { try KeyWrite(decoding: $0).key }
        return try act("writes \(keys.joined(separator: ", "))") {
            try device.keyValues.answer(call, of: store)
        }
    }

    private var token: AccountToken {
        device.hasLeft ? AccountToken(token: nil) : AccountToken(of: device.setting.fixture.account)
    }

    private func status(_ call: GetKeyValueStatus) throws -> KeyValueStatus {
        var status = try device.keyValues.status(of: store(call.store))
        guard !device.hasLeft else { return status }
        status.account = token.token
        let pause = try device.replica.state().hold == nil ? nil : "Sync is paused."
        status.set(
            try device.replica.state(),
            unsent: try device.unsentCount(),
            problem: pause
        )
        return status
    }

    private func sync() throws -> AgentNothing {
        guard !device.hasLeft else { throw StoryError.hasLeft(device: device.name) }
        if let obstacle = try world.obstacle(of: device) {
            throw AgentFailure(
                code: ExitCode.tryAgain,
                status: "\(device.name) cannot sync now: \(obstacle.rawValue)."
            )
        }
        try world.syncAll()
        return AgentNothing()
    }

    private func answer(_ call: SecItemCall) throws -> SecItemReply {
        let service = SecItemService(keychain: device.keychain)
        let client = ProgramAccess(accessGroups: [SimulatedDevice.group])
        guard call.function != .copy else { return service.answer(call, client: client) }
        return try act("makes the call \(call.function.rawValue)") {
            service.answer(call, client: client)
        }
    }

    /// Changes the device, and lets it send what there is to send.
    private func act<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
        world.clock.milliseconds += 1
        world.trace("a program of \(device.name) \(what)")
        world.note(step: "\(device.name) \(what)", of: .device(device.index))
        _ = device.disk.takeRefusal()
        let result = Result { try body() }
        if try world.startAgain(device) { throw AgentError.daemonNotRunning }
        if case .failure = result, device.disk.takeRefusal() { throw ItemStoreError.diskFull }
        try world.poll(device)
        try world.noteEndOfStep()
        return try result.get()
    }

    private func store(_ named: String?) throws -> StoreIdentifier {
        try named.map { try StoreIdentifier(ofProgram: $0) } ?? SimulatedDevice.store
    }

    private static func failure(_ error: any Error) -> AgentFailure {
        switch error {
        case let error as AgentFailure: error
        case let error as KeyValueCallError:
            AgentFailure(code: ExitCode.usage, status: error.sentence)
        case let error as ItemStoreError:
            AgentFailure(
                code: error.isOfDisk ? ExitCode.disk : ExitCode.other,
                status: error.message
            )
        case is FileError: AgentFailure(code: ExitCode.disk, status: "The file cannot be used.")
        case SealingError.classLocked, ProtectedFileError.locked:
            AgentFailure(code: ExitCode.tryAgain, status: "The device is locked.")
        default: AgentFailure(code: ExitCode.other, status: "\(error)")
        }
    }

    /// The exit codes that the daemon's failures have, those of `sysexits.h`.
    private enum ExitCode {
        static let other: Int32 = 1
        static let usage: Int32 = 64
        static let disk: Int32 = 74
        static let tryAgain: Int32 = 75
    }
}

extension World {
    /// Lets the programs of all devices go on, between two steps of the world.
    func letProgramsRun() {
        for device in devices { device.programs?.run() }
    }
}
