import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Items of people on two devices of an account.
    struct EverydaySyncTests {
        /// A login with some of everything, which both devices have.
        private static func addBank(to devices: [Device], in world: World) async throws {
            let password = try world.write("hunter2\n", to: "bank password")
            try await devices[0].expect([
                "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                "--password-file", password, "--field", "branch=Nord", "--field", "word=old",
                "--secret", "PIN=1111", "--otp", "JBSWY3DPEHPK3PXP", "--address",
                "https://pay.example=exact", "--note", "first", "--tag", "money", "--favorite",
            ])
            try await devices.exchange()
        }

        /// Changes an item on each device while both are offline, and joins them.
        ///
        /// The second device is the later one.
        private static func edit(
            _ devices: [Device],
            offlineIn world: World,
            _ first: [[String]],
            _ second: [[String]]
        ) async throws {
            try await world.server.kill()
            for (device, lines) in zip(devices, [first, second]) {
                for line in lines { try await device.expect(line) }
            }
            try await world.server.start()
            try await devices.exchange()
        }

        private static func withBank(
            _ body: (World, [Device]) async throws -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                try await addBank(to: devices, in: world)
                try await body(world, devices)
            }
        }

        /// What `history` prints of an item, with secrets.
        private static func history(_ device: Device, _ name: String) async throws -> String {
            let code = try #require(try await device.item(name).item)
            let result = try await device.client("history", code, "--show-secrets")
            try #require(result.status == 0, "\(result)")
            return result.output
        }

        // MARK: Changes on both

        @Test
        func `different fields that two offline devices change end joined on both`() async throws {
            try await Self.withBank { world, devices in
                try await Self.edit(
                    devices,
                    offlineIn: world,
                    [
                        ["edit", "Bank", "--set", "branch=Süd", "--add", "card:secret=4111"],
                        ["tag", "Bank", "laptop", "both"], ["rename", "Bank", "Savings"],
                    ],
                    [
                        ["edit", "Bank", "--set", "PIN=2222", "--add", "phone:phone=+41 44 1"],
                        ["tag", "Bank", "phone", "both"], ["fav", "Bank", "--off"],
                    ]
                )
                for device in devices {
                    let item = try await device.item("bank.example")
                    #expect(item.title == "Savings" && !item.favorite)
                    #expect(item.tags == ["both", "laptop", "money", "phone"])
                    #expect(item["branch"] == "Süd" && item["PIN"] == "2222")
                    #expect(item["card"] == "4111" && item["phone"] == "+41 44 1")
                    #expect(item.password == "hunter2" && item.note == "first")
                    #expect(item.conflicts.isEmpty)
                }
                let orders = try await [
                    devices[0].item("Savings").fields, devices[1].item("Savings").fields,
                ]
                #expect(orders[0] == orders[1])
            }
        }

        @Test
        func `of one field changed on both the later value is shown, the other is a conflict`()
            async throws
        {
            try await Self.withBank { world, devices in
                try await Self.edit(
                    devices,
                    offlineIn: world,
                    [["edit", "Bank", "--set", "word=of the laptop", "--set", "note=laptop note"]],
                    [["edit", "Bank", "--set", "word=of the phone", "--set", "note=phone note"]]
                )
                for device in devices {
                    let item = try await device.item("Bank")
                    #expect(item["word"] == "of the phone" && item.note == "phone note")
                    #expect(item.conflicts.sorted() == ["note", "word"])
                    let page = try await device.run(["show", "Bank"])
                    #expect(
                        page.output.hasSuffix("  ! changed on two devices at once: note, word\n"),
                        "\(page)"
                    )
                }
                // An edit settles it, here and on the other device.
                try await devices[0].expect(["edit", "Bank", "--set", "word=settled"])
                try await devices.exchange()
                for device in devices {
                    let item = try await device.item("Bank")
                    #expect(item["word"] == "settled" && item.conflicts == ["note"])
                }
            }
        }

        @Test
        func `the history has earlier and concurrent values of fields and notes`() async throws {
            try await Self.withBank { world, devices in
                try await devices[0].expect(["edit", "Bank", "--set", "PIN=1112"])
                try await devices.exchange()
                try await Self.edit(
                    devices,
                    offlineIn: world,
                    [["edit", "Bank", "--set", "word=of the laptop"]],
                    [["edit", "Bank", "--set", "word=of the phone"]]
                )
                for device in devices {
                    let conflicts = try await device.client("conflicts")
                    #expect(conflicts.output.contains("bank.example"), "\(conflicts)")
                    let before = try await Self.history(device, "Bank")
                    for value in ["of the laptop", "1111", "old"] {
                        #expect(before.contains(value), "\(value): \(before)")
                    }
                    // Shown once, it is marked nowhere any more.
                    #expect(try await device.client("conflicts").output.isEmpty)
                    #expect(try await device.item("Bank").conflicts.isEmpty)
                }
                let edit = ["edit", "Bank", "--set", "word=settled", "--set", "note=second"]
                try await devices[1].expect(edit)
                try await devices.exchange()
                for device in devices {
                    let after = try await Self.history(device, "Bank")
                    for value in ["of the laptop", "of the phone", "1111", "old", "first"] {
                        #expect(after.contains(value), "\(value): \(after)")
                    }
                }
                let code = try #require(try await devices[0].item("Bank").item)
                let hidden = try await devices[0].client("history", code)
                #expect(hidden.status == 0 && !hidden.output.contains("1111"), "\(hidden)")
            }
        }

        @Test
        func `a removal beside an edit keeps the edit`() async throws {
            try await Self.withBank { world, devices in
                try await devices[0].expect(["tag", "Bank", "kept"])
                try await devices.exchange()
                try await Self.edit(
                    devices,
                    offlineIn: world,
                    [
                        ["edit", "Bank", "--remove", "word", "--set", "branch=West"],
                        ["tag", "Bank", "--remove", "money"],
                    ],
                    [["edit", "Bank", "--set", "word=edited", "--remove", "branch"]]
                )
                for device in devices {
                    let item = try await device.item("Bank")
                    #expect(item["word"] == "edited" && item["branch"] == "West")
                    #expect(item.tags == ["kept"])
                    #expect(item["PIN"] == "1111")
                }
            }
        }

        @Test
        func `an item deleted on one device and edited on the other stays with all it has`()
            async throws
        {
            try await Self.withBank { world, devices in
                let file = try world.writeBytes(40_000, to: "contract")
                try await devices[1].expect(["attach", "Bank", file])
                try await devices.exchange()
                try await Self.edit(
                    devices,
                    offlineIn: world,
                    [["rm", "Bank", "--yes"]],
                    [["edit", "Bank", "--set", "word=edited"]]
                )
                for device in devices {
                    let item = try await device.item("Bank")
                    #expect(item["word"] == "edited" && item["PIN"] == "1111")
                    #expect(item.tags == ["money"] && item.favorite)
                    let copy = world.path("copy of \(device.name)")
                    #expect(
                        try await device.bytes(of: "contract", in: "Bank", to: copy)
                            == Data(contentsOf: URL(filePath: file))
                    )
                }
                try await devices[1].expect(["rm", "Bank", "--yes"])
                try await devices.exchange()
                for device in devices { #expect(try await device.itemNames() == []) }
            }
        }

        // MARK: Attachments

        @Test
        func `an attachment of 1 MiB arrives byte for byte, and so does one that replaces it`()
            async throws
        {
            try await Self.withBank { world, devices in
                let copy = world.path("copy")
                for seed: UInt8 in [1, 2] {
                    let file = try world.writeBytes(1 << 20, seed: seed, to: "scan.pdf")
                    try await devices[0].expect(["attach", "Bank", file, "--yes"])
                    try await devices.exchange()
                    #expect(
                        try await devices[1].bytes(of: "scan.pdf", in: "Bank", to: copy)
                            == Data(contentsOf: URL(filePath: file))
                    )
                }
                #expect(try await devices[1].item("Bank")["PIN"] == "1111")
                try await devices[1].expect(["detach", "Bank", "scan.pdf", "--yes"])
                try await devices.exchange()
                let names = try await devices[0].item("Bank").fields.map(\.name)
                #expect(!names.contains("scan.pdf"))
            }
        }

        @Test
        func `of two attachments of one name the later is shown, and the item still syncs`()
            async throws
        {
            try await Self.withBank { world, devices in
                let files = try ["a", "b"].enumerated().map { index, name in
                    try world.writeBytes(1 << 20, seed: UInt8(index + 1), to: name)
                }
                try await Self.edit(
                    devices,
                    offlineIn: world,
                    [["attach", "Bank", files[0], "--as", "scan.pdf"]],
                    [["attach", "Bank", files[1], "--as", "scan.pdf"]]
                )
                for device in devices {
                    #expect(try await device.item("Bank").conflicts == ["scan.pdf"])
                    #expect(
                        try await device.bytes(of: "scan.pdf", in: "Bank", to: world.path("copy"))
                            == Data(contentsOf: URL(filePath: files[1]))
                    )
                }
                try await devices[0].expect(["edit", "Bank", "--set", "word=new"])
                try await devices.exchange()
                #expect(try await devices[1].item("Bank")["word"] == "new")
            }
        }

        @Test
        func `no file of a device, the server or a backup has an extra in the clear`() async throws
        {
            try await Self.withBank { world, devices in
                let extras = ["Field Of Glass", "hidden value", "Tag Of Tin", "text of the file"]
                try await devices[0].expect([
                    "edit", "Bank", "--add", "open=Field Of Glass", "--add",
                    "closed:secret=hidden value",
                ])
                try await devices[0].expect(["tag", "Bank", "Tag Of Tin"])
                let file = try world.write("text of the file", to: "attached")
                try await devices[0].expect(["attach", "Bank", file])
                try await devices.exchange()
                try await devices[1].expect(["edit", "Bank", "--set", "user=eve"])
                try await devices.exchange()
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let backup = world.path("backup")
                let written = try await devices[0].client(
                    "backup",
                    backup,
                    "--passphrase-file",
                    passphrase
                )
                #expect(written.status == 0, "\(written)")
                try FileManager.default.removeItem(atPath: file)
                for extra in extras {
                    #expect(try World.files(below: world.folder, holding: extra).isEmpty)
                }
            }
        }

        // MARK: The item moves

        /// An item's user name is part of what names its record.
        @Test
        func `a new user name takes fields, tags and attachments along`() async throws {
            try await Self.withBank { world, devices in
                let file = try world.writeBytes(100_000, to: "contract")
                try await devices[0].expect(["attach", "Bank", file])
                try await devices[0].expect(["edit", "Bank", "--set", "user=eve"])
                try await devices.exchange()
                for device in devices {
                    #expect(try await device.itemNames() == ["eve@Bank"])
                    try await Self.expectBank(device, file, in: world, word: "old")
                }
            }
        }

        private static func expectBank(
            _ device: Device,
            _ file: String,
            in world: World,
            word: String,
            further: [String] = [],
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let item = try await device.item("Bank")
            #expect(
                item.fields.map(\.name)
                    == ["branch", "word", "PIN", "one-time code", "contract"] + further,
                sourceLocation: sourceLocation
            )
            #expect(item["word"] == word, sourceLocation: sourceLocation)
            #expect(item["branch"] == "Nord" && item["PIN"] == "1111", "\(item)")
            #expect(item["one-time code"]?.contains("JBSWY3DPEHPK3PXP") == true, "\(item)")
            #expect(item.addresses == [.init(url: "https://pay.example", match: "exact")])
            #expect(item.tags == ["money"] && item.favorite && item.note == "first", "\(item)")
            #expect(
                try await device.bytes(of: "contract", in: "Bank", to: world.path("copy"))
                    == Data(contentsOf: URL(filePath: file)),
                sourceLocation: sourceLocation
            )
        }

        @Test
        func `a logout that keeps items keeps their fields, and a login joins them again`()
            async throws
        {
            try await Self.withBank { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let file = try world.writeBytes(100_000, to: "contract")
                try await laptop.expect(["attach", "Bank", file])
                try await devices.exchange()
                let left = try await phone.client("logout", "--keep-items")
                try #require(left.status == 0, "\(left)")
                try await Self.expectBank(phone, file, in: world, word: "old")
                try await phone.expect(["edit", "Bank", "--set", "word=new"])
                try await laptop.expect(["edit", "Bank", "--add", "late=1"])
                #expect(try await laptop.sync().status == 0)
                let login = try await phone.logIn()
                try #require(login.status == 0, "\(login)")
                try await devices.exchange()
                for device in devices {
                    try await Self.expectBank(
                        device,
                        file,
                        in: world,
                        word: "new",
                        further: ["late"]
                    )
                }
            }
        }

        @Test
        func `a backup has fields, tags and attachments, and a restore brings them back`()
            async throws
        {
            try await Self.withBank { world, devices in
                let file = try world.writeBytes(1 << 20, to: "contract")
                try await devices[0].expect(["attach", "Bank", file])
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let options = [world.path("backup"), "--passphrase-file", passphrase]
                let backup = try await devices[0].start("sync-client", ["backup"] + options)
                    .result()
                try #require(backup.status == 0, "\(backup)")
                let other = world.device("other")
                try await other.startDaemon()
                for _ in 1...2 {
                    let restore = try await other.start("sync-client", ["restore"] + options)
                        .result()
                    try #require(restore.status == 0, "\(restore)")
                    #expect(try await other.itemNames() == ["ada@Bank"])
                    try await Self.expectBank(other, file, in: world, word: "old")
                }
            }
        }
    }
}
