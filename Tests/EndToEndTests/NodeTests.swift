import Foundation
import KSPostgreSQLTestSupport
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Two nodes on one PostgreSQL, each with a device; `make check-nodes` is this at large.
    @Suite(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    struct NodeTests {
        private func join(
            _ device: Device,
            at node: Server,
            _ command: String,
            _ options: [String],
            in world: World
        ) async throws {
            try await device.startDaemon()
            let words = try [
                command, "--server", node.url, "--pin", node.pin, "--account", World.account,
                "--device", device.name, "--no-passcode", "--password-file", world.passwordFile,
            ]
            let result = try await device.start("sync-client", words + options).result()
            try #require(result.status == 0, "\(result)")
        }

        /// Adds items, and counts each of them.
        private func write(_ device: Device, _ rounds: ClosedRange<Int>) async throws {
            for round in rounds {
                try await device.save("\(device.name)-\(round)", "\(round)")
                let counted = try await device.client("kv", "increment", "app", "writes")
                #expect(counted.status == 0, "\(counted)")
            }
        }

        /// What a device shows: one line for each item, and the counter.
        private func contents(_ device: Device) async throws -> [Substring] {
            let items = try await device.keychain("dump-keychain", "--sync").output
                .split(separator: "\n").filter { $0.contains("\"svce\"") }.sorted()
            let count = try await device.client("kv", "get", "app", "writes").output
            return items + [count[...]]
        }

        @Test
        func `a killed node and a restarted database lose nothing, and double nothing`()
            async throws
        {
            try await World.with { world in
                let database = try OwnPostgreSQL()
                let second = world.path("second")
                try FileManager.default.createDirectory(
                    atPath: second,
                    withIntermediateDirectories: false
                )
                let nodes = [world.server, Server(folder: second)]
                let options = ["--store", database.address]
                for node in nodes {
                    try await node.start(options)
                }
                let laptop = world.device("laptop")
                let phone = world.device("phone")
                let kit = world.path(World.kit)
                try await join(laptop, at: nodes[0], "signup", ["--kit", kit], in: world)
                let key = ["--account-key", try world.accountKey]
                try await join(phone, at: nodes[1], "login", key, in: world)
                try await laptop.save("live", "1")
                #expect(try await eventually { try await phone.shows("live", "1") })

                async let ofLaptop: Void = write(laptop, 1...20)
                async let ofPhone: Void = write(phone, 1...20)
                try await nodes[0].kill()
                try database.restart()
                try await nodes[0].start(options)
                try await nodes[1].kill()
                try await nodes[1].start(options)
                try database.restart()
                _ = try await (ofLaptop, ofPhone)

                for device in [laptop, phone] {
                    #expect(try await eventually { try await device.sync().status == 0 })
                }
                let expected = (1...20).flatMap { ["laptop-\($0)", "phone-\($0)"] } + ["live"]
                let lines = expected.map { "    \"svce\"<blob>=\"\($0)\""[...] }.sorted() + ["40\n"]
                for device in [laptop, phone] {
                    #expect(try await eventually { try await contents(device) == lines })
                    let status = try await device.client("status").output
                    #expect(!status.contains("\nrestored "), "\(status)")
                }
                withExtendedLifetime(database) {}
            }
        }
    }
}
