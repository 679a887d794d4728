import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A daemon is killed, or its disk is full, during a logout or a restore of key-value stores:
    /// it does all of it or nothing.
    struct StoreFaultTests {
        private static let keyCount = 40

        /// All values together need more room than the write-ahead log has, which is kept at 4 MiB.
        private static let largeValue = "\"" + String(repeating: "large ", count: 20_000) + "\""

        private func count(_ device: Device, store: String = "app") async throws -> Int {
            let list = try await device.client("kv", "list", store)
            #expect(list.status == 0, "\(list)")
            return list.output.split(separator: "\n").count
        }

        /// Sets four keys with each command: the large values of all are too many for one.
        private func fill(
            _ device: Device,
            of world: World,
            store: String = "app",
            value: String = "1"
        ) async throws {
            let limit = "\(Self.keyCount * (value.utf8.count + 1024))"
            let limits = try await device.client("kv", "limits", store, "--total", limit)
            try #require(limits.status == 0, "\(limits)")
            for first in stride(from: 0, to: Self.keyCount, by: 4) {
                let entries = (first..<first + 4).map { number in
                    #""key \#(number)":{"type":"register","value":\#(value)}"#
                }
                let file = try world.write(
                    "{\(entries.joined(separator: ","))}",
                    to: "entries.json"
                )
                let set = try await device.client("kv", "import", store, file)
                try #require(set.status == 0, "\(set)")
            }
        }

        /// Runs a command of `sync-client` and kills the daemon meanwhile.
        private func kill(
            _ device: Device,
            during line: [String],
            after duration: Duration
        ) async throws -> ProgramResult {
            let command = try await device.start("sync-client", line)
            try await Task.sleep(for: duration)
            await (try device.runningDaemon).kill()
            let result = await command.result()
            // The command may have started another daemon.
            _ = try await device.client("stop")
            try await device.startDaemon()
            return result
        }

        @Test
        func `a logout that is interrupted removes everything or nothing`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "secret")
                try await fill(laptop, of: world)
                for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
                let start = ContinuousClock.now
                #expect(try await phone.client("logout").status == 0)
                let duration = ContinuousClock.now - start
                var isIn = false
                for percent in [5, 25, 45, 65, 85] {
                    if !isIn {
                        #expect(try await phone.logIn().status == 0)
                        #expect(try await phone.sync().status == 0)
                    }
                    let result = try await kill(
                        phone,
                        during: ["logout"],
                        after: duration * percent / 100
                    )
                    isIn = try await phone.sync().status == 0
                    // A command that reported success has done its work.
                    #expect(!isIn || result.status != 0, "after \(percent) %: \(result)")
                    #expect(try await phone.shows("mail", isIn ? "secret" : nil))
                    #expect(try await count(phone) == (isIn ? Self.keyCount : 0))
                    let doctor = try await phone.client("doctor")
                    #expect(doctor.status == 0, "after \(percent) %: \(doctor)")
                }
                // No removal was sent as a deletion.
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.shows("mail", "secret"))
                #expect(try await count(laptop) == Self.keyCount)
            }
        }

        @Test
        func `a restore that is interrupted restores all stores or nothing`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let file = [
                    world.path("backup"), "--passphrase-file",
                    try world.write("correct horse\n", to: "passphrase"),
                ]
                try await fill(laptop, of: world)
                let written = try await laptop.start("sync-client", ["backup"] + file).result()
                #expect(written.status == 0, "\(written)")
                var duration = Duration.zero
                for percent in [100, 10, 40, 60, 80, 90] {
                    let device = world.device("device \(percent)")
                    try await device.startDaemon()
                    guard duration > .zero else {
                        let start = ContinuousClock.now
                        let whole = try await device.start("sync-client", ["restore"] + file)
                            .result()
                        #expect(whole.status == 0, "\(whole)")
                        duration = ContinuousClock.now - start
                        #expect(try await count(device) == Self.keyCount)
                        continue
                    }
                    let result = try await kill(
                        device,
                        during: ["restore"] + file,
                        after: duration * percent / 100
                    )
                    let restored = try await count(device)
                    #expect([0, Self.keyCount].contains(restored), "after \(percent) %: \(result)")
                    #expect(result.status != 0 || restored > 0, "after \(percent) %: \(result)")
                    let again = try await device.start("sync-client", ["restore"] + file).result()
                    #expect(again.status == 0, "\(again)")
                    #expect(try await count(device) == Self.keyCount)
                }
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a login on a full disk fails before the server is asked, and can be repeated`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let small = world.device("small")
                try await SmallDisk.with(at: small.home, megabytes: 32, in: world) { disk in
                    try await small.startDaemon()
                    try disk.fill()
                    let full = try await small.logIn()
                    #expect(full.status == 74, "\(full)")
                    #expect(full.errors.contains("The disk is full"), "\(full)")
                    let status = try await small.client("status")
                    #expect(status.output.contains("none on this device"), "\(status)")
                    try disk.free()
                    let again = try await small.logIn()
                    #expect(again.status == 0, "\(again)")
                    let list = try await devices[0].client("devices")
                    #expect(!list.output.contains("small 2"), "\(list)")
                    await (try small.runningDaemon).stop()
                }
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a login without room for the kept items leaves no device in the account`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let other = world.device("other")
                try await other.startDaemon()
                #expect(try await other.signUp(account: "another", kit: "other kit").status == 0)
                let kit = try String(contentsOfFile: world.path("other kit"), encoding: .utf8)
                let key = String(try #require(kit.firstMatch(of: /K1(-[0-9A-Z]+)+/)).0)
                let file = try world.writeBytes(900_000, to: "file")
                for number in 0..<5 {
                    try await devices[0].expect([
                        "new", "note", "N\(number)", "--text-file", world.passwordFile,
                    ])
                    try await devices[0].expect(["attach", "N\(number)", file])
                }
                #expect(try await devices[0].sync().status == 0)
                let small = world.device("small")
                try await SmallDisk.with(at: small.home, megabytes: 25, in: world) { disk in
                    try await small.startDaemon()
                    #expect(try await small.logIn().status == 0)
                    #expect(try await small.sync().status == 0)
                    #expect(try await small.client("logout", "--keep-items").status == 0)
                    let full = try await small.logIn(
                        account: "another",
                        accountKey: key,
                        options: ["--into-other-account"]
                    )
                    #expect(full.status == 74, "\(full)")
                    let list = try await other.client("devices")
                    #expect(list.status == 0 && !list.output.contains("small"), "\(list)")
                    await (try small.runningDaemon).stop()
                }
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `on a full disk a logout and a restore change nothing, and say why`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let file = [
                    world.path("backup"), "--passphrase-file",
                    try world.write("correct horse\n", to: "passphrase"),
                ]
                let spare = world.device("spare")
                try await spare.startDaemon()
                try await fill(spare, of: world, store: "other", value: Self.largeValue)
                let written = try await spare.start("sync-client", ["backup"] + file).result()
                #expect(written.status == 0, "\(written)")

                let small = world.device("small")
                try await SmallDisk.with(at: small.home, megabytes: 64, in: world) { disk in
                    try await small.startDaemon()
                    #expect(try await small.logIn().status == 0)
                    try await laptop.save("mail", "secret")
                    try await fill(laptop, of: world, value: Self.largeValue)
                    #expect(try await laptop.sync().status == 0)
                    #expect(try await small.sync().status == 0)

                    try disk.fill()
                    for line in [["logout"], ["restore"] + file] {
                        let refused = try await small.start("sync-client", line).result()
                        #expect(refused.status == 74, "\(line[0]): \(refused)")
                        #expect(refused.errors.contains("disk is full"), "\(line[0]): \(refused)")
                        #expect(try await small.shows("mail", "secret"))
                        #expect(try await count(small) == Self.keyCount)
                        #expect(try await count(small, store: "other") == 0)
                    }
                    // More arrives than the log has room for.
                    try await fill(laptop, of: world, store: "more", value: Self.largeValue)
                    #expect(try await laptop.sync().status == 0)
                    for line in ["sync", "status", "doctor"] {
                        let result = try await small.client(line)
                        #expect(result.status == 74, "\(line): \(result)")
                    }
                    try disk.free()
                    #expect(try await small.sync().status == 0)
                    #expect(try await small.client("status", "--check").status == 0)
                    #expect(try await small.client("logout").status == 0)
                    #expect(try await count(small) == 0)
                    let restored = try await small.start("sync-client", ["restore"] + file)
                        .result()
                    #expect(restored.status == 0, "\(restored)")
                    #expect(try await count(small, store: "other") == Self.keyCount)
                    await (try small.runningDaemon).stop()
                }
            }
        }
    }
}
