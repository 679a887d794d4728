import Simulation
import Testing

/// A trace shows what the devices have of one record.
struct WatchTests {
    @Test(arguments: ["0", "clash"])
    func `a watched record is shown, and changes nothing`(name: String) throws {
        let world = try World.run(seed: 3, keepsTrace: true)
        let watched = try World.run(seed: 3, keepsTrace: true, watching: name)
        #expect(watched.traceHash == world.traceHash)
        let shown = watched.trace.filter { $0.contains(" has ") }
        #expect(watched.trace.filter { !$0.contains(" has ") } == world.trace)
        // Each device begins with nothing, and all end with the same.
        #expect(shown.count { $0.hasSuffix("has nothing") } >= world.deviceCount + 1)
        let devices = 1...(world.deviceCount + 1)
        let last = devices.compactMap { number in
            shown.last { $0.contains("    device \(number) has ") }?.split(separator: " has ").last
        }
        #expect(last.count == devices.count && Set(last).count == 1)
    }
}
