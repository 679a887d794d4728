import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Devices of one name, named after codes, and ones that the user has not seen yet.
    struct DeviceNewsTests {
        private struct Listed: Decodable {
            let name: String?
            let code: String
        }

        private struct News: Decodable, Equatable {
            let change: String
            let name: String?
        }

        private struct Told: Decodable {
            let deviceNews: [News]?
        }

        private func listed(_ device: Device) async throws -> [Listed] {
            let result = try await device.client("devices", "--json")
            #expect(result.status == 0, "\(result)")
            return try JSONDecoder().decode([Listed].self, from: Data(result.output.utf8))
        }

        private func news(_ device: Device, _ command: String) async throws -> [News]? {
            let result = try await device.client(command, "--json")
            #expect(result.status == 0, "\(result)")
            return try JSONDecoder().decode(Told.self, from: Data(result.output.utf8)).deviceNews
        }

        @Test
        func `a device that was added or removed is reported until the user looks`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                for device in devices { #expect(try await device.sync().status == 0) }
                let added = News(change: "added", name: "phone")
                #expect(try await news(laptop, "sync") == [added])
                // The list as JSON is for programs, which do not look.
                _ = try await listed(laptop)
                #expect(try await news(laptop, "status") == [added])
                let sync = try await laptop.sync()
                #expect(sync.output.hasPrefix("pushed 0"), "\(sync)")
                #expect(sync.errors.contains("added phone ("), "\(sync)")
                let status = try await laptop.client("status")
                #expect(status.output.contains("\ndevices      added phone ("), "\(status)")
                // A restart does not forget it.
                try await laptop.restartDaemonAfterKill()
                #expect(try await news(laptop, "status") == [added])
                // The phone has seen the devices that were there before it.
                #expect(try await news(phone, "sync") == [])

                let list = try await laptop.client("devices")
                #expect(list.output.contains("\nSince you last looked: added phone ("), "\(list)")
                #expect(try await news(laptop, "status") == [])
                #expect(try await laptop.sync().errors.isEmpty)
                #expect(try await !laptop.client("devices").output.contains("Since you"))

                // A device that logged out comes back under another name; its first one is removed.
                #expect(try await phone.client("logout").status == 0)
                #expect(try await phone.logIn().status == 0)
                #expect(try await phone.client("revoke", "phone").status == 0)
                #expect(try await news(phone, "status") == [])
                #expect(
                    try await news(laptop, "sync") == [
                        News(change: "added", name: "phone 2"),
                        News(change: "removed", name: "phone"),
                    ]
                )
            }
        }

        @Test
        func `a login removes the device that it names, and says which`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { world, devices in
                let (laptop, tablet) = (devices[0], devices[2])
                #expect(try await laptop.sync().status == 0)
                let all = try await listed(laptop)
                let new = world.device("new")
                try await new.startDaemon()
                let unknown = try await new.logIn(options: ["--remove-device", "nobody"])
                #expect(unknown.status == 1)
                expectOneSentence(unknown, saying: "but these: laptop (\(all[0].code)), phone (")
                let login = try await new.logIn(options: ["--remove-device", "phone"])
                #expect(login.status == 0, "\(login)")
                let line = "Removed from the account: phone (\(all[1].code)).\n"
                #expect(login.output.hasPrefix(line), "\(login)")
                #expect(try await laptop.sync().status == 0)
                #expect(try await listed(laptop).map(\.name) == ["laptop", "tablet", "new"])

                // Named after the code of another one: both can be removed.
                #expect(try await tablet.client("logout").status == 0)
                let thief = world.device(all[0].code)
                try await thief.startDaemon()
                #expect(try await thief.logIn().status == 0)
                #expect(try await new.sync().status == 0)
                let removed = try await new.client("revoke", all[0].code)
                #expect(removed.status == 0, "\(removed)")
                #expect(removed.output.hasPrefix("Removed from the account: laptop ("))
                let code = try #require(try await listed(new).last?.code)
                #expect(try await new.client("revoke", code).status == 0)
                #expect(try await listed(new).map(\.name) == ["tablet", "new"])
            }
        }

        @Test
        func `a device is removed right after a restore`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "one")
                for device in devices + devices { #expect(try await device.sync().status == 0) }
                try await restoreServer(world) { () async throws in
                    try await laptop.save("lost", "two")
                    #expect(try await laptop.sync().status == 0)
                }
                let removed = try await laptop.client("revoke", "phone")
                #expect(removed.status == 0, "\(removed)")
                #expect(removed.output.hasPrefix("Removed from the account: phone ("))
                #expect(try await listed(laptop).map(\.name) == ["laptop"])
                #expect(try await phone.sync().status == 77)
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.shows("lost", "two"))
            }
        }

        /// Backs the server up and puts it back to that state, and does something in between.
        private func restoreServer(
            _ world: World,
            after work: () async throws -> Void = {}
        ) async throws {
            let backup = world.path("backup")
            #expect(try await world.server.command("backup", backup).status == 0)
            try await work()
            try await world.server.stop()
            #expect(try await world.server.command("restore", backup, "--force").status == 0)
            try await world.server.start()
        }

        @Test
        func `a device that a restored server has again is out again by itself`() async throws {
            try await World.withDevices("laptop", "lost") { world, devices in
                let (laptop, lost) = (devices[0], devices[1])
                for device in devices + devices { #expect(try await device.sync().status == 0) }
                try await restoreServer(world) { () async throws in
                    #expect(try await laptop.client("revoke", "lost").status == 0)
                    // To repeat the command changes nothing.
                    #expect(try await laptop.client("revoke", "lost").status == 0)
                    try await laptop.save("mail", "one")
                    #expect(try await laptop.sync().status == 0)
                }
                #expect(try await eventually { try await laptop.sync().status == 0 })
                #expect(try await eventually { try await lost.sync().status == 77 })
                #expect(try await listed(laptop).map(\.name) == ["laptop"])
                let new = world.device("new")
                try await new.startDaemon()
                #expect(try await new.logIn().status == 0)
                #expect(try await new.shows("mail", "one"))
            }
        }

        @Test
        func `a device that a restored server does not know comes back by itself`() async throws {
            try await World.withDevices("laptop", "old") { world, devices in
                for device in devices + devices { #expect(try await device.sync().status == 0) }
                let new = world.device("new")
                try await new.startDaemon()
                try await restoreServer(world) { () async throws in
                    #expect(try await new.logIn().status == 0)
                    try await new.save("mail", "one")
                    #expect(try await new.sync().status == 0)
                }
                #expect(try await eventually { try await new.sync().status == 0 })
                #expect(try await eventually { try await devices[0].shows("mail", "one") })
                #expect(try await listed(devices[0]).map(\.name) == ["laptop", "old", "new"])
            }
        }
    }
}
