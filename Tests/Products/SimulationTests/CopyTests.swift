import KSKeychain
import KSResolution
import KSSyncEngine
import Testing

import Simulation

/// Devices that are cloned, and databases that are restored, with a batch under way.
///
/// Each story runs twice: unchanged, and with a device that takes such a batch apart without
/// asking for its answer.
struct CopyTests {
    static func world(bug: PlantedBug?) throws -> World {
        var settings = WorldSettings()
        settings.deviceCount = 2
        settings.cloneProbability = 0.1
        settings.bug = bug
        let world = try World(seed: 1, settings: settings, keepsTrace: false)
        for device in world.devices { try sync(device, in: world) }
        return world
    }

    /// Pushes and pulls until nothing is left.
    static func sync(_ device: SimulatedDevice, in world: World) throws {
        device.replica.wake()
        for _ in 0..<50 {
            switch try device.replica.nextRequest() {
            case .send(let request):
                let answer = try world.server.answer(request.request, from: device.member)
                try device.replica.receive(
                    answer,
                    to: request,
                    serverMilliseconds: world.clock.milliseconds
                )
                try world.lookAtCopies(device)
            case .waitUntil(let time): world.clock.milliseconds = time
            case .rest, .awaitAnswer: return
            }
        }
        Issue.record("\(device.name) does not come to rest")
    }

    /// Sends a push that the server accepts, if it arrives, and whose answer is lost.
    static func push(
        from device: SimulatedDevice,
        in world: World,
        arrives: Bool
    ) throws {
        guard case .send(let request) = try device.replica.nextRequest(),
            case .push = request.request
        else {
            Issue.record("nothing is pushed")
            return
        }
        if arrives { _ = try world.server.answer(request.request, from: device.member) }
        try device.replica.receive(.failed, to: request)
    }

    /// Pulls a page, while every push fails.
    static func pullOnly(to device: SimulatedDevice, in world: World) throws {
        device.replica.wake()
        for _ in 0..<50 {
            switch try device.replica.nextRequest() {
            case .send(let request):
                guard case .pull = request.request else {
                    try device.replica.receive(.failed, to: request)
                    continue
                }
                let answer = try world.server.answer(request.request, from: device.member)
                _ = try device.replica.receive(answer, to: request)
                return
            case .waitUntil(let time): world.clock.milliseconds = time
            case .rest, .awaitAnswer: break
            }
        }
        Issue.record("\(device.name) does not pull")
    }

    /// The current secrets of an item on a device; none without an item.
    private static func secrets(of item: Int, on device: SimulatedDevice) throws -> [Int] {
        guard let state = try device.record(item: item).mirror, state.isAlive else { return [] }
        return state.candidates(for: .secret).compactMap(\.value).compactMap(Oracle.number)
    }

    static func expectAgreement(in world: World) throws {
        let expected = try world.devices[0].contents()
        for device in world.devices {
            #expect(try device.contents() == expected, "\(device.name)")
            #expect(try device.replica.isQuiet(), "\(device.name)")
        }
    }

    /// The model's story of the same name: a batch that two copies have under way is one write.
    ///
    /// Sealed a second time by the clone, the overwritten secret would stand beside its successor.
    @Test(arguments: [nil, .takesBatchApartUnasked] as [PlantedBug?])
    func `a clone with a batch under way`(bug: PlantedBug?) throws {
        let world = try Self.world(bug: bug)
        let (author, other) = (world.devices[0], world.devices[1])
        try author.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try Self.push(from: author, in: world, arrives: false)
        try world.clone(author)
        let clone = world.devices[2]
        try Self.sync(author, in: world)
        try author.change(item: 0, secret: Oracle.secret(3))
        for device in [author, clone, other, author, clone] { try Self.sync(device, in: world) }
        try Self.expectAgreement(in: world)
        let secrets = try Self.secrets(of: 0, on: other)
        #expect(secrets.contains(3))
        #expect(secrets.contains(1) == (bug != nil))
    }

    @Test(arguments: [nil, .takesBatchApartUnasked] as [PlantedBug?])
    func `an item deleted meanwhile does not come back from a clone`(
        bug: PlantedBug?
    ) throws {
        let world = try Self.world(bug: bug)
        let (author, other) = (world.devices[0], world.devices[1])
        try author.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try Self.push(from: author, in: world, arrives: true)
        try world.clone(author)
        let clone = world.devices[2]
        try Self.sync(author, in: world)
        try author.add(item: 1, secret: Oracle.secret(3), note: Oracle.note(4))
        for device in [author, other] { try Self.sync(device, in: world) }
        _ = try other.keychain.delete(other.query(item: 0))
        for device in [other, clone, author, other] { try Self.sync(device, in: world) }
        try Self.expectAgreement(in: world)
        #expect(try Self.secrets(of: 0, on: other) == (bug == nil ? [] : [1]))
        #expect(try Self.secrets(of: 1, on: clone) == [3])
    }

    @Test(arguments: [nil, .takesBatchApartUnasked] as [PlantedBug?])
    func `an item deleted meanwhile does not come back from a restored database`(
        bug: PlantedBug?
    ) throws {
        let world = try Self.world(bug: bug)
        let (author, other) = (world.devices[0], world.devices[1])
        try author.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try Self.push(from: author, in: world, arrives: true)
        let copy = author.disk.contents
        // It continues as another actor, so the copy is noticed at its start.
        try author.replica.takeNewActor()
        for device in [author, other] { try Self.sync(device, in: world) }
        _ = try other.keychain.delete(other.query(item: 0))
        for device in [other, author] { try Self.sync(device, in: world) }
        try author.putBack(copy)
        #expect(author.replica.wantsNewActor)
        try world.lookAtCopies(author)
        for device in [author, other] { try Self.sync(device, in: world) }
        #expect(!author.replica.wantsNewActor)
        try Self.expectAgreement(in: world)
        #expect(try Self.secrets(of: 0, on: other) == (bug == nil ? [] : [1]))
    }

    /// Found by two simulated worlds: the item's values were looked for under its old key only.
    @Test
    func `an item that was renamed unsent is not promised once its disk is put back`() throws {
        let world = try Self.world(bug: nil)
        let (author, other) = (world.devices[0], world.devices[1])
        let copy = try world.copyOfDatabase(of: author)
        try world.edit(2, on: author)
        try Self.sync(author, in: world)
        try world.edit(1, on: author)
        try world.rename(1, to: 0, on: author)
        try world.putBack(copy, on: author)
        for device in [author, other, author] { try Self.sync(device, in: world) }
        try world.check()
        for item in [0, 1] { #expect(try Self.secrets(of: item, on: other) == []) }
        #expect(try Self.secrets(of: 2, on: other) == [0])
        // What was sent since the copy is promised.
        let nothing = [RecordState](repeating: RecordState(), count: 3)
        #expect(throws: WorldFailure.secretLost(write: 0)) { try world.oracle.check(nothing) }
    }
}
