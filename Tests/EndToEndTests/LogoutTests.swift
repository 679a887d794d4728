import Foundation
import GRDB
import KSTestPrograms
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

extension EndToEndTests {
    /// A device that leaves its account, and one that joins it again.
    struct LogoutTests {
        private func value(_ device: Device, _ key: String) async throws -> String {
            let result = try await device.client("kv", "get", "app", key)
            return result.status == 0 ? result.output.trimmingCharacters(in: .newlines) : "none"
        }

        private func set(
            _ device: Device,
            _ key: String,
            _ value: String,
            type: String = "register"
        ) async throws {
            let result = try await device.client("kv", "set", "app", key, value, "--type", type)
            #expect(result.status == 0, "\(result)")
        }

        private func change(_ device: Device, _ key: String, by number: Int) async throws {
            let result = try await device.client("kv", "increment", "app", key, "--by", "\(number)")
            #expect(result.status == 0, "\(result)")
        }

        private func saveOwn(_ device: Device) async throws {
            let names = ["-s", "own", "-a", "ada", "-w", "of this device"]
            let added = try await device.start("keychain", ["add-generic-password"] + names)
                .result()
            #expect(added.status == 0, "\(added)")
        }

        private func own(_ device: Device) async throws -> String {
            try await device.keychain("find-generic-password", "-s", "own", "-a", "ada", "-w")
                .output
        }

        private func tombstones(_ device: Device) async throws -> Int {
            try await DatabaseQueue(path: device.home + "/keychain.db").read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM genp WHERE tomb = 1") ?? 0
            }
        }

        @Test
        func `a logout deletes synced items, keeps local ones, and a login restores all`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "secret")
                try await set(laptop, "theme", "1")
                try await saveOwn(phone)
                try await phone.save("gone", "secret")
                let deleted = try await phone.keychain(
                    "delete-generic-password",
                    "--sync",
                    "-s",
                    "gone"
                )
                #expect(deleted.status == 0, "\(deleted)")
                for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
                #expect(try await phone.shows("mail", "secret"))
                #expect(try await tombstones(phone) == 1)
                let doctor = try await phone.client("doctor")
                #expect(doctor.output.hasPrefix("Items read: 2\n"), "\(doctor)")
                #expect(try await value(phone, "theme") == "1")

                let left = try await phone.client("logout")
                #expect(left.status == 0, "\(left)")
                #expect(
                    left.output == """
                        Logged out of \(World.account); phone has no account now.
                        Items and values removed: 2.
                        The account has them: sync-client login brings them back.

                        """
                )
                #expect(try await phone.shows("mail", nil))
                #expect(try await value(phone, "theme") == "none")
                #expect(try await own(phone) == "of this device\n")
                // Its names would be readable.
                #expect(try await tombstones(phone) == 0)
                let again = try await phone.client("logout")
                #expect(again.status != 0 && again.errors.contains("account"), "\(again)")
                #expect(try await phone.sync().status != 0)
                // A daemon that starts later has forgotten the account too.
                try await phone.restartDaemonAfterKill()
                #expect(try await phone.shows("mail", nil))
                // The phone's removals were not sent as deletions.
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.shows("mail", "secret"))

                let login = try await phone.logIn()
                // The account still lists the device that has left.
                #expect(login.output.contains("with this device as phone 2."), "\(login)")
                #expect(login.errors.contains("already has a device phone"), "\(login)")
                #expect(login.status == 0, "\(login)")
                #expect(try await phone.sync().status == 0)
                #expect(try await phone.shows("mail", "secret"))
                #expect(try await value(phone, "theme") == "1")
                #expect(try await own(phone) == "of this device\n")
            }
        }

        @Test
        func `an unsent change is lost only with a flag`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                #expect(try await laptop.sync().status == 0)
                try await world.server.kill()
                try await laptop.save("mail", "secret")
                try await set(laptop, "theme", "1")
                let refused = try await laptop.client("logout")
                #expect(refused.status != 0)
                #expect(refused.errors.contains("2 items and values of this"), "\(refused)")
                #expect(refused.errors.contains("--discard-unsent"), "\(refused)")
                #expect(try await laptop.shows("mail", "secret"))
                let left = try await laptop.client("logout", "--discard-unsent")
                #expect(left.status == 0, "\(left)")
                #expect(left.output.contains("changes of 2 items and values are lost."), "\(left)")
                #expect(try await laptop.shows("mail", nil))
            }
        }

        @Test
        func `kept passwords and values join the account again`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "secret")
                try await set(laptop, "theme", "1")
                try await set(laptop, "visits", "3", type: "counter")
                try await set(laptop, "tasks", #"["a"]"#, type: "list")
                try await set(laptop, "tags", #"["a"]"#, type: "set")
                try await set(laptop, "best", "9", type: "max")
                for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
                let left = try await phone.client("logout", "--keep-items")
                #expect(left.status == 0 && left.output.contains("kept: 6"), "\(left)")
                let kept = [
                    ("visits", "3"), ("tasks", #"["a"]"#), ("tags", #"["a"]"#), ("best", "9"),
                ]
                for (key, value) in kept { #expect(try await self.value(phone, key) == value) }
                #expect(try await phone.shows("mail", "secret"))
                #expect(try await value(phone, "theme") == "1")
                try await phone.save("new", "made without an account")
                try await set(phone, "size", "2")
                try await change(phone, "visits", by: 4)
                try await set(phone, "tasks", #"["a","c"]"#, type: "list")
                try await laptop.save("mail", "newer")
                try await change(laptop, "visits", by: 10)
                try await set(laptop, "tasks", #"["b","a"]"#, type: "list")
                #expect(try await laptop.sync().status == 0)

                #expect(try await phone.logIn().status == 0)
                for device in [phone, laptop, phone] {
                    #expect(try await device.sync().status == 0)
                }
                for device in [phone, laptop] {
                    #expect(try await device.shows("mail", "newer"))
                    #expect(try await device.shows("new", "made without an account"))
                    #expect(try await value(device, "theme") == "1")
                    #expect(try await value(device, "size") == "2")
                    // Only what each device did meanwhile comes together.
                    #expect(try await value(device, "visits") == "17")
                    #expect(try await value(device, "tasks") == #"["b","a","c"]"#)
                    #expect(try await value(device, "tags") == #"["a"]"#)
                    #expect(try await value(device, "best") == "9")
                }
            }
        }

        @Test
        func `a running program gets reason 3 and the deleted keys`()
            async throws
        {
            try await World.withDevices("laptop") { _, devices in
                let laptop = devices[0]
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: laptop.home))
                let posts = UbiquitousStoreTests.Posts(of: store)
                store.set("dark", forKey: "theme")
                #expect(store.synchronize())
                #expect(try await laptop.sync().status == 0)
                let left = try await laptop.client("logout")
                #expect(left.status == 0, "\(left)")
                #expect(await eventually { posts.contains(3, "theme") })
                #expect(store.object(forKey: "theme") == nil)
                #expect(!posts.contains(0, "theme"))
                // The store works without an account.
                store.set("light", forKey: "theme")
                #expect(store.synchronize())
                #expect(store.string(forKey: "theme") == "light")
            }
        }
    }
}
