import Foundation
import KSPostgreSQLTestSupport
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The server's store moves to a database, and back.
    @Suite(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    struct ServerCopyTests {
        private func copy(_ world: World, _ from: String, _ to: String) async throws {
            let result = try await RunningProgram(
                "sync-server",
                ["copy", "--from", from, "--to", to],
                folder: world.folder
            ).result()
            #expect(result.status == 0, "\(result)")
        }

        /// Each device sends an item to the other, and needs nothing else of the server.
        private func expectSync(_ world: World, _ devices: [Device], _ round: String) async throws {
            for device in devices {
                #expect(try await eventually { try await device.sync().status == 0 })
            }
            for device in devices {
                #expect(try await device.sync().status == 0)
                for name in ["laptop", "phone"] {
                    #expect(try await device.shows("\(round)-\(name)", name), "\(device.name)")
                }
                let status = try await device.client("status", "--check")
                #expect(status.status == 0, "\(status)")
            }
            let log = try world.server.log
            #expect(log.contains("/v1/changes") && log.contains("/v1/batches"))
            for route in ["/v1/sessions", "/v1/accounts", "/v1/history", "/v1/vector"] {
                #expect(!log.contains(route), "\(log)")
            }
        }

        @Test
        func `a store moves to PostgreSQL and back, and its devices notice nothing`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let schema = try TestPostgreSQL.makeSchema()
                for device in devices { try await device.save("first", device.name) }
                for device in devices + devices {
                    #expect(try await device.sync().status == 0)
                }
                try await world.server.stop()
                for device in devices { try await device.save("there-\(device.name)", device.name) }
                try await copy(world, world.serverData, schema.address)
                // The certificate stays where it is.
                try FileManager.default.removeItem(atPath: world.serverData + "/store.sqlite")
                try FileManager.default.removeItem(atPath: world.serverData + "/token.secret")
                try await world.server.start(["--store", schema.address])
                try await expectSync(world, devices, "there")

                try await world.server.stop()
                for device in devices { try await device.save("back-\(device.name)", device.name) }
                try await copy(world, schema.address, world.serverData)
                try await world.server.start()
                try await expectSync(world, devices, "back")
                try await world.server.stop()
            }
        }
    }
}
