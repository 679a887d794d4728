internal import KSKeychain
internal import KSKeyValues
internal import KSSealing

/// What happens on several devices of one account, step by step.
///
/// All code but the network is the real one, in one thread: keychain, key-value stores, sealing,
/// sync and the server's store. Programs use a device as they use a real one, through
/// ``Device/keyValueStore(named:)``, ``Device/ubiquitousStore`` and ``Device/keychain``. Messages
/// travel only during ``sync()`` and ``advance(by:)``; between two other steps a millisecond
/// passes. The same steps from the same seed do the same in every process.
///
/// ```swift
/// import Simulation
/// import Testing
///
/// let story = try Story(devices: ["laptop", "phone"])
/// let (laptop, phone) = (try story["laptop"], try story["phone"])
/// try laptop.add("mail", password: "first")
/// try story.sync()
///
/// // Both change it while the server is away; the later change is shown, and none is lost.
/// story.server.goAway()
/// try laptop.set("password", of: "mail", to: "from the laptop")
/// try phone.set("password", of: "mail", to: "from the phone")
/// try story.server.comeBack()
/// try story.sync()
/// #expect(try laptop.value(of: "mail") == "from the phone")
/// #expect(try laptop.conflicts(of: "mail").map(\.value) == ["from the laptop"])
/// ```
public final class Story {
    /// How many devices a story may name in ``init(devices:seed:keepsTrace:)`` and
    /// ``addDevices(_:)``.
    public static let membersMax = AccountFixture.devicesMax
    /// How many devices may join later.
    public static let joinersMax = AccountFixture.joinersMax

    /// The words that a line begins with in the place of a device.
    static let reservedNames: Set = ["expect", "server"]

    let world: World
    /// The copies of devices' databases, by index.
    var copies: [Int: Copies.Kept] = [:]
    /// What programs have open on each device, by index.
    var programs: [Int: OpenPrograms] = [:]

    /// Begins a story with an empty account.
    ///
    /// - Parameters:
    ///   - devices: the names of the devices that are in the account. They are in sync.
    ///   - seed: decides keys, delays and all else that is random.
    ///   - keepsTrace: whether ``trace`` has the events.
    ///   - keepsRecord: whether ``picture(title:)`` has them.
    /// - Throws: ``StoryError`` for a name that cannot be used.
    public convenience init(
        devices: [String] = [],
        seed: UInt64 = 1,
        keepsTrace: Bool = false,
        keepsRecord: Bool = false
    ) throws {
        try self.init(seed: seed, keepsTrace: keepsTrace, bug: nil)
        defer { if keepsRecord { startRecordOfSteps() } }
        if !devices.isEmpty { try addDevices(devices) }
    }

    /// `bug`: a deliberate one, to test that stories find it.
    init(seed: UInt64, keepsTrace: Bool, bug: PlantedBug?) throws {
        var settings = WorldSettings.story
        settings.bug = bug
        world = try World(seed: seed, settings: settings, keepsTrace: keepsTrace)
    }

    deinit { for open in programs.values { open.standIn.giveUp() } }

    // MARK: Devices

    /// The names of the devices, in the order in which they came.
    public var deviceNames: [String] { world.devices.map(\.name) }

    /// The device of this name.
    ///
    /// - Throws: ``StoryError/noDevice(_:known:)``.
    public subscript(name: String) -> Device {
        get throws(StoryError) {
            guard let device = world.devices.first(where: { $0.name == name }) else {
                throw .noDevice(name, known: deviceNames)
            }
            return Device(story: self, device: device)
        }
    }

    /// Adds devices that have been in the account from the beginning.
    ///
    /// - Throws: ``StoryError`` for a name that cannot be used, or for too many devices.
    public func addDevices(_ names: [String]) throws {
        for name in names {
            try check(newName: name)
            let others = world.happenings[.clones] + world.happenings[.joins]
            guard world.devices.count - others < Self.membersMax else {
                throw StoryError.tooManyDevices("devices", max: Self.membersMax)
            }
            try world.addDevice(named: name)
        }
        try sync()
    }

    /// Lets a new device join the account.
    ///
    /// - Throws: ``StoryError`` for a name that cannot be used, for too many devices, and while
    ///   nobody reaches the server.
    /// - Returns: the device.
    @discardableResult
    public func join(_ name: String) throws -> Device {
        try check(newName: name)
        guard !world.isServerAway else { throw StoryError.offline(device: name) }
        guard !world.server.isEmpty else { throw StoryError.serverIsEmpty(true) }
        guard !world.server.disk.isFull else { throw StoryError.diskFull(device: nil) }
        guard !world.joiners.isEmpty else {
            throw StoryError.tooManyDevices("devices that join", max: Self.joinersMax)
        }
        guard try world.joinNewDevice(named: name) else {
            throw StoryError.notUpToDate(device: "the server")
        }
        return try self[name]
    }

    func check(newName name: String) throws(StoryError) {
        let isName = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard isName, !name.isEmpty, !Self.reservedNames.contains(name) else {
            throw .wrongName(name)
        }
        guard !deviceNames.contains(name) else { throw .deviceExists(name) }
    }

    // MARK: Time

    /// Syncs until no device that reaches the server has anything to do.
    ///
    /// - Throws: ``StoryError/notQuiet(_:)`` if that takes more than two hours of the story's time.
    public func sync() throws { try world.turn.take { try world.syncAll() } }

    /// Lets time pass, with all that happens in it.
    ///
    /// - Throws: errors that no story may cause, such as one of the database.
    public func advance(by duration: Duration) throws {
        try world.turn.take { try world.advance(milliseconds: duration.milliseconds) }
    }

    // MARK: What happened

    /// The events, each with the seconds since the story began; none unless they were asked for.
    public var trace: [String] {
        world.trace.lines.map { line in
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            let since = (UInt64(parts[0]) ?? 0) - World.startMilliseconds
            return "\(seconds(since)) \(parts.count > 1 ? parts[1] : "")"
        }
    }

    /// A hash of all events: the same in every process.
    public var traceHash: String { world.trace.hash }

    /// What differs between the devices that can sync; nil if they show the same.
    ///
    /// - Throws: ``StoryError/locked(device:)`` if one of them is locked.
    public func difference() throws -> String? {
        typealias Entries = [EntryName: SimulatedDevice.ShownEntry]
        var first: (name: String, contents: [[UInt8]: Item], entries: Entries)?
        for device in world.devices where try world.obstacle(of: device) == nil {
            let entries = try reporting(device) { try device.entriesOfAllStores() }
            let contents = try reporting(device) { try device.contents() }
            if let first, first.contents != contents || first.entries != entries {
                return "\(device.name) shows something else than \(first.name)"
            }
            first = first ?? (device.name, contents, entries)
        }
        return nil
    }

    /// Runs something on a device, with errors that say what to do.
    func reporting<Result>(
        _ device: SimulatedDevice,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try world.turn.take(body)
        } catch ItemStoreError.interactionNotAllowed {
            throw StoryError.locked(device: device.name)
        } catch SealingError.classLocked {
            throw StoryError.locked(device: device.name)
        } catch let error as KeyValueError {
            throw StoryError.refused(error.sentence)
        }
    }
}

/// Seconds with three digits behind the point.
private func seconds(_ milliseconds: UInt64) -> String {
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
}

extension Duration {
    /// Whole milliseconds; 0 for less than nothing.
    var milliseconds: UInt64 { UInt64(max(0, signedMilliseconds)) }

    var signedMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        // Longer than any clock counts.
        guard !overflows, abs(product / 1000) < 1 << 40 else {
            return seconds < 0 ? -1 << 50 : 1 << 50
        }
        return product + attoseconds / 1_000_000_000_000_000
    }
}
