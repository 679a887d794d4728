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
                for line in [["get", "app", ""], ["set", "app", "", "1"], ["set", "", "a", "1"]] {
                    try await expect(device, line, status: 64)
                }
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
                    output: "app  1 key  6 bytes\ncopy  2 keys  48 bytes\n"
                )
            }
        }

        @Test
        func `an argument that is not UTF-8 is refused`() async throws {
            try await World.withDevice { world, device in
                let shell = try await RunningProgram(
                    "/bin/sh",
                    ["-c", #""$0" kv set app "$(printf 'k\377')" 1 --home "$1""#]
                        + [Programs.path("sync-client"), device.home],
                    folder: world.folder
                )
                let result = await shell.result()
                #expect(result.status == 64, "\(result)")
                #expect(result.errors.contains("Argument 4 is not valid UTF-8"), "\(result)")
                try await expect(device, ["list"])
            }
        }

        @Test
        func `a refused set or import changes nothing`() async throws {
            try await World.withDevice { world, device in
                try await expect(device, ["set", "app", "text", #""precious""#])
                let list = #"["milk","bread"]"#
                try await expect(device, ["set", "app", "list", list, "--type", "list"])
                for (key, value, type) in [
                    ("text", "5", "counter"), ("list", #"["eggs"]"#, "set"),
                    ("new", #""a""#, "set"),
                ] {
                    let line = ["set", "app", key, value, "--type", type]
                    try await expect(device, line, status: 77)
                }
                let file = try world.write(
                    #"{"one":{"type":"register","value":1},"list":{"type":"set","value":[]}}"#,
                    to: "import.json"
                )
                let refused = try await device.client("kv", "import", "app", file)
                #expect(refused.status == 77, "\(refused)")
                #expect(refused.errors.contains(#"Nothing was changed, because of the key "list""#))
                try await expect(device, ["get", "app", "text"], output: "\"precious\"\n")
                try await expect(device, ["get", "app", "list"], output: list + "\n")
                for key in ["new", "one"] {
                    try await expect(device, ["get", "app", key], status: 1)
                }
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

        /// The largest text of a value: the type and the length take some bytes too.
        private static func largeText(_ letter: Character) -> String {
            String(repeating: letter, count: (1 << 20) - 16)
        }

        /// Sets a key of the store "big" from a file, because an argument cannot be so long.
        private func setLarge(_ letter: Character, on device: Device, _ world: World) async throws {
            let json = #"{"k":{"type":"register","value":"\#(Self.largeText(letter))"}}"#
            let file = try world.write(json, to: "large-\(letter).json")
            try await expect(device, ["import", "big", file])
        }

        @Test
        func `a value of 1 MiB syncs, and concurrent ones stay beside each other`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                func shown(_ device: Device, _ options: String...) async throws -> String {
                    let arguments = ["kv", "get", "big", "k", "--text"] + options
                    let result = try await device.start("sync-client", arguments).result()
                    return result.output.trimmingCharacters(in: .newlines)
                }
                try await setLarge("a", on: laptop, world)
                for device in devices { _ = try await device.sync() }
                let isThere = try await shown(phone) == Self.largeText("a")
                #expect(isThere)
                // Both without the other's change.
                try await world.server.kill()
                try await setLarge("b", on: laptop, world)
                try await setLarge("c", on: phone, world)
                try await world.server.start()
                for device in [laptop, phone, laptop] {
                    let result = try await device.sync()
                    #expect(result.status == 0, "\(result)")
                }
                for device in devices {
                    let isNewest = try await shown(device) == Self.largeText("c")
                    let other = try await shown(device, "--conflicts")
                    #expect(isNewest && other == "\"\(Self.largeText("b"))\"")
                }
            }
        }

        @Test
        func `limits hold on all devices of the account, and are shown`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await expect(laptop, ["set", "app", "a", #""a long text""#])
                try await expect(laptop, ["limits", "--keys", "2"])
                try await expect(laptop, ["limits", "app", "--value", "12"])
                try await expect(laptop, ["limits", "--keys", "0"], status: 64)
                for device in [laptop, phone] { _ = try await device.sync() }
                try await expect(
                    phone,
                    ["limits", "app", "--json"],
                    output: #"[{"keyUnits":128,"keys":2,"store":"app","total":1048576,"value":12}]"#
                        + "\n"
                )
                try await expect(phone, ["set", "app", "b", "1"])
                let refused = try await phone.start("sync-client", ["kv", "set", "app", "c", "1"])
                    .result()
                #expect(refused.status == 77)
                #expect(refused.errors.contains(#""c" was not changed"#), "\(refused)")
                #expect(refused.errors.contains("The limit is 2 keys in a store"), "\(refused)")
                let status = try await phone.start("sync-client", ["kv", "status", "app"]).result()
                #expect(status.output.contains("2 of 2"), "\(status)")
                #expect(status.output.contains("at most 12 bytes"), "\(status)")
                #expect(
                    status.output.contains(
                        """
                        merged  at most 4096 elements, 262144 bytes, 1024 devices in a counter, \
                        64 bytes in a position

                        """
                    ),
                    "\(status)"
                )
                try await expect(phone, ["get", "app", "a"], output: "\"a long text\"\n")
                try await expect(phone, ["limits", "--reset"])
                try await expect(phone, ["set", "app", "c", "1"])
            }
        }

        @Test
        func `a backup holds the stores, and a restore counts nothing twice`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let wrong = try world.write("wrong\n", to: "wrong")
                func run(
                    _ device: Device,
                    _ name: String,
                    _ file: String,
                    _ secret: String
                )
                    async throws -> ProgramResult
                {
                    try await device.client(name, file, "--passphrase-file", secret)
                }
                let empty = world.path("empty")
                #expect(try await run(laptop, "backup", empty, passphrase).status == 0)
                try await expect(laptop, ["set", "app", "theme", #""dark""#])
                try await expect(laptop, ["increment", "app", "visits", "--by", "4"])
                let backup = world.path("backup")
                let written = try await run(laptop, "backup", backup, passphrase)
                #expect(written.output == "Backed up 0 items and 2 key-value entries.\n")
                for device in [laptop, phone] { _ = try await device.sync() }
                try await expect(phone, ["increment", "app", "visits"])
                try await expect(phone, ["delete", "app", "theme"])
                for device in [phone, laptop] { _ = try await device.sync() }

                #expect(try await run(phone, "restore", backup, wrong).status != 0)
                let cut = world.path("cut")
                try Data(contentsOf: URL(filePath: backup)).dropLast()
                    .write(to: URL(filePath: cut))
                #expect(try await run(phone, "restore", cut, passphrase).status != 0)
                #expect(try await run(phone, "restore", empty, passphrase).status == 0)
                #expect(try await value(phone, "visits") == "5")
                let restored = try await run(phone, "restore", backup, passphrase)
                #expect(
                    restored.output.hasSuffix(
                        """

                        Key-value entries: 0 added, 0 joined, 1 unchanged, 1 left out
                          1 left out: deleted in the account since the backup

                        """
                    ),
                    "\(restored)"
                )
                for device in [phone, laptop] {
                    _ = try await device.sync()
                    #expect(try await value(device, "visits") == "5")
                    #expect(try await value(device, "theme") == "none")
                }
            }
        }

        /// The value before, the two concurrent writes, and the result.
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
        func `different merge types of one key are a conflict until somebody reads it`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                // Both without the other's change.
                try await world.server.kill()
                try await expect(laptop, ["set", "app", "k", "5", "--type", "counter"])
                try await expect(phone, ["set", "app", "k", #""five""#])
                try await world.server.start()
                for device in [laptop, phone, laptop] { _ = try await device.sync() }
                for device in [laptop, phone] {
                    #expect(try await device.client("sync").output.contains("conflicts 1"))
                    let listed = try await device.client("conflicts")
                    #expect(listed.output.contains(#"  app  "k"  "#), "\(listed)")
                    let json = try await device.client("conflicts", "--json")
                    #expect(json.output.contains(#""key":"k","store":"app""#), "\(json)")
                    // Reading the value that won does not settle the conflict.
                    try await expect(device, ["get", "app", "k"], output: "\"five\"\n")
                    #expect(try await !device.client("conflicts").output.isEmpty)
                    try await expect(device, ["get", "app", "k", "--conflicts"], output: "5\n")
                    #expect(try await device.client("conflicts").output.isEmpty)
                    #expect(try await device.client("sync").output.contains("conflicts 0"))
                }
            }
        }

        @Test
        func `values written before the login are uploaded when the device joins`() async throws {
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
