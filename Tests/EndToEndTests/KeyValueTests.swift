import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `sync-client kv` on one device and on two.
    struct KeyValueTests {
        private func expect(
            _ device: Device,
            _ arguments: [String],
            output: String = "",
            status: Int32 = 0
        ) async throws {
            let result = try await device.start("sync-client", ["kv"] + arguments).result()
            #expect(result.output == output && result.status == status, "\(arguments): \(result)")
        }

        private func value(_ device: Device, _ key: String) async throws -> String {
            let result = try await device.start("sync-client", ["kv", "get", "app", key]).result()
            return result.status == 0 ? result.output.trimmingCharacters(in: .newlines) : "none"
        }

        @Test
        func `a store works without an account, and refused writes say why`() async throws {
            try await World.withDevice { world, device in
                let json = #"{"a":[1,2.5,true],"d":{"$data":"hex:00ff"},"t":{"$date":1.5}}"#
                try await expect(device, ["set", "app", "all", json])
                try await expect(device, ["get", "app", "all"], output: json + "\n")
                try await expect(device, ["set", "app", "name", "it's", "--text"])
                try await expect(device, ["get", "app", "name", "--text"], output: "it's\n")
                try await expect(device, ["set", "app", "name", "it's"], status: 64)
                try await expect(device, ["set", "app", "n", "1", "--type", "heap"], status: 64)
                try await expect(device, ["set", "app", "", "1"], status: 77)
                try await expect(device, ["increment", "app", "name"], status: 77)
                try await expect(device, ["get", "app", "missing"], status: 1)
                try await expect(device, ["delete", "app", "missing"], status: 1)
                let exported = try await device.start("sync-client", ["kv", "export", "app"])
                    .result()
                let file = try world.write(exported.output, to: "export.json")
                try await expect(device, ["import", "copy", file])
                try await expect(device, ["export", "copy"], output: exported.output)
                try await device.restartDaemonAfterKill()
                try await expect(device, ["get", "app", "all"], output: json + "\n")
                try await expect(device, ["delete", "app", "all"])
                try await expect(
                    device,
                    ["list"],
                    output: "app  1 keys  6 bytes\ncopy  2 keys  48 bytes\n"
                )
            }
        }

        @Test
        func `two devices share values, and concurrent increments add up`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                func sync() async throws {
                    for device in [laptop, phone, laptop] { _ = try await device.sync() }
                }
                try await expect(laptop, ["set", "app", "theme", #""dark""#])
                try await expect(laptop, ["set", "app", "visits", "3", "--type", "counter"])
                try await expect(laptop, ["set", "app", "tags", #"["a","b"]"#, "--type", "set"])
                try await sync()
                #expect(try await value(phone, "theme") == #""dark""#)
                #expect(try await value(phone, "visits") == "3")

                let watch = try await phone.start("sync-client", ["kv", "watch", "app"])
                // Both without the other's change.
                try await world.server.kill()
                try await expect(laptop, ["increment", "app", "visits", "--by", "4"])
                try await expect(phone, ["set", "app", "visits", "5"])
                try await expect(laptop, ["set", "app", "tags", #"["b","c"]"#])
                try await expect(phone, ["set", "app", "tags", #"["a","b","d"]"#])
                try await expect(phone, ["delete", "app", "theme"])
                try await world.server.start()
                try await sync()
                for device in [laptop, phone] {
                    #expect(try await value(device, "visits") == "9")
                    #expect(try await value(device, "tags") == #"["b","c","d"]"#)
                    #expect(try await value(device, "theme") == "none")
                }
                let line = #"{"external":true,"key":"visits","value":9}"#
                let isReported = await eventually { watch.output.contains(line) }
                #expect(isReported, "\(watch.output)")
                await watch.kill()
            }
        }

        /// What both devices read, what each sets without having seen the other, and the result.
        private typealias Merge = (
            type: String, from: String, laptop: String, phone: String, result: String
        )
        private static let merges: [Merge] = [
            ("register", "0", "1", "2", "2"),
            ("max", "5", "9", "7", "9"),
            ("min", "5", "2", "3", "2"),
            ("counter", "10", "13", "12", "15"),
            ("set", #"["a"]"#, #"["a","l"]"#, #"["p"]"#, #"["l","p"]"#),
            ("map", #"{"x":1}"#, #"{"l":2,"x":1}"#, #"{"p":3,"x":1}"#, #"{"l":2,"p":3,"x":1}"#),
            ("list", #"["a"]"#, #"["l","a"]"#, #"["a","p"]"#, #"["l","a","p"]"#),
        ]

        @Test
        func `every merge type merges what two devices do at the same time`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                for merge in Self.merges {
                    let type = ["--type", merge.type]
                    try await expect(laptop, ["set", "app", merge.type, merge.from] + type)
                }
                for device in [laptop, phone] { _ = try await device.sync() }
                try await world.server.kill()
                for merge in Self.merges {
                    try await expect(laptop, ["set", "app", merge.type, merge.laptop])
                    try await expect(phone, ["set", "app", merge.type, merge.phone])
                }
                try await world.server.start()
                for device in [laptop, phone, laptop] { _ = try await device.sync() }
                for device in [laptop, phone] {
                    for merge in Self.merges {
                        let merged = try await value(device, merge.type)
                        #expect(merged == merge.result, "\(merge.type)")
                    }
                    // The register's other value is not lost.
                    try await expect(
                        device,
                        ["get", "app", "register", "--conflicts"],
                        output: "1\n"
                    )
                    let list = try await device.start("sync-client", ["kv", "list", "app"])
                        .result().output
                    #expect(list.contains(#""max"  max  changed on"#), "\(list)")
                    #expect(list.contains(#""register"  register  changed on phone"#), "\(list)")
                }
            }
        }

        @Test
        func `what was written before the account goes up when the device joins`() async throws {
            try await World.with { world in
                try await world.server.start()
                let (laptop, phone) = (world.device("laptop"), world.device("phone"))
                for device in [laptop, phone] { try await device.startDaemon() }
                try await expect(laptop, ["increment", "app", "visits", "--by", "2"])
                try await expect(laptop, ["set", "app", "theme", #""dark""#])
                try await expect(phone, ["increment", "app", "visits", "--by", "5"])
                let signedUp = try await laptop.signUp()
                try #require(signedUp.status == 0, "\(signedUp)")
                _ = try await laptop.sync()
                let loggedIn = try await phone.logIn()
                try #require(loggedIn.status == 0, "\(loggedIn)")
                for device in [phone, laptop] { _ = try await device.sync() }
                for device in [laptop, phone] {
                    #expect(try await value(device, "visits") == "7")
                    #expect(try await value(device, "theme") == #""dark""#)
                }
            }
        }
    }
}
