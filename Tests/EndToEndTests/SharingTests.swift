import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    struct SharingTests {
        @Test
        func `an item deleted on one device is gone on the other`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("short-lived", "one")
                try #require(try await eventually { try await phone.shows("short-lived", "one") })
                let deleted = try await laptop.keychain(
                    "delete-generic-password",
                    "--sync",
                    "-s",
                    "short-lived",
                    "-a",
                    "ada"
                )
                #expect(deleted.status == 0)
                #expect(try await eventually { try await phone.shows("short-lived", nil) })
                for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
                #expect(try await laptop.password("short-lived") == nil)
            }
        }

        @Test
        func `two edits without the server: one value, and the other in the history`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("both", "the first")
                try #require(try await eventually { try await phone.shows("both", "the first") })
                try await world.server.stop()
                try await laptop.save("both", "of the laptop", ["-j", "a note of the laptop"])
                try await phone.save("both", "of the phone", ["-j", "a note of the phone"])
                #expect(try await laptop.password("both") == "of the laptop")
                #expect(try await phone.password("both") == "of the phone")

                try await world.server.start()
                for device in [phone, laptop, phone] {
                    #expect(try await device.sync().status == 0)
                }
                // The secret that was typed last, whichever device synced last.
                let other = "of the laptop"
                #expect(try await laptop.password("both") == "of the phone")
                #expect(try await phone.password("both") == "of the phone")
                for device in devices {
                    #expect(try await device.client("conflicts").output.contains("  both  ada"))
                    let history = try await device.client(
                        "history",
                        "-s",
                        "both",
                        "-a",
                        "ada",
                        "--show-secrets"
                    )
                    #expect(history.status == 0, "\(history)")
                    #expect(history.output.contains(other), "\(device.name): \(history.output)")
                    // Both had seen the first value, which is replaced and in the history.
                    #expect(history.output.contains("the first"), "\(history.output)")
                    // The note that is not shown is kept too.
                    #expect(
                        history.output.contains("  note: a note of the laptop\n"),
                        "\(history.output)"
                    )
                    // Conflicts that the user has seen are not reported again.
                    #expect(try await device.client("conflicts").output.isEmpty)
                }
            }
        }

        @Test
        func `a device that joins with an older version of an item does not replace the newer one`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let (laptop, phone) = (devices[0], world.device("phone"))
                try await phone.startDaemon()
                try await phone.save("shared", "of long ago")
                try await laptop.save("shared", "of today")
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.logIn().status == 0)
                for device in [phone, laptop, phone] {
                    #expect(try await device.sync().status == 0)
                }
                for device in [phone, laptop] {
                    #expect(try await device.password("shared") == "of today")
                    let history = try await device.client(
                        "history",
                        "-s",
                        "shared",
                        "-a",
                        "ada",
                        "--show-secrets"
                    )
                    #expect(history.output.contains("of long ago"), "\(history)")
                }
            }
        }

        /// Neither device runs a command that syncs.
        @Test
        func `imports, restores, adds by programs and deletions are uploaded without a command`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let row = "n,https://imported.example/,ada,one,\n"
                let file = try world.write("name,url,username,password,note\n" + row, to: "a.csv")
                let imported = try await laptop.client("import", file)
                #expect(imported.status == 0, "\(imported)")
                let search = ["find-internet-password", "-s", "imported.example", "-w"]
                #expect(
                    try await eventually {
                        try await phone.start("keychain", search).result().output == "one\n"
                    }
                )

                let other = world.device("other")
                try await other.startDaemon()
                try await other.save("restored", "two")
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let backup = world.path("backup")
                for (device, command) in [(other, "backup"), (laptop, "restore")] {
                    let result = try await device.client(
                        command,
                        backup,
                        "--passphrase-file",
                        passphrase
                    )
                    #expect(result.status == 0, "\(result)")
                }
                #expect(try await eventually { try await phone.shows("restored", "two") })

                let call =
                    #"{"fn":"SecItemAdd","query":{"kSecClass":"kSecClassGenericPassword","#
                    + #""kSecAttrService":"added","kSecAttrAccount":"ada","#
                    + #""kSecAttrSynchronizable":true,"kSecValueData":{"$data":"utf8:three"}}}"#
                let added = try await laptop.start("keychain", ["rpc"], input: call + "\n").result()
                #expect(added.output.contains(#""status":0"#), "\(added)")
                #expect(try await eventually { try await phone.shows("added", "three") })

                let delete = ["delete-generic-password", "--sync", "-s", "added", "-a", "ada"]
                #expect(try await laptop.start("keychain", delete).result().status == 0)
                #expect(try await eventually { try await phone.shows("added", nil) })
                // A sync reports only its own work.
                let idle = try await laptop.sync()
                #expect(idle.output.hasPrefix("pushed 0, "), "\(idle)")
            }
        }

        /// The test starts a program again and again to look, which takes time too.
        @Test
        func `an item saved on one device is readable on the other within a second`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                var times: [Duration] = []
                for round in 1...5 {
                    try await laptop.save("fast", "round \(round)")
                    let saved = ContinuousClock.now
                    #expect(
                        try await eventually { try await phone.shows("fast", "round \(round)") }
                    )
                    let seen = ContinuousClock.now
                    _ = try await phone.shows("fast", "round \(round)")
                    times.append(seen - saved - (ContinuousClock.now - seen) * 4)
                }
                // Less four looks, which take longer on a slow machine. The median: other tests may
                // have kept both cores busy in one of the rounds.
                #expect(times.sorted()[2] < .seconds(1), "\(times)")
            }
        }

        @Test
        func `server, logs and databases hold no secret in the clear`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let secrets = ["Geheimnis-4711", "Geheimnis-4712", "Geheimnis-local"]
                let names = ["service-of-the-test", "comment-of-the-test"]
                for secret in secrets.prefix(2) {
                    let added = try await laptop.keychain(
                        "add-generic-password",
                        "-U",
                        "--sync",
                        "-s",
                        names[0],
                        "-a",
                        "ada",
                        "-j",
                        names[1],
                        "-w",
                        secret
                    )
                    #expect(added.status == 0)
                    #expect(try await eventually { try await phone.shows(names[0], secret) })
                }
                let local = try await laptop.keychain(
                    "add-generic-password",
                    "-s",
                    "here-only",
                    "-a",
                    "ada",
                    "-w",
                    secrets[2]
                )
                #expect(local.status == 0)
                let entry = ["a store of its own", "a key of that store", "a value under that key"]
                let value = "\"\(entry[2])\""
                let set = try await laptop.client("kv", "set", entry[0], entry[1], value)
                #expect(set.status == 0, "\(set)")
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.sync().status == 0)
                let got = try await phone.client("kv", "get", entry[0], entry[1])
                #expect(got.output == value + "\n", "\(got)")
                #expect(try await phone.password("here-only") == nil)

                let accountKey = try world.accountKey
                let groups = accountKey.split(separator: "-").dropFirst().joined()
                for text in secrets + names + entry + [World.password, accountKey, groups] {
                    #expect(try World.files(below: world.serverData, holding: text) == [])
                    for device in devices {
                        #expect(try World.files(below: device.home, holding: text) == [])
                        let daemon = try device.runningDaemon
                        #expect(!(daemon.output + daemon.errors).contains(text))
                    }
                    #expect(!(try world.server.log).contains(text))
                }
                #expect(!(try world.server.log).contains(World.account))
                // Checks that the search finds a text that is there.
                #expect(try World.files(below: world.serverData, holding: World.account) != [])
                try await expectPrivate(world, devices)
            }
        }

        /// Nobody else on the machine may read what a device or the server keeps.
        private func expectPrivate(_ world: World, _ devices: [Device]) async throws {
            for folder in devices.map(\.home) + [world.serverData] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder)
                let mode = try #require(attributes[.posixPermissions] as? Int)
                #expect(mode & 0o077 == 0, "\(folder) has mode \(String(mode, radix: 8))")
            }
        }
    }
}
