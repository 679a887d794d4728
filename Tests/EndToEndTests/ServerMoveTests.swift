import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The account's server gets another address, or another key.
    struct ServerMoveTests {
        private static let nothingChanged = "Nothing was changed."

        private func expectRefused(
            _ device: Device,
            _ arguments: [String],
            saying part: String
        ) async throws {
            let before = try await device.client("status").output
            let address = try #require(before.firstMatch(of: /\nserver +(.+)\n/)).1
            let result = try await device.start(
                "sync-client",
                ["server", "set"] + arguments
            ).result()
            #expect(result.status != 0, "\(result)")
            #expect(result.errors.contains(part), "\(result)")
            #expect(result.errors.contains(Self.nothingChanged), "\(result)")
            let after = try await device.client("status").output
            #expect(after.contains("server       \(address)\n"), "\(after)")
        }

        /// Another server in this world, at an address of its own.
        private func server(in world: World, data: String) async throws -> Server {
            let folder = world.path(data)
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            return Server(folder: folder)
        }

        @Test
        func `a data directory moves to another address, and devices follow`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let empty = try await server(in: world, data: "empty")
                try await empty.start()
                try await expectRefused(
                    laptop,
                    [empty.url, "--pin", empty.pin],
                    saying: "does not know this device"
                )
                try await expectRefused(laptop, [empty.url], saying: "has none of the pins")
                try await expectRefused(
                    laptop,
                    [empty.url, "--pin", "sha256//AAAA"],
                    saying: "A pin is sha256//"
                )
                // The copy misses what is written after it.
                let (old, moved) = (world.server, try await server(in: world, data: "moved"))
                try await old.stop()
                try FileManager.default.copyItem(atPath: old.data, toPath: moved.data)
                try await old.start()
                try await laptop.save("later", "one")
                #expect(try await eventually { try await laptop.sync().status == 0 })
                try await moved.start()
                try await expectRefused(laptop, [moved.url], saying: "lacks what this device")
                try await moved.stop()
                try await old.stop()
                try await expectRefused(laptop, [moved.url], saying: "out of reach")

                try FileManager.default.removeItem(atPath: moved.data)
                try FileManager.default.copyItem(atPath: old.data, toPath: moved.data)
                try await moved.start()
                for device in [laptop, phone] {
                    let set = try await device.client("server", "set", moved.url)
                    #expect(set.status == 0, "\(set)")
                    #expect(try await device.client("status").output.contains(moved.url))
                }
                try await laptop.save("moved", "two")
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.sync().status == 0)
                #expect(try await phone.password("moved") == "two")
                try await moved.stop()
                try await empty.stop()
            }
        }

        @Test
        func `a next pin lets the server change its key without a login`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let server = world.server
                let old = try server.pin
                let next = try await Programs.run(
                    "sync-server",
                    ["next-pin", "--data", server.data],
                    environment: ProcessInfo.processInfo.environment
                )
                let pin = next.output.trimmingCharacters(in: .newlines)
                #expect(try await laptop.client("server", "pin", "add", "sha256//A").status == 64)
                let only = try await laptop.client("server", "pin", "remove", old)
                #expect(only.status == 77 && only.errors.contains("the only pin"), "\(only)")
                #expect(try await laptop.client("server", "pin", "add", pin).status == 0)
                let used = try await laptop.client("server", "pin", "remove", old)
                #expect(used.status == 77 && used.errors.contains("uses the key"), "\(used)")
                let before = try await laptop.client("server").output
                #expect(before.contains("pin          \(old)  in use\n"), "\(before)")
                #expect(before.contains("pin          \(pin)\n"), "\(before)")

                try await server.stop()
                let use = try await Programs.run(
                    "sync-server",
                    ["next-pin", "--use", "--data", server.data],
                    environment: ProcessInfo.processInfo.environment
                )
                #expect(use.status == 0, "\(use)")
                try await server.start()
                #expect(try server.pin == pin)
                try await laptop.save("mail", "kept")
                #expect(try await eventually { try await laptop.sync().status == 0 })
                #expect(try await laptop.client("server", "pin", "remove", old).status == 0)
                let after = try await laptop.client("server").output
                #expect(!after.contains(old) && after.contains("\(pin)  in use\n"), "\(after)")
                #expect(try await laptop.sync().status == 0)
            }
        }
    }
}
