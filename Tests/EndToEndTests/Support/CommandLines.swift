import KSTestPrograms
import Testing

extension World {
    /// A world with one device, without a server and an account.
    static func withDevice(
        derivation: Device.Derivation = .cheap,
        _ body: (World, Device) async throws -> Void
    ) async throws {
        try await with { world in
            let device = world.device("A", derivation: derivation)
            try await device.startDaemon()
            try await body(world, device)
        }
    }
}

extension Device {
    /// Runs a line of `keychain`, and compares its exit status and the given streams with the
    /// expected ones.
    func expect(
        _ line: [String],
        status: Int32 = 0,
        output: String? = nil,
        errors: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await run(line)
        #expect(result.status == status, "\(line): \(result)", sourceLocation: sourceLocation)
        if let output {
            #expect(result.output == output, "\(line)", sourceLocation: sourceLocation)
        }
        if let errors {
            #expect(result.errors == errors, "\(line)", sourceLocation: sourceLocation)
        }
    }
}
