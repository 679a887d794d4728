internal import Foundation
internal import Glibc
internal import KSRunning
internal import Synchronization

/// The network of a story: a proxy in front of its servers that knows which device speaks.
///
/// Messages travel only while the story lets them: otherwise they wait where they are. A device
/// that is offline has no connections at all.
final class Relay: Sendable {
    /// What the story has decided, which the relay's thread looks at again and again.
    private struct Policy {
        /// The ports of the servers behind the listeners.
        var servers: [UInt16?] = []
        var links: [String: Link] = [:]
        var devices: [Int32: String] = [:]
        var isOpen = false
        /// The devices whose messages travel although all others wait.
        var exempt: Set<String> = []
        var isServerAway = false
        var isStopped = false
        /// Counts the changes, of which the thread has applied so many.
        var changes = 0
        var applied = 0
        var lastMove: UInt64 = 0

        func link(_ device: String?) -> Link {
            guard let device else { return .open }
            return isServerAway ? .offline : links[device] ?? .open
        }

        func mayMove(_ device: String?) -> Bool {
            isOpen || device.map { exempt.contains($0) } ?? false
        }
    }

    private struct Listener {
        let descriptor: Int32
        let port: UInt16
    }

    /// A connection that was accepted, and the process at its other end once that is known.
    private struct Caller {
        let descriptor: Int32
        let port: UInt16
        let listener: Int
        let since: UInt64
        var device: String?
        var connection: RelayedConnection?
    }

    /// A process that was just started is known soon.
    private static let ownerMillisecondsMax: UInt64 = 3000
    private static let lookMilliseconds: UInt64 = 10
    private static let idleMilliseconds: UInt64 = 1000

    private let listeners: [Listener]
    private let policy: Mutex<Policy>
    private let wake: KSRunning.Pipe
    private let seed: UInt64

    /// Begins to listen for as many servers.
    init(serverCount: Int, seed: UInt64) throws {
        guard let wake = KSRunning.Pipe() else { throw PlayError.system("no pipe can be made") }
        self.wake = wake
        self.seed = seed
        for end in [wake.reading, wake.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        listeners = try (0..<serverCount).map { _ in
            guard let (descriptor, port) = Sockets.listener() else {
                throw PlayError.system("no port of this machine can be used")
            }
            return Listener(descriptor: descriptor, port: port)
        }
        policy = Mutex(Policy(servers: Array(repeating: nil, count: serverCount)))
        Thread.detachNewThread { [self] in run() }
    }

    /// The addresses that devices have of the servers.
    var addresses: [String] { listeners.map { "https://127.0.0.1:\($0.port)" } }

    // MARK: What the story decides

    func setServer(_ number: Int, port: UInt16?) { change { $0.servers[number] = port } }
    func setLink(_ link: Link, of device: String) { change { $0.links[device] = link } }
    func setServerAway(_ isAway: Bool) { change { $0.isServerAway = isAway } }
    func setOpen(_ isOpen: Bool) { change { $0.isOpen = isOpen } }

    /// Lets the messages of one device travel, or wait again.
    func setExempt(_ device: String, _ isExempt: Bool) {
        change { policy in
            if isExempt { policy.exempt.insert(device) } else { policy.exempt.remove(device) }
        }
    }

    /// From now on connections of this process are those of the device.
    func note(_ processID: Int32, of device: String) { change { $0.devices[processID] = device } }

    func link(of device: String) -> Link { policy.withLock { $0.links[device] ?? .open } }

    func stop() { change { $0.isStopped = true } }

    /// How long no message has travelled.
    var quietMilliseconds: Int {
        let last = policy.withLock(\.lastMove)
        return Int(Self.now - min(last, Self.now))
    }

    /// Returns once the thread acts by the change.
    private func change(_ body: (inout Policy) -> Void) {
        let wanted = policy.withLock { policy in
            body(&policy)
            policy.changes += 1
            policy.lastMove = Self.now
            return policy.changes
        }
        var byte: UInt8 = 0
        _ = unsafe write(wake.writing, &byte, 1)
        while policy.withLock({ $0.applied < wanted }) { usleep(200) }
    }

    // MARK: The thread

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

    private func run() {
        var callers: [Caller] = []
        var chance = Chance(state: seed)
        while true {
            let policy = policy.withLock { policy in
                policy.applied = policy.changes
                return policy
            }
            if policy.isStopped { break }
            for index in callers.indices.reversed()
            where !Self.step(&callers[index], policy, self, &chance) {
                callers.remove(at: index)
            }
            wait(callers, policy)
            accept(&callers)
        }
        for caller in callers { Self.close(caller) }
        for listener in listeners { Glibc.close(listener.descriptor) }
        for end in [wake.reading, wake.writing] { Glibc.close(end) }
    }

    /// - Returns: whether the connection goes on.
    private static func step(
        _ caller: inout Caller,
        _ policy: Policy,
        _ relay: Relay,
        _ chance: inout Chance
    ) -> Bool {
        if caller.device == nil { relay.identify(&caller, policy) }
        let link = policy.link(caller.device)
        let isLate = caller.device == nil && caller.since + ownerMillisecondsMax < now
        guard !isLate, link != .offline else {
            close(caller)
            return false
        }
        guard caller.device != nil, policy.mayMove(caller.device) else { return true }
        if caller.connection == nil {
            guard let port = policy.servers[caller.listener], let server = Sockets.connect(to: port)
            else {
                close(caller)
                return false
            }
            caller.connection = RelayedConnection(device: caller.descriptor, server: server)
        }
        let percent = if case .lossy(let share) = link { share } else { 0 }
        let hasMoved =
            caller.connection?.move(link, at: now) {
                guard chance.next(below: 100) < percent else { return .passes }
                return chance.next(below: 2) == 0 ? .requestLost : .answerLost
            } ?? false
        if hasMoved { relay.policy.withLock { $0.lastMove = now } }
        guard caller.connection?.isBroken != true else {
            close(caller)
            return false
        }
        return true
    }

    private func identify(_ caller: inout Caller, _ policy: Policy) {
        let owner = ConnectionOwner.find(
            port: caller.port,
            to: listeners[caller.listener].port,
            among: Array(policy.devices.keys)
        )
        caller.device = owner.flatMap { policy.devices[$0] }
    }

    private func wait(_ callers: [Caller], _ policy: Policy) {
        let now = Self.now
        var events = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
        events += listeners.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        var next = now + Self.idleMilliseconds
        for caller in callers {
            if caller.device == nil { next = min(next, now + Self.lookMilliseconds) }
            guard let connection = caller.connection, policy.mayMove(caller.device) else {
                continue
            }
            events += connection.events(at: now)
            if let due = connection.nextDue { next = min(next, due) }
        }
        _ = unsafe poll(&events, nfds_t(events.count), Int32(next - min(next, now)))
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(wake.reading, &bytes, bytes.count) > 0 {}
    }

    private func accept(_ callers: inout [Caller]) {
        for (number, listener) in listeners.enumerated() {
            while let (descriptor, port) = Sockets.accept(listener.descriptor) {
                callers.append(
                    Caller(
                        descriptor: descriptor,
                        port: port,
                        listener: number,
                        since: Self.now
                    )
                )
            }
        }
    }

    private static func close(_ caller: Caller) {
        if let connection = caller.connection {
            connection.close()
        } else {
            Glibc.close(caller.descriptor)
        }
    }

    /// SplitMix64: what a lossy network loses.
    private struct Chance {
        var state: UInt64

        mutating func next(below bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
        }
    }
}
