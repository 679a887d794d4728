import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `devices` and `revoke`: a device that was lost, and those that stay.
    struct RevokeTests {
        private struct Listed: Decodable, Equatable {
            let name: String?
            let code: String
            let isThisDevice: Bool
            let addedBy: String?
        }

        private func listed(_ device: Device) async throws -> [Listed] {
            let result = try await device.client("devices", "--json")
            #expect(result.status == 0, "\(result)")
            return try JSONDecoder().decode([Listed].self, from: Data(result.output.utf8))
        }

        private func syncAll(_ devices: [Device]) async throws {
            for device in devices + devices {
                let result = try await device.sync()
                #expect(result.status == 0, "\(result)")
            }
        }

        @Test
        func `a removed device gets nothing new, and the others go on`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { _, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                try await laptop.save("mail", "old")
                try await syncAll(devices)
                let removed = try await phone.client("revoke", "laptop")
                #expect(removed.status == 0, "\(removed)")
                #expect(removed.output.hasPrefix("Removed from the account: laptop ("))

                try await phone.save("mail", "new")
                try await tablet.save("bank", "secret")
                try await syncAll([phone, tablet])
                for device in [phone, tablet] {
                    #expect(try await device.shows("mail", "new"))
                    #expect(try await device.shows("bank", "secret"))
                    #expect(try await listed(device).map(\.name) == ["phone", "tablet"])
                }

                try await laptop.save("lost", "thief")
                let refused = try await laptop.sync()
                #expect(refused.status == 77)
                expectOneSentence(refused, saying: "may have been removed from the account")
                #expect(try await laptop.shows("mail", "old"))
                #expect(try await laptop.shows("bank", nil))
                try await syncAll([phone, tablet])
                #expect(try await phone.shows("lost", nil))
            }
        }

        private struct State: Decodable {
            let refusedSince: String?
            let problem: String?
            let unsent: Int
        }

        private func state(_ device: Device, status: Int32) async throws -> State {
            let result = try await device.client("status", "--json")
            #expect(result.status == status, "\(result)")
            return try JSONDecoder().decode(State.self, from: Data(result.output.utf8))
        }

        @Test
        func `every command of a removed device says what is wrong and what helps`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await syncAll(devices)
                let before = try await state(laptop, status: 0)
                #expect(before.refusedSince == nil && before.problem == nil)
                #expect(try await phone.client("revoke", "laptop").status == 0)
                try await laptop.save("mail", "new")
                #expect(try await laptop.sync().status == 77)
                // A daemon that has not reached the server yet says the same.
                try await world.server.stop()
                try await laptop.restartDaemonAfterKill()
                let advice = ["refuses this device", "logout --keep-items", "sync-client login"]

                let status = try await laptop.client("status")
                #expect(status.status == 77)
                #expect(status.output.contains(/\nrefused +by the server since 20/), "\(status)")
                for part in advice { expectOneSentence(status, saying: part) }
                let json = try await state(laptop, status: 77)
                #expect(json.refusedSince != nil && json.unsent == 1)
                #expect(json.problem?.contains("refuses this device") == true)
                let list = try await laptop.client("devices")
                #expect(list.status == 77 && list.output.contains("this device"), "\(list)")
                for part in advice { expectOneSentence(list, saying: part) }
                let values = try await laptop.client("kv", "status", "app")
                #expect(values.output.contains("unsent  1 item or value, of all"), "\(values)")
                #expect(values.output.contains("refuses this device"), "\(values)")
                let logout = try await laptop.client("logout")
                #expect(logout.status == 1 && !logout.errors.contains("sync-client sync first"))
                expectOneSentence(logout, saying: "1 item or value", "cannot sync", "--keep-items")

                try await world.server.start()
                #expect(try await laptop.client("logout", "--keep-items").status == 0)
                #expect(try await laptop.logIn().status == 0)
                #expect(try await laptop.sync().status == 0)
                #expect(try await state(laptop, status: 0).refusedSince == nil)
                #expect(try await laptop.client("devices").status == 0)
            }
        }

        @Test
        func `a removed device that does nothing learns of it too`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await syncAll(devices)
                #expect(try await phone.client("revoke", "laptop").status == 0)
                let isKnown = try await eventually {
                    try await laptop.client("status", "--check").status == 77
                }
                #expect(isKnown)
                #expect(try await laptop.client("devices").status == 77)
                #expect(try await state(laptop, status: 77).refusedSince != nil)
            }
        }

        @Test
        func `a removed device that was found comes back with what it had not sent`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "old")
                let start = try await laptop.client("kv", "increment", "app", "visits")
                #expect(start.status == 0, "\(start)")
                try await syncAll(devices)
                #expect(try await phone.client("revoke", "laptop").status == 0)
                try await laptop.save("mail", "newer")
                let counted = try await laptop.client("kv", "increment", "app", "visits")
                #expect(counted.status == 0, "\(counted)")
                let other = try await phone.client("kv", "increment", "app", "visits")
                #expect(other.status == 0, "\(other)")
                #expect(try await phone.sync().status == 0)
                #expect(try await laptop.sync().status == 77)

                #expect(try await laptop.client("logout", "--keep-items").status == 0)
                let back = try await laptop.logIn()
                #expect(back.status == 0, "\(back)")
                try await syncAll(devices)
                for device in devices {
                    #expect(try await device.shows("mail", "newer"))
                    let visits = try await device.client("kv", "get", "app", "visits")
                    #expect(visits.output == "3\n", "\(visits)")
                    #expect(try await listed(device).map(\.name) == ["phone", "laptop"])
                }
            }
        }

        @Test
        func `mistakes change nothing`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let all = try await listed(laptop)
                #expect(all.map(\.name) == ["laptop", "phone"])
                #expect(all.map(\.isThisDevice) == [true, false])
                #expect(all.map(\.addedBy) == [nil, nil])

                let nobody = try await laptop.client("revoke", "nobody")
                #expect(nobody.status == 1)
                expectOneSentence(nobody, saying: "no device of the name or code nobody")
                let itself = try await laptop.client("revoke", "laptop")
                #expect(itself.status == 64)
                expectOneSentence(itself, saying: "sync-client logout")
                // One wrong name: none is removed.
                #expect(try await laptop.client("revoke", "phone", "nobody").status == 1)
                #expect(try await laptop.client("revoke").status == 64)
                try await world.server.stop()
                let offline = try await laptop.client("revoke", "phone")
                #expect(offline.status == 69)
                expectOneSentence(offline, saying: "only it can remove a device")
                try await world.server.start()
                #expect(try await listed(laptop).count == 2)
                #expect(try await phone.sync().status == 0)

                let byCode = try await laptop.client("revoke", all[1].code)
                #expect(byCode.status == 0, "\(byCode)")
                #expect(try await listed(laptop).map(\.name) == ["laptop"])
                // Who repeats the command, because its answer was lost, hears the same.
                let again = try await laptop.client("revoke", all[1].code, "phone", "phone")
                #expect(again.status == 0 && again.output == byCode.output, "\(again)")
                let stranger = world.device("stranger")
                try await stranger.startDaemon()
                let alone = try await stranger.client("devices")
                #expect(alone.status == 1)
                expectOneSentence(alone, saying: "no account yet")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `on a terminal revoke shows the devices and asks`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { _, devices in
                let laptop = devices[0]
                try await syncAll(devices)
                let phone = try #require(try await listed(laptop).first { $0.name == "phone" })
                let question = "Remove this device from the account? [y/N]: "
                let refused = try await TerminalProgram(laptop, ["revoke", "phone"])
                try await refused.answer(question, "", after: "  phone  \(phone.code)")
                #expect(try await refused.end().contains("No device was removed."))
                #expect(try await listed(laptop).count == 3)
                let agreed = try await TerminalProgram(laptop, ["revoke", phone.code])
                try await agreed.answer(question, "yes")
                #expect(try await agreed.end().contains("Removed from the account: phone"))
                let unasked = try await TerminalProgram(laptop, ["revoke", "tablet", "--yes"])
                #expect(try await unasked.end().contains("Removed from the account: tablet"))
                #expect(try await listed(laptop).map(\.name) == ["laptop"])
            }
        }

        @Test
        func `a locked device revokes nobody`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let laptop = devices[0]
                let file = try world.write("a passcode\n", to: "passcode")
                let set = try await laptop.client("passcode", "set", "--passcode-file", file)
                #expect(set.status == 0, "\(set)")
                #expect(try await laptop.client("lock").status == 0)
                let locked = try await laptop.client("revoke", "phone")
                #expect(locked.status == 75)
                expectOneSentence(locked, saying: "locked")
                let unlock = try await laptop.client("unlock", "--passcode-file", file)
                #expect(unlock.status == 0, "\(unlock)")
                #expect(try await listed(laptop).count == 2)
                #expect(try await laptop.client("revoke", "phone").status == 0)
            }
        }

        @Test
        func `two devices that revoke each other at the same time: one stays`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                async let first = devices[0].client("revoke", "phone")
                async let second = devices[1].client("revoke", "laptop")
                let results = try await [first, second]
                #expect(results.map(\.status).sorted() == [0, 77], "\(results)")
            }
        }
    }
}
