import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Whatever happens to the server, the devices put it right: the whole story, with a device
    /// that was revoked and one that was added since the backup.
    struct LostServerTests {
        enum Loss: CaseIterable {
            case restored
            case emptied
        }

        private func kv(_ device: Device, _ arguments: String...) async throws -> String {
            let result = try await device.start("sync-client", ["kv"] + arguments).result()
            #expect(result.status == 0, "\(arguments): \(result)")
            return result.output
        }

        private func delete(_ name: String, on device: Device) async throws {
            let result = try await device.keychain("delete-generic-password", "--sync", "-s", name)
            #expect(result.status == 0, "\(result)")
        }

        private func operate(_ world: World, _ arguments: String...) async throws {
            let result = try await world.server.command(arguments)
            #expect(result.status == 0, "\(result)")
        }

        /// The server loses everything, or what came after the backup; its key stays.
        private func lose(_ loss: Loss, _ world: World, _ backup: String) async throws {
            let server = world.server
            switch loss {
            case .restored: try await operate(world, "restore", backup, "--force")
            case .emptied:
                for name in try FileManager.default.contentsOfDirectory(atPath: server.data)
                where name.hasPrefix("store") {
                    try FileManager.default.removeItem(atPath: server.data + "/" + name)
                }
            }
            try await server.start()
        }

        private static let passwords: [(name: String, password: String?)] = [
            ("kept", "one"), ("edited", "three"), ("gone", nil), ("renamed", "one"),
            ("new", "four"), ("of the new device", "five"), ("unsent", "six"),
        ]

        /// What a device shows, and should not.
        private func faults(of device: Device) async throws -> [String] {
            var faults: [String] = []
            for (name, password) in Self.passwords {
                let shown = try await device.password(name)
                if shown != password { faults.append("\(name) is \(shown ?? "gone")") }
            }
            let list = try await device.keychain("list").output
            if !list.contains("another title") { faults.append("the title is the old one") }
            for (key, values) in [
                ("visits", ["1132"]), ("notes", ["b", "c"]), ("tags", ["t2", "t3"]),
            ] {
                let shown = try await device.client("kv", "get", "app", key).output
                // A set has no order.
                let found = shown.matches(of: /\w+/).map { String($0.output) }
                if (key == "tags" ? found.sorted() : found) != values {
                    faults.append("\(key) is \(shown)")
                }
            }
            return faults
        }

        private func makeAll(on laptop: Device) async throws {
            for name in ["kept", "edited", "gone", "renamed"] {
                try await laptop.save(name, "one")
            }
            _ = try await kv(laptop, "increment", "app", "visits", "--by", "5")
            _ = try await kv(laptop, "add", "app", "notes", "a", "b", "--text", "--type", "list")
            _ = try await kv(laptop, "add", "app", "tags", "t1", "t2", "--text", "--type", "set")
        }

        /// Edits, deletions, renames, counters, lists and sets on three devices.
        private func changeAll(_ laptop: Device, _ phone: Device, _ tablet: Device) async throws {
            try await phone.save("edited", "two")
            try await [phone, tablet].sync()
            try await tablet.save("edited", "three")
            try await delete("gone", on: laptop)
            let renamed = try await laptop.keychain("rename", "renamed", "another title")
            #expect(renamed.status == 0, "\(renamed)")
            _ = try await kv(laptop, "increment", "app", "visits", "--by", "10")
            _ = try await kv(phone, "increment", "app", "visits", "--by", "20")
            _ = try await kv(tablet, "increment", "app", "visits", "--by=-3")
            _ = try await kv(laptop, "remove", "app", "notes", "a", "--text")
            _ = try await kv(phone, "add", "app", "notes", "c", "--text")
            _ = try await kv(phone, "add", "app", "tags", "t3", "--text")
            _ = try await kv(tablet, "remove", "app", "tags", "t1", "--text")
            try await [laptop, phone, tablet, laptop, phone, tablet].sync()
        }

        @Test(arguments: Loss.allCases)
        func `nothing is lost and nothing comes back, and the revoked device stays out`(
            loss: Loss
        ) async throws {
            try await World.withDevices("laptop", "phone", "tablet", "stolen") { world, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                let stolen = devices[3]
                try await makeAll(on: laptop)
                try await devices.sync()
                let backup = world.path("backup")
                try await operate(world, "backup", backup)
                try await changeAll(laptop, phone, tablet)
                let revoked = try await laptop.client("revoke", "stolen")
                #expect(revoked.status == 0, "\(revoked)")
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                try await fresh.save("of the new device", "five")
                _ = try await kv(fresh, "increment", "app", "visits", "--by", "100")
                try await tablet.save("new", "four")
                let members = [laptop, phone, tablet, fresh]
                try await (members + members).sync()

                try await world.server.stop()
                try await phone.save("unsent", "six")
                _ = try await kv(tablet, "increment", "app", "visits", "--by", "1000")
                try await lose(loss, world, backup)
                if loss == .emptied {
                    let rebuilt = try await laptop.client("server", "rebuild", "--yes")
                    #expect(rebuilt.status == 0, "\(rebuilt)")
                }
                // From here on nothing is typed that changes or syncs anything.
                for device in members {
                    let isRight = try await eventually(seconds: 120) {
                        let status = try await device.client("status").output
                        guard status.contains("\nunsent       0\n") else { return false }
                        return try await faults(of: device).isEmpty
                    }
                    let status = try await device.client("status")
                    let found = try await faults(of: device)
                    #expect(isRight, "\(device.name): \(found) \(status)")
                    #expect(status.status == 0 && !status.output.contains("\nnext "), "\(status)")
                }
                try await expectOut(stolen)
                let list = try await phone.client("devices").output
                #expect(!list.contains("\nstolen "), "\(list)")
                #expect(list.contains("\nfresh "), "\(list)")
                let last = world.device("last")
                try await last.startDaemon()
                let joined = try await last.logIn()
                #expect(joined.status == 0, "\(joined)")
                #expect(try await faults(of: last) == [])
            }
        }

        /// The revoked device got nothing that was written since, although the backup lists it.
        private func expectOut(_ stolen: Device) async throws {
            // On a busy machine the first answer may be late.
            var said = try await stolen.sync()
            let isOut = try await eventually {
                said = try await stolen.sync()
                return said.status == 77
            }
            #expect(isOut, "\(said)")
            for name in ["new", "of the new device", "unsent"] {
                #expect(try await stolen.password(name) == nil, "\(name)")
            }
        }

        @Test
        func `a further restore in the middle of the comparison, and a device that edits`()
            async throws
        {
            try await World.withDevices("laptop", "phone", "tablet") { world, devices in
                let (laptop, tablet) = (devices[0], devices[2])
                try await laptop.save("before", "one")
                _ = try await kv(laptop, "increment", "app", "visits", "--by", "5")
                try await devices.sync()
                let backup = world.path("backup")
                try await operate(world, "backup", backup)
                for number in 1...30 { try await laptop.save("after \(number)", "\(number)") }
                _ = try await kv(laptop, "increment", "app", "visits", "--by", "10")
                try await delete("before", on: laptop)
                try await (devices + devices).sync()
                for (number, wait) in [150, 600, 1500].enumerated() {
                    try await world.server.stop()
                    try await lose(.restored, world, backup)
                    try await tablet.save("during \(number)", "\(number)")
                    _ = try await kv(tablet, "increment", "app", "visits")
                    try await tablet.save("after 7", "edited \(number)")
                    try await Task.sleep(for: .milliseconds(wait))
                }
                for device in devices {
                    let isRight = try await eventually(seconds: 120) {
                        let status = try await device.client("status").output
                        let visits = try await device.client("kv", "get", "app", "visits").output
                        let edited = try await device.password("after 7")
                        return status.contains("\nunsent       0\n") && visits == "18\n"
                            && edited == "edited 2" && !status.contains("the server went back")
                    }
                    let status = try await device.client("status")
                    #expect(isRight, "\(device.name): \(status)")
                    #expect(try await device.password("before") == nil)
                    for number in 0..<3 {
                        #expect(try await device.password("during \(number)") == "\(number)")
                    }
                    for number in [1, 15, 30] {
                        #expect(try await device.password("after \(number)") == "\(number)")
                    }
                }
            }
        }
    }
}
