import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    struct LockTests {
        @Test
        func `a locked device syncs, and shows nothing`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("before", "one")
                try #require(try await eventually { try await phone.shows("before", "one") })
                let passcode = try world.write("2580\n", to: "passcode")
                let wrong = try world.write("2581\n", to: "wrong")
                let set = try await phone.client("passcode", "set", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                let code = try await Self.code(of: "before", on: phone)
                #expect(try await phone.client("lock").status == 0)
                #expect(try await Self.findStatus(phone, "before") == 36)
                let restored = try await phone.client("restore", code, "1", "--json")
                #expect(restored.status == 75, "\(restored)")
                #expect(restored.errors.contains(#""item_locked""#), "\(restored)")

                try await laptop.save("before", "two")
                try await laptop.save("meanwhile", "three")
                #expect(
                    try await eventually {
                        let status = try await phone.client("status", "--json")
                        return status.output.contains(#""waiting":2"#)
                    }
                )
                let refused = try await phone.client("unlock", "--passcode-file", wrong)
                #expect(refused.status == 77, "\(refused)")
                #expect(try await Self.findStatus(phone, "before") == 36)
                let doctor = try await phone.client("doctor")
                #expect(doctor.status == 0, "\(doctor)")
                let unlocked = try await phone.client("unlock", "--passcode-file", passcode)
                #expect(unlocked.status == 0, "\(unlocked)")
                #expect(try await eventually { try await phone.shows("meanwhile", "three") })
                #expect(try await phone.password("before") == "two")
            }
        }

        @Test
        func `a daemon with a passcode starts locked, and the passcode unlocks it`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("kept", "one")
                try #require(try await eventually { try await phone.shows("kept", "one") })
                let passcode = try world.write("2580", to: "passcode")
                _ = try await phone.client("passcode", "--passcode-file", passcode)
                try await phone.restartDaemonAfterKill()
                #expect(try await Self.findStatus(phone, "kept") == 36)
                let status = try await phone.client("status")
                #expect(status.output.contains("not unlocked since the start"), "\(status)")
                #expect(status.output.contains("\nintegrity    not checked (locked)\n"))
                let check = try await phone.client("status", "--check")
                #expect(check.status == 75 && check.errors.contains("locked"), "\(check)")
                let doctor = try await phone.client("doctor")
                #expect(doctor.status == 75, "\(doctor)")
                #expect(doctor.output.contains("Not checked (locked)"), "\(doctor)")
                #expect(try await phone.sync().status == 75)
                try await laptop.save("later", "two")
                let unlocked = try await phone.client(
                    "unlock",
                    "--passcode-file",
                    "-",
                    input: "2580\n"
                )
                #expect(unlocked.status == 0, "\(unlocked)")
                #expect(try await eventually { try await phone.shows("later", "two") })
                #expect(try await phone.password("kept") == "one")
                let removed = try await phone.client(
                    "passcode",
                    "remove",
                    "--passcode-file",
                    passcode
                )
                #expect(removed.status == 0, "\(removed)")
                try await phone.restartDaemonAfterKill()
                #expect(try await phone.password("kept") == "one")
            }
        }

        @Test
        func `a store cannot be watched before the first unlock`() async throws {
            try await World.withDevice { world, device in
                let passcode = try world.write("2580\n", to: "passcode")
                _ = try await device.client("passcode", "set", "--passcode-file", passcode)
                try await device.restartDaemonAfterKill()
                // A store without keys cannot be read either.
                let get = try await device.client("kv", "get", "app", "k")
                #expect(get.status == 75 && get.errors.contains("locked"), "\(get)")
                let set = try await device.start("sync-client", ["kv", "set", "app", "k", "1"])
                    .result()
                #expect(set.status == 75, "\(set)")
                let watch = try await device.client("kv", "watch", "app")
                #expect(watch.status == 75 && watch.output.isEmpty, "\(watch)")
                #expect(watch.errors.contains("run sync-client unlock"), "\(watch)")
                // After the first unlock, a lock does not end the watching.
                _ = try await device.client("unlock", "--passcode-file", passcode)
                _ = try await device.client("lock")
                let watching = try await device.start("sync-client", ["kv", "watch", "app"])
                let isReported = try await eventually {
                    // A change before the watching began is not reported: it is repeated.
                    _ = try await device.client("kv", "increment", "app", "n")
                    return watching.output.contains(#""key":"n""#)
                }
                #expect(isReported, "\(watching.errors)")
                await watching.kill()
            }
        }

        @Test
        func `a locked device asks for no passphrase`() async throws {
            try await World.withDevice { world, device in
                let kept = try world.write("no backup", to: "kept")
                #expect(try await device.client("lock").status == 0)
                for line in [["backup", world.path("new")], ["restore", kept]] {
                    // This file cannot be read, which would be another error.
                    let none = ["--passphrase-file", world.path("none")]
                    let result = try await device.start("sync-client", line + none).result()
                    #expect(result.status == 75, "\(result)")
                    #expect(result.errors.contains("The keychain is locked"), "\(result)")
                }
            }
        }

        /// The code that the history shows of an item.
        private static func code(of name: String, on device: Device) async throws -> String {
            struct History: Decodable { let item: String }
            let page = try await device.client("history", name, "--json")
            let histories = try JSONDecoder().decode([History].self, from: Data(page.output.utf8))
            return try #require(histories.first?.item, "\(page)")
        }

        private static func findStatus(_ device: Device, _ service: String) async throws -> Int32 {
            try await device.keychain(
                "find-generic-password",
                "--sync",
                "-s",
                service,
                "-a",
                "ada",
                "-w"
            ).status
        }
    }
}
