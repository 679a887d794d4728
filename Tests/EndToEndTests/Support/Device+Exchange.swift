import KSTestPrograms
import Testing

extension [Device] {
    /// Syncs each device once.
    func sync() async throws {
        for device in self {
            let result = try await device.sync()
            #expect(result.status == 0, "\(device.name): \(result)")
        }
    }

    /// Syncs until each device has what the others sent.
    func exchange() async throws {
        // A server that has just started may be missed once.
        for device in self { _ = try await device.sync() }
        for device in self {
            let result = try await device.sync()
            try #require(result.status == 0, "\(device.name): \(result)")
        }
    }
}
