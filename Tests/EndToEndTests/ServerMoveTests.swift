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
                    saying: "does not have this account"
                )
                try await expectRefused(laptop, [empty.url], saying: "has none of the pins")
                try await expectRefused(
                    laptop,
                    [empty.url, "--pin", "sha256//AAAA"],
                    saying: "A pin is sha256//"
                )
                let (old, moved) = (world.server, try await server(in: world, data: "moved"))
                try await old.stop()
                try FileManager.default.copyItem(atPath: old.data, toPath: moved.data)
                try await expectRefused(
                    laptop,
                    ["https://127.0.0.1:1"],
                    saying: "out of reach"
                )
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
        func `a server that moved with an old copy gets what it lacks`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let (old, moved) = (world.server, try await server(in: world, data: "moved"))
                try await old.stop()
                try FileManager.default.copyItem(atPath: old.data, toPath: moved.data)
                try await old.start()
                try await laptop.save("later", "one")
                // Also a device of which the copy does not know.
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                #expect(try await laptop.sync().status == 0)
                try await old.stop()
                try await moved.start()
                for device in [fresh, laptop, phone] {
                    let set = try await device.client("server", "set", moved.url)
                    #expect(set.status == 0, "\(set)")
                    let says = set.output + set.errors
                    // The phone may have heard of what came later, or not.
                    #expect(says.contains("lacks") || device.name == "phone", "\(says)")
                }
                for device in [fresh, laptop, phone] {
                    #expect(
                        try await eventually(seconds: 60) {
                            let isSynced = try await device.sync().status == 0
                            let shown = try await device.password("later")
                            return isSynced && shown == "one"
                        },
                        "\(device.name)"
                    )
                }
                try await moved.stop()
            }
        }

        @Test
        func `an emptied server gets the account again after one yes`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { world, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                try await laptop.save("kept", "one")
                try await phone.save("gone", "two")
                for device in devices + devices { _ = try await device.sync() }
                let gone = try await tablet.keychain("delete-generic-password", "-s", "gone")
                #expect(gone.status == 0)
                _ = try await tablet.sync()
                let early = try await laptop.client("server", "rebuild", "--yes")
                #expect(early.status == 77 && early.errors.contains("has the account"), "\(early)")
                try await world.server.stop()
                try FileManager.default.removeItem(atPath: world.server.data)
                try FileManager.default.createDirectory(
                    atPath: world.server.data,
                    withIntermediateDirectories: true
                )
                try await world.server.start()
                // The emptied server has a new key.
                for device in devices {
                    let pin = try await device.client("server", "pin", "add", world.server.pin)
                    #expect(pin.status == 0)
                }
                try await phone.save("unsent", "three")
                let lost = try await phone.sync()
                #expect(lost.status == 77, "\(lost)")
                #expect(lost.errors.contains("server rebuild"), "\(lost)")
                for device in devices {
                    // The first answer says so, on a device that has just started too.
                    if device.name == "tablet" { try await device.restartDaemonAfterKill() }
                    let refused = try await device.sync()
                    #expect(refused.errors.contains("server rebuild"), "\(refused)")
                    #expect(try await device.client("status").errors.contains("server rebuild"))
                }
                let asked = try await laptop.client("server", "rebuild")
                #expect(asked.status == 64 && asked.errors.contains("--yes"), "\(asked)")
                let built = try await laptop.client("server", "rebuild", "--yes")
                #expect(built.status == 0, "\(built)")
                for device in devices {
                    #expect(
                        try await eventually(seconds: 60) {
                            let isSynced = try await device.sync().status == 0
                            let shown = try await device.password("unsent")
                            return isSynced && shown == "three"
                        },
                        "\(device.name)"
                    )
                    #expect(try await device.password("kept") == "one")
                    #expect(try await device.password("gone") == nil)
                    let status = try await device.client("status").output
                    #expect(!status.contains("back"), "\(status)")
                    #expect(status.contains("restored or replaced"), "\(status)")
                }
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                #expect(try await fresh.password("kept") == "one")
                #expect(try await fresh.password("gone") == nil)
            }
        }

        @Test
        func `a new server that asks for an invitation gets the account with one`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("kept", "one")
                for device in devices { _ = try await device.sync() }
                try await phone.save("unsent", "two")
                try await world.server.stop()
                let new = try await server(in: world, data: "new")
                try await new.start(["--registration", "invite"])
                let (url, pin) = (try new.url, try new.pin)
                let rebuild = ["server", "rebuild", url, "--pin", pin, "--yes"]
                let bare = try await laptop.start("sync-client", rebuild).result()
                let unknown = try await laptop.start(
                    "sync-client",
                    rebuild + ["--invitation", "never-given"]
                ).result()
                #expect(bare.status == 77 && bare.errors.contains("invitation only"), "\(bare)")
                #expect(unknown.status == 77, "\(unknown)")
                #expect(unknown.errors.contains("does not know that invitation"), "\(unknown)")
                let code = try await new.command("invite").output
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                let built = try await laptop.start(
                    "sync-client",
                    rebuild + ["--invitation", code]
                ).result()
                #expect(built.status == 0, "\(built)")
                let set = try await phone.client("server", "set", url, "--pin", pin)
                #expect(set.status == 0, "\(set)")
                for device in devices {
                    let isWhole = try await eventually(seconds: 60) {
                        _ = try await device.sync()
                        return try await device.password("unsent") == "two"
                    }
                    #expect(isWhole, "\(device.name)")
                    #expect(try await device.password("kept") == "one")
                }
                try await new.stop()
            }
        }

        @Test
        func `an idle device says that the server lost the account, and whose name it has now`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let (laptop, server) = (devices[0], world.server)
                #expect(try await laptop.sync().status == 0)
                try await server.stop()
                // The certificate stays.
                for name in try FileManager.default.contentsOfDirectory(atPath: server.data)
                where name.hasPrefix("store") {
                    try FileManager.default.removeItem(atPath: server.data + "/" + name)
                }
                try await server.start()
                let isNamed = try await eventually(seconds: 60) {
                    let status = try await laptop.client("status", "--json")
                    #expect(!(status.output + status.errors).contains("logout"), "\(status)")
                    return status.output.contains(#""command":"sync-client server rebuild""#)
                }
                #expect(isNamed)
                try await laptop.restartDaemonAfterKill()
                let restarted = try await laptop.client("status")
                #expect(restarted.errors.contains("server rebuild"), "\(restarted)")

                let other = world.device("other")
                try await other.startDaemon()
                #expect(try await other.signUp(kit: "other.txt").status == 0)
                let taken = try await laptop.client("server", "rebuild", "--yes", "--json")
                #expect(taken.status == 77, "\(taken)")
                #expect(taken.errors.contains(#""code":"rebuild_name_taken""#), "\(taken)")
                for command in ["sync", "status"] {
                    let said = try await laptop.client(command).errors
                    #expect(said.contains("Somebody else has the account's name"), "\(said)")
                    #expect(!said.contains("server rebuild"), "\(said)")
                }
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
                let added = try await laptop.client("server", "pin", "add", pin, "--json")
                #expect(added.status == 0 && added.output.contains(#""pins":["#), "\(added)")
                try await server.stop()
                let silent = try await laptop.client("server")
                #expect(silent.status == 69 && silent.output.contains(pin), "\(silent)")
                let unseen = try await laptop.client("server", "pin", "remove", old)
                #expect(unseen.status == 69 && unseen.errors.contains("removed only"), "\(unseen)")
                try await server.start()
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
                let removed = try await laptop.client("server", "pin", "remove", old, "--json")
                #expect(removed.status == 0 && removed.output.contains(pin), "\(removed)")
                let after = try await laptop.client("server").output
                #expect(!after.contains(old) && after.contains("\(pin)  in use\n"), "\(after)")
                #expect(try await laptop.sync().status == 0)
            }
        }

        @Test
        func `a pin with a slip can be removed where the server's key has none of the pins`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let (laptop, server) = (devices[0], world.server)
                let old = try server.pin
                let slip = "sha256//" + String(repeating: "A", count: 43) + "="
                #expect(try await laptop.client("server", "pin", "add", slip).status == 0)
                try await server.stop()
                for options in [[], ["--use"]] as [[String]] {
                    let next = try await Programs.run(
                        "sync-server",
                        ["next-pin", "--data", server.data] + options,
                        environment: ProcessInfo.processInfo.environment
                    )
                    #expect(next.status == 0, "\(next)")
                }
                try await server.start()
                let removed = try await laptop.client("server", "pin", "remove", slip)
                #expect(removed.status == 0, "\(removed)")
                let right = try await laptop.client("server", "pin", "add", try server.pin)
                #expect(right.status == 0, "\(right)")
                #expect(try await laptop.client("server", "pin", "remove", old).status == 0)
                #expect(try await eventually { try await laptop.sync().status == 0 })
            }
        }
    }
}
