import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A device deletes most of what the others have.
    struct DeletionGuardTests {
        private static let names = (0..<24).map { "site-\($0)" }

        private struct Deletion: Decodable {
            let title: String
            let device: String?
        }

        private struct Status: Decodable {
            let deletions: Int
            let next: Next?

            struct Next: Decodable {
                let code: String
                let command: String?
            }
        }

        private func deleteAll(on device: Device) async throws {
            for name in Self.names {
                let deleted = try await device.keychain("delete-generic-password", "-s", name)
                #expect(deleted.status == 0, "\(deleted)")
            }
            #expect(try await device.sync().status == 0)
        }

        private func status(_ device: Device) async throws -> Status {
            let result = try await device.client("status", "--json")
            return try JSONDecoder().decode(Status.self, from: Data(result.output.utf8))
        }

        private func count(on device: Device) async throws -> Int {
            let list = try await device.keychain("list")
            return list.output.split(separator: "\n").count { $0.contains("site-") }
        }

        @Test
        func `the others keep their items until somebody answers`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { _, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                for name in Self.names + ["kept"] { try await laptop.save(name, "secret") }
                for device in devices { #expect(try await device.sync().status == 0) }
                #expect(try await count(on: phone) == 24)
                try await deleteAll(on: laptop)
                for device in [phone, tablet] {
                    let sync = try await device.sync()
                    #expect(sync.status == 75, "\(sync)")
                    #expect(sync.errors.contains("24 items"), "\(sync)")
                    #expect(sync.errors.contains("sync-client deletions keep"), "\(sync)")
                    // The first twenty may be gone.
                    #expect(try await count(on: device) >= 4)
                    let status = try await status(device)
                    #expect(status.deletions == 24)
                    #expect(status.next?.code == "deletions_held")
                    #expect(status.next?.command == "sync-client deletions")
                    #expect(try await device.client("status", "--check").status == 75)
                }
                // All else syncs meanwhile.
                try await phone.save("new", "one")
                _ = try await phone.sync()
                #expect(try await eventually { try await laptop.password("new") == "one" })

                let list = try await phone.client("deletions", "--json")
                let shown = try JSONDecoder().decode([Deletion].self, from: Data(list.output.utf8))
                #expect(Set(shown.map(\.title)) == Set(Self.names))
                #expect(shown.allSatisfy { $0.device == "laptop" })
                let unasked = try await phone.client("deletions", "accept")
                #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")

                let kept = try await phone.client("deletions", "keep")
                #expect(kept.status == 0 && kept.output.contains("Kept 24 items"), "\(kept)")
                for device in [phone, laptop, tablet] {
                    #expect(
                        try await eventually(seconds: 60) {
                            let sync = try await device.sync()
                            let count = try await count(on: device)
                            return sync.status == 0 && count == 24
                        },
                        "\(device.name)"
                    )
                    #expect(try await device.password("site-7") == "secret")
                }

                try await deleteAll(on: laptop)
                #expect(try await phone.sync().status == 75)
                let gone = try await phone.client("deletions", "accept", "--yes")
                #expect(gone.status == 0 && gone.output.contains("Deleted 24 items"), "\(gone)")
                #expect(try await phone.sync().status == 0)
                #expect(try await count(on: phone) == 0)
                #expect(try await phone.password("kept") == "secret")
                #expect(try await phone.client("deleted").output.contains("site-7"))
                let again = try await phone.client("deletions", "accept", "--yes")
                #expect(again.status == 0 && again.output.contains("nothing"), "\(again)")
                // The tablet is asked on its own, and has the last of them.
                _ = try await tablet.sync()
                #expect(try await status(tablet).deletions == 24)
                let logout = try await tablet.client("logout")
                #expect(logout.status == 75, "\(logout)")
                #expect(logout.errors.contains("deletions keep"), "\(logout)")
                // The same number as `sync` and `status` say.
                #expect(logout.errors.contains("24 items"), "\(logout)")
                #expect(try await count(on: tablet) >= 4)
                let discarded = try await tablet.client("logout", "--discard-unsent")
                #expect(discarded.status == 0, "\(discarded)")
            }
        }

        /// What a locked device has received may be deletions.
        @Test
        func `a locked device says that it is locked, not that there is nothing to decide`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let passcode = try world.write("2580\n", to: "passcode")
                let set = try await laptop.client("passcode", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                let commands = [["show"], ["keep"], ["accept", "--yes"]]
                for command in commands {
                    let result = try await laptop.start("sync-client", ["deletions"] + command)
                        .result()
                    #expect(result.status == 0, "\(result)")
                }
                #expect(try await laptop.client("lock").status == 0)
                for command in commands {
                    let words = ["deletions"] + command + ["--json"]
                    let result = try await laptop.start("sync-client", words).result()
                    #expect(result.status == 75, "\(result)")
                    #expect(result.errors.contains(#""code":"locked""#), "\(result)")
                    #expect(result.errors.contains("run sync-client unlock"), "\(result)")
                }
            }
        }
    }
}
