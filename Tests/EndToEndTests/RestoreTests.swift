import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A server that an operator restores, and what its devices put right.
    struct RestoreTests {
        private func restore(_ world: World, from backup: String) async throws {
            try await world.server.stop()
            let restored = try await world.server.command("restore", backup, "--force")
            #expect(restored.status == 0, "\(restored)")
            #expect(restored.output.hasSuffix("restored from \(backup)\n"), "\(restored)")
            try await world.server.start()
        }

        private func kv(_ device: Device, _ arguments: String...) async throws -> String {
            let result = try await device.start("sync-client", ["kv"] + arguments).result()
            #expect(result.status == 0, "\(result)")
            return result.output
        }

        private func status(_ device: Device) async throws -> String {
            try await device.client("status").output
        }

        /// The restore has one line, and asks its user for nothing.
        private func expectSaidOnce(_ shown: String) {
            let said = shown.split(separator: "\n").filter {
                $0.contains("back") || $0.contains("restore")
            }
            #expect(said.count == 1 && !shown.contains("\nnext "), "\(shown)")
        }

        /// Waits until a device has put the server right.
        private func expectEnd(on device: Device) async throws {
            let hasEnded = try await eventually(seconds: 60) {
                try await status(device).contains(": the server was restored or replaced: ")
            }
            let shown = try await status(device)
            #expect(hasEnded, "\(device.name): \(shown)")
            expectSaidOnce(shown)
        }

        /// Backup; edits, deletions, renames, counters and lists on three devices; restore.
        @Test
        func `after a restore three devices agree on everything, without a command`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { world, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                for name in ["kept", "edited", "gone", "renamed"] {
                    try await laptop.save(name, "one")
                }
                _ = try await kv(laptop, "increment", "app", "visits", "--by", "5")
                _ = try await kv(laptop, "add", "app", "notes", "a", "--text", "--type", "list")
                try await devices.sync()
                let backup = world.path("backup")
                #expect(try await world.server.command("backup", backup).status == 0)

                try await phone.save("edited", "two")
                try await devices.sync()
                let deleted = try await laptop.keychain("delete-generic-password", "-s", "gone")
                #expect(deleted.status == 0, "\(deleted)")
                _ = try await kv(laptop, "increment", "app", "visits", "--by", "10")
                _ = try await kv(phone, "increment", "app", "visits", "--by", "20")
                _ = try await kv(tablet, "add", "app", "notes", "b", "--text")
                try await tablet.save("new", "three")
                try await (devices + devices).sync()

                try await restore(world, from: backup)
                // One device writes without having heard of it.
                try await tablet.save("unsent", "four")
                for device in devices {
                    try await expectEnd(on: device)
                }
                try await (devices + devices).sync()
                for device in devices {
                    for (name, password) in [
                        ("kept", "one"), ("edited", "two"), ("new", "three"), ("unsent", "four"),
                        ("gone", nil),
                    ] as [(String, String?)] {
                        let shown = try await device.password(name)
                        #expect(shown == password, "\(device.name) \(name)")
                    }
                    #expect(try await kv(device, "get", "app", "visits") == "35\n")
                    let notes = try await kv(device, "get", "app", "notes")
                    #expect(notes.contains("a") && notes.contains("b"), "\(notes)")
                    let shown = try await status(device)
                    #expect(shown.contains("\nunsent       0\n"), "\(shown)")
                    #expect(!shown.contains("paused"), "\(shown)")
                }
                // A new device has the same.
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                #expect(try await fresh.password("new") == "three")
                #expect(try await fresh.password("gone") == nil)
                #expect(try await kv(fresh, "get", "app", "visits") == "35\n")
            }
        }

        @Test
        func `a server that is restored for the fourth time is asked when its user wants it`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                try await laptop.save("before", "one")
                try await devices.sync()
                let backup = world.path("backup")
                #expect(try await world.server.command("backup", backup).status == 0)
                for number in 1...5 {
                    try await laptop.save("after \(number)", "\(number)")
                    try await devices.sync()
                    try await restore(world, from: backup)
                    let isHeard = try await eventually(seconds: 60) {
                        let shown = try await status(laptop)
                        return shown.contains("several times in a row")
                            || shown.contains(" restored or replaced: \(number) record")
                    }
                    let shown = try await status(laptop)
                    #expect(isHeard && !shown.contains("\nproblem "), "\(shown)")
                    #expect(shown.contains("several times in a row") == (number > 3), "\(shown)")
                    try await devices.sync()
                }
            }
        }

        @Test
        func `a device that is killed at any time of the comparison goes on`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                try await laptop.save("before", "one")
                try await devices.sync()
                let backup = world.path("backup")
                #expect(try await world.server.command("backup", backup).status == 0)
                for number in 1...40 { try await laptop.save("after \(number)", "\(number)") }
                try await devices.sync()
                try await restore(world, from: backup)
                for wait in [0, 30, 60, 120, 250, 500, 1000, 2000] {
                    try await Task.sleep(for: .milliseconds(wait))
                    try await laptop.restartDaemonAfterKill()
                }
                try await expectEnd(on: laptop)
                try await devices.sync()
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                for number in [1, 20, 40] {
                    #expect(try await fresh.password("after \(number)") == "\(number)")
                }
            }
        }

        @Test
        func `a locked device compares after the unlock`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let file = try world.write("2580", to: "passcode")
                let passcode = try await laptop.client("passcode", "--passcode-file", file)
                #expect(passcode.status == 0, "\(passcode)")
                try await devices.sync()
                let backup = world.path("backup")
                #expect(try await world.server.command("backup", backup).status == 0)
                try await laptop.save("after", "two")
                try await devices.sync()
                try await restore(world, from: backup)
                #expect(try await laptop.client("lock").status == 0)
                #expect(
                    try await eventually {
                        _ = try await laptop.sync()
                        return try await status(laptop).contains("replaced: comparing")
                    }
                )
                #expect(try await laptop.client("unlock", "--passcode-file", file).status == 0)
                try await expectEnd(on: laptop)
                try await devices.sync()
            }
        }

        @Test
        func `a logout before the device has heard of a restore is refused`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let backup = world.path("backup")
                #expect(try await world.server.command("backup", backup).status == 0)
                try await laptop.save("after", "two")
                try await devices.sync()
                await (try laptop.runningDaemon).stop()
                try await restore(world, from: backup)
                try await laptop.startDaemon()
                let logout = try await laptop.client("logout")
                #expect([0, 77].contains(logout.status), "\(logout)")
                if logout.status == 77 { expectOneSentence(logout, saying: "may not have all") }
                if logout.status == 77 { #expect(try await laptop.password("after") == "two") }
            }
        }
    }
}
