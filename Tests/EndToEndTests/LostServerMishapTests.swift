import Foundation
import GRDB
import KSCertificates
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What goes wrong on the way out: kills, a full disk, a certificate that ends.
    struct LostServerMishapTests {
        /// When something is killed, milliseconds after it began.
        private static let waits = [0, 15, 40, 80, 150]

        /// Starts the daemon that was killed; a command may have started another one.
        private func start(_ device: Device, _ world: World) async throws {
            _ = try await device.client("stop")
            try await device.startDaemon()
        }

        /// The store is gone; the server's key stays.
        private func emptyServer(_ world: World) async throws {
            try await world.server.stop()
            for name in try FileManager.default.contentsOfDirectory(atPath: world.serverData)
            where name.hasPrefix("store") {
                try FileManager.default.removeItem(atPath: world.serverData + "/" + name)
            }
            try await world.server.start()
        }

        @Test
        func `a daemon that is killed in server set uses one of the two servers`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let (laptop, old) = (devices[0], world.server)
                try await laptop.save("before", "one")
                #expect(try await laptop.sync().status == 0)
                try await old.stop()
                let folder = world.path("moved")
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
                let moved = Server(folder: folder)
                try FileManager.default.copyItem(atPath: old.data, toPath: moved.data)
                for server in [old, moved] { try await server.start() }
                for (number, wait) in Self.waits.enumerated() {
                    let target = try (number.isMultiple(of: 2) ? moved : old).url
                    let moving = try await laptop.start("sync-client", ["server", "set", target])
                    try await Task.sleep(for: .milliseconds(wait))
                    await (try laptop.runningDaemon).kill()
                    let set = await moving.result()
                    try await start(laptop, world)
                    let status = try await laptop.client("status").output
                    #expect(try status.contains(old.url) || status.contains(moved.url), "\(status)")
                    #expect(set.status != 0 || status.contains(target), "\(set) \(status)")
                    #expect(try await laptop.client("server", "set", target).status == 0)
                    try await laptop.save("after \(number)", "\(number)")
                    #expect(try await eventually { try await laptop.sync().status == 0 })
                }
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                try await old.stop()
                let login = try await fresh.client(
                    "login",
                    "--server",
                    moved.url,
                    "--pin",
                    moved.pin,
                    "--account",
                    World.account,
                    "--device",
                    "fresh",
                    "--no-passcode",
                    "--password-file",
                    world.passwordFile,
                    "--account-key",
                    world.accountKey
                )
                #expect(login.status == 0, "\(login)")
                // The last move went to the new address, so what both had is there.
                for number in 0..<Self.waits.count {
                    #expect(try await fresh.password("after \(number)") == "\(number)")
                }
                try await moved.stop()
            }
        }

        @Test(arguments: waits)
        func `a daemon that is killed in server rebuild has made the account, or not`(
            wait: Int
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let laptop = devices[0]
                for number in 0..<20 { try await laptop.save("item \(number)", "\(number)") }
                for device in devices { #expect(try await device.sync().status == 0) }
                try await emptyServer(world)
                let rebuilding = try await laptop.start(
                    "sync-client",
                    ["server", "rebuild", "--yes"]
                )
                try await Task.sleep(for: .milliseconds(wait))
                await (try laptop.runningDaemon).kill()
                let first = await rebuilding.result()
                try await start(laptop, world)
                let list = try await world.server.command("accounts", "list").output
                #expect(first.status != 0 || list.contains(World.account), "\(first) \(list)")
                let second = try await laptop.client("server", "rebuild", "--yes")
                // Where the account is there, nothing is to be made again.
                #expect(second.status == 0 || list.contains(World.account), "\(second) \(list)")
                for device in devices {
                    let isWell = try await eventually(seconds: 60) { try await device.isWell() }
                    let status = try await device.client("status").output
                    #expect(isWell, "\(device.name) \(first) \(second) \(status)")
                }
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                for number in 0..<20 {
                    #expect(try await fresh.password("item \(number)") == "\(number)")
                }
            }
        }

        @Test
        func `a killed deletion of an account has deleted all of it, or nothing`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                for number in 0..<20 { try await laptop.save("item \(number)", "\(number)") }
                #expect(try await laptop.sync().status == 0)
                for wait in Self.waits {
                    let deleting = try await RunningProgram(
                        "sync-server",
                        ["accounts", "delete", World.account, "--yes", "--data", world.serverData],
                        folder: world.folder
                    )
                    try await Task.sleep(for: .milliseconds(wait))
                    await deleting.kill()
                    try await world.server.kill()
                    try await world.server.start()
                    #expect(try await world.server.command("check").status == 0)
                    let list = try await world.server.command("accounts", "list").output
                    let isThere = list.contains(World.account)
                    if !isThere {
                        let rebuilt = try await laptop.client("server", "rebuild", "--yes")
                        #expect(rebuilt.status == 0, "\(rebuilt)")
                    }
                    #expect(try await eventually { try await laptop.sync().status == 0 })
                    let shown = try await world.server.command("stats").output
                    #expect(shown.contains("\nrecords   20\n"), "\(shown)")
                }
            }
        }

        @Test
        func `a killed repair is finished by the next one`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                for number in 0..<20 { try await laptop.save("item \(number)", "\(number)") }
                #expect(try await laptop.sync().status == 0)
                try await world.server.stop()
                let store = try DatabaseQueue(path: world.serverData + "/store.sqlite")
                try await store.write { database in
                    for row in try Row.fetchAll(database, sql: "SELECT position, boxes FROM record")
                    where (row[0] as Int64).isMultiple(of: 2) {
                        var boxes: [UInt8] = Array(row[1] as Data)
                        boxes[boxes.count - 1] ^= 1
                        try database.execute(
                            sql: "UPDATE record SET boxes = ? WHERE position = ?",
                            arguments: [Data(boxes), row[0] as Int64]
                        )
                    }
                }
                try store.close()
                #expect(try await world.server.command("check").status != 0)
                for wait in Self.waits {
                    let repairing = try await RunningProgram(
                        "sync-server",
                        ["check", "--repair", "--data", world.serverData],
                        folder: world.folder
                    )
                    try await Task.sleep(for: .milliseconds(wait))
                    await repairing.kill()
                }
                #expect(try await world.server.command("check", "--repair").status == 0)
                #expect(try await world.server.command("check").status == 0)
                try await world.server.start()
                #expect(try await eventually { try await laptop.sync().status == 0 })
                for number in 0..<20 {
                    #expect(try await laptop.password("item \(number)") == "\(number)")
                }
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a full disk stops the comparison with a sentence, and it goes on with room`()
            async throws
        {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await SmallDisk.with(at: laptop.home, megabytes: 24, in: world) { disk in
                    try await laptop.startDaemon()
                    #expect(try await laptop.signUp().status == 0)
                    let backup = world.path("backup")
                    #expect(try await world.server.command("backup", backup).status == 0)
                    for number in 0..<30 { try await laptop.save("item \(number)", "\(number)") }
                    #expect(try await laptop.sync().status == 0)
                    try await world.server.stop()
                    #expect(
                        try await world.server.command("restore", backup, "--force").status == 0
                    )
                    try disk.fill()
                    try await world.server.start()
                    let full = try await laptop.sync()
                    #expect(full.status == 74, "\(full)")
                    #expect(full.errors.contains("The disk is full"), "\(full)")
                    let status = try await laptop.client("status")
                    #expect(status.status == 74, "\(status)")
                    #expect(status.output.contains("problem      The disk is full"), "\(status)")
                    #expect(try await laptop.password("item 3") == "3")
                    try disk.free()
                    #expect(try await eventually(seconds: 60) { try await laptop.isWell() })
                    let fresh = world.device("fresh")
                    try await fresh.startDaemon()
                    #expect(try await fresh.logIn().status == 0)
                    #expect(try await fresh.password("item 29") == "29")
                    await (try laptop.runningDaemon).stop()
                }
            }
        }

        @Test(arguments: [29, 32])
        func `a certificate that ends within 30 days is reported on the device`(
            days: Int
        ) async throws {
            try await World.with { world in
                let made = try SelfSignedCertificate.make(
                    hostNames: ["localhost"],
                    addresses: ["127.0.0.1"],
                    validDays: days,
                    now: UInt64(Date().timeIntervalSince1970)
                )
                let files = try [
                    "--tls-cert", world.write(made.certificatePEM, to: "own.pem"),
                    "--tls-key", world.write(made.keyPEM, to: "own.key"),
                ]
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600],
                    ofItemAtPath: world.path("own.key")
                )
                try await world.server.start(files)
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                #expect(try await laptop.signUp().status == 0)
                #expect(try await laptop.sync().status == 0)
                let status = try await laptop.client("status").output
                let line = "certificate  of the server ends "
                #expect(status.contains(line) == (days < 30), "\(status)")
            }
        }
    }
}
