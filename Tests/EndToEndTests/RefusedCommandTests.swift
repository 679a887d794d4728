import Foundation
import KSTestPrograms
import KeyValueStore
import Testing

extension EndToEndTests {
    /// A command that is refused, or ends half-way: the device goes on as if it had not been given.
    struct RefusedCommandTests {
        private struct State: Decodable {
            let problem: String?
            let unsent: Int
        }

        private func state(_ device: Device) async throws -> State {
            let result = try await device.client("status", "--json")
            return try JSONDecoder().decode(State.self, from: Data(result.output.utf8))
        }

        /// Ordinary commands after the refused one: all of them work, and reach the other device.
        private func expectWorks(
            _ device: Device,
            _ other: Device,
            after command: [String],
            _ number: Int
        ) async throws {
            let secret = "secret \(number)"
            try await device.save("mail", secret)
            let set = try await device.client("kv", "set", "app", "theme", "\(number)")
            #expect(set.status == 0, "after \(command): \(set)")
            for each in [device, other, device] {
                let sync = try await each.sync()
                #expect(sync.status == 0, "after \(command): \(sync)")
            }
            #expect(try await other.shows("mail", secret), "after \(command)")
            let value = try await other.client("kv", "get", "app", "theme")
            #expect(value.output == "\(number)\n", "after \(command): \(value)")
            let state = try await state(device)
            #expect(state.problem == nil && state.unsent == 0, "after \(command): \(state)")
        }

        @Test
        func `a refused command changes nothing for the commands after it`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let garbage = try world.write("garbage\n", to: "garbage")
                let passcode = try world.write("a passcode\n", to: "passcode")
                let account = [
                    "--server", try world.server.url, "--pin", try world.server.pin, "--account",
                    "grace", "--device", "other", "--password-file", world.passwordFile,
                ]
                let commands: [[String]] = [
                    ["revoke", "nobody"], ["revoke", "laptop"],
                    ["login", "--account-key", try world.accountKey] + account,
                    ["signup", "--kit", world.path("other-kit")] + account,
                    ["passcode", "remove", "--passcode-file", passcode],
                    ["restore", garbage, "--passphrase-file", passcode],
                    ["import", garbage], ["import", world.path("missing")],
                    ["kv", "set", "app", "theme", "{", "--type", "list"],
                    ["kv", "limits", "app", "--keys=-1"], ["doctor", "--replace", "aaaaaaaa"],
                    ["passcode", "--lock-after=-1"],
                ]
                for (number, command) in commands.enumerated() {
                    let result = try await laptop.start("sync-client", command).result()
                    #expect(result.status != 0, "\(command): \(result)")
                    try await expectWorks(laptop, phone, after: command, number)
                }
            }
        }

        /// The phone has joined since the laptop's daemon was started.
        @Test
        func `a logout that is refused offline stops no sync`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                for device in devices { #expect(try await device.sync().status == 0) }
                try await world.server.kill()
                try await laptop.save("mail", "unsent")
                for command in [["logout"], ["revoke", "phone"]] {
                    let refused = try await laptop.start("sync-client", command).result()
                    #expect(refused.status != 0 && refused.errors.contains("Nothing was changed"))
                }
                #expect(try await laptop.sync().status == 69)
                try await world.server.start()
                try await expectWorks(laptop, phone, after: ["logout"], 1)
            }
        }

        /// The account has new keys since the laptop's daemon was started.
        @Test
        func `a logout from a full account is refused, and sync goes on as before`()
            async throws
        {
            try await World.withDevices("laptop", "phone", "lost") { world, devices in
                let laptop = devices[0]
                for device in devices { #expect(try await device.sync().status == 0) }
                try await world.server.stop()
                try await world.server.start(["--quota", "1"])
                // Each is sealed in half a mebibyte, so there is no room for two of them.
                let large = String(repeating: "x", count: 300_000)
                let store = KeyValueStore(home: laptop.home)
                for key in ["one", "two"] {
                    try store.set(large, forKey: key)
                    #expect(store.synchronize())
                    _ = try await laptop.sync()
                }
                let revoked = try await laptop.client("revoke", "lost")
                #expect(revoked.status == 0, "\(revoked)")
                let refused = try await laptop.client("logout")
                #expect(refused.status == 1, "\(refused)")
                expectOneSentence(refused, saying: "1 item or value", "Nothing was changed")
                let full = try await laptop.sync()
                #expect(full.status == 1, "\(full)")
                expectOneSentence(full, saying: "The account is full")
                store.removeValue(forKey: "one")
                #expect(store.synchronize())
                let sent = try await laptop.sync()
                #expect(sent.status == 0, "\(sent)")
                #expect(try await devices[1].sync().status == 0)
                let two = KeyValueStore(home: devices[1].home).value(String.self, forKey: "two")
                #expect(two == large)
            }
        }
    }
}
