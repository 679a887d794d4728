import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    struct RecoveryTests {
        @Test
        func `without the server everything except sync works, and nothing is lost`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await world.server.stop()
                try await laptop.save("written offline", "kept")
                #expect(try await laptop.password("written offline") == "kept")
                let offline = try await laptop.sync()
                #expect(offline.status == 69, "\(offline)")
                expectOneSentence(offline, saying: "server")
                // It goes on by itself.
                let check = try await laptop.client("status", "--check")
                #expect(check.status == 0 && check.output.contains("\nproblem "), "\(check)")
                let login = try await world.device("tablet").logIn()
                #expect(login.status == 69, "\(login)")

                try await world.server.start()
                // Both devices sync without a command.
                #expect(
                    try await eventually(seconds: 40) {
                        try await phone.shows("written offline", "kept")
                    }
                )
                #expect(try await laptop.sync().status == 0)
            }
        }

        @Test
        func `a daemon killed right after an answer keeps the acknowledged write`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                for round in 1...4 {
                    try await laptop.save("acknowledged \(round)", "value \(round)")
                    try await laptop.restartDaemonAfterKill()
                    #expect(
                        try await laptop.password("acknowledged \(round)") == "value \(round)"
                    )
                }
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.sync().status == 0)
                for round in 1...4 {
                    #expect(try await phone.password("acknowledged \(round)") == "value \(round)")
                }
            }
        }

        @Test
        func `a daemon killed during an import imports the rest the next time`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                func export(_ name: String) throws -> String {
                    var rows = "name,url,username,password,note\n"
                    for row in 1...800 {
                        rows += "n\(row),https://\(name)-\(row).example.org/,ada,secret \(row),\n"
                    }
                    return try world.write(rows, to: name + ".csv")
                }
                let whole = try export("whole")
                let start = ContinuousClock.now
                #expect(try await laptop.client("import", whole).status == 0)
                var duration = ContinuousClock.now - start
                var (name, isCut) = ("", false)
                // One is enough, unless it comes too late or too early.
                let moments = (1...4).flatMap { _ in [50, 70, 35, 85, 20] }
                for (number, percent) in moments.enumerated() where !isCut {
                    name = "after-\(percent)-\(number)"
                    let file = try export(name)
                    let first = try await laptop.start("sync-client", ["import", file])
                    try await Task.sleep(for: duration * percent / 100)
                    await (try laptop.runningDaemon).kill()
                    let cut = await first.result()
                    isCut = cut.errors.contains("in the middle of the call")
                    // The command may have started another daemon.
                    _ = try await laptop.client("stop")
                    try await laptop.startDaemon()
                    let begin = ContinuousClock.now
                    let again = try await laptop.client("import", file)
                    // The machine may have more or less to do now.
                    duration = ContinuousClock.now - begin
                    #expect(again.status == 0, "\(again); the one before: \(cut)")
                }
                #expect(isCut)
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.sync().status == 0)
                for row in [1, 2, 499, 501, 800] {
                    for device in devices {
                        let found = try await device.keychain(
                            "find-internet-password",
                            "-s",
                            "\(name)-\(row).example.org",
                            "-w"
                        )
                        #expect(found.output == "secret \(row)\n", "\(device.name): \(found)")
                    }
                }
            }
        }

        @Test
        func `a server killed during a push loses and doubles nothing`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                for round in 1...2 {
                    var rows = "name,url,username,password,note\n"
                    for row in 1...300 {
                        rows += "n,https://r\(round)-\(row).example.org/,ada,secret \(row),\n"
                    }
                    let file = try world.write(rows, to: "export-\(round).csv")
                    let result = try await laptop.client("import", file)
                    #expect(result.status == 0, "\(result)")
                    // The daemon pushes by itself; the server is killed meanwhile.
                    await pause(milliseconds: 60 * round)
                    try await world.server.kill()
                    try await laptop.save("while it was down", "round \(round)")
                    try await world.server.start()
                }
                for device in [laptop, phone] {
                    let result = try await device.sync()
                    #expect(result.status == 0, "\(device.name): \(result)")
                }
                #expect(try await phone.password("while it was down") == "round 2")
                for name in ["r1-1", "r1-300", "r2-150", "r2-300"] {
                    let found = try await phone.keychain(
                        "find-internet-password",
                        "-s",
                        name + ".example.org",
                        "-w"
                    )
                    #expect(found.status == 0, "\(name): \(found)")
                }
                // A write accepted twice would be its own sibling, which users see as a conflict.
                let conflicts = try await phone.client("conflicts")
                #expect(conflicts.status == 0)
                #expect(!conflicts.output.contains("example.org"), "\(conflicts.output)")
                let second = try await laptop.sync()
                #expect(second.output.contains("0"), "\(second)")
            }
        }

        @Test
        func `a home has one daemon`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let second = try await device.client("daemon")
                #expect(second.status == 75)
                #expect(try await device.keychain("find-generic-password", "-s", "x").status == 44)
                // The second stop finds no daemon, which is a success too.
                for _ in 0..<2 { #expect(try await device.client("stop").status == 0) }
            }
        }

        @Test
        func `the first command starts the daemon of its home`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                let added = try await device.keychain(
                    "add-generic-password",
                    "-s",
                    "first",
                    "-a",
                    "ada",
                    "-w",
                    "one"
                )
                #expect(added.status == 0, "\(added)")
                let found = try await device.keychain("find-generic-password", "-s", "first", "-w")
                #expect(found.output == "one\n")
            }
        }

        @Test
        func `a write to a removed database is refused`() async throws {
            try await World.withDevice { _, device in
                let file = device.home + "/keychain.db"
                let add = ["add-generic-password", "-s", "new", "-a", "ada", "-w", "x"]
                let find = ["find-generic-password", "-s", "new", "-w"]
                try FileManager.default.moveItem(atPath: file, toPath: file + ".aside")
                #expect(try await device.run(add).status != 0)
                #expect(try await device.run(find).status == 53)
                try Data().write(to: URL(filePath: file))
                #expect(try await device.run(add).status != 0)
                try FileManager.default.removeItem(atPath: file)
                try FileManager.default.moveItem(atPath: file + ".aside", toPath: file)
                try await device.expect(find, status: 44)
                try await device.expect(add)
                try await device.restartDaemonAfterKill()
                try await device.expect(find, output: "x\n")
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a full disk is reported, by the exit status too, and existing items stay`()
            async throws
        {
            let rows = (1...100).map {
                "n,https://site\($0).example.org/,ada,\(String(repeating: "x", count: 60_000)),"
            }
            try await World.with { world in
                let device = world.device("laptop")
                let header = "name,url,username,password,note"
                let export = ([header] + rows).joined(separator: "\n") + "\n"
                let file = try world.write(export, to: "export.csv")
                try await SmallDisk.with(at: device.home, in: world) { disk in
                    try await device.startDaemon()
                    try await device.save("before", "kept")
                    try disk.fill()
                    var result = try await device.keychain(
                        "add-generic-password",
                        "-s",
                        "small",
                        "-a",
                        "ada",
                        "-w",
                        "x"
                    )
                    for number in 0..<150 where result.status == 0 {
                        result = try await device.keychain(
                            "add-generic-password",
                            "-s",
                            "large \(number)",
                            "-a",
                            "ada",
                            "-w",
                            String(repeating: "x", count: 100_000)
                        )
                    }
                    // The low byte of errSecNotAvailable, -25291.
                    #expect(result.status == 53)
                    #expect(result.errors.contains("full"), "\(result)")
                    let imported = try await device.client("import", file)
                    #expect(imported.status == 74)
                    expectOneSentence(imported, saying: "full")
                    try disk.free()
                    try await device.save("after", "works again")
                    try await device.restartDaemonAfterKill()
                    #expect(try await device.password("before") == "kept")
                    #expect(try await device.password("after") == "works again")
                    await (try device.runningDaemon).stop()
                }
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a device starts on a full disk, and shows what it has`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await SmallDisk.with(at: device.home, megabytes: 8, in: world) { disk in
                    try await device.startDaemon()
                    try await device.save("mail", "kept")
                    let large = try world.writeBytes(100_000, to: "file")
                    var status: Int32 = 0
                    for number in 0..<100 where status == 0 {
                        let title = "note \(number)"
                        status = try await device.keychain("new", "note", title).status
                        guard status == 0 else { break }
                        status = try await device.keychain("attach", title, large).status
                    }
                    #expect(status != 0)
                    try disk.fill()
                    #expect(try await device.client("stop").status == 0)
                    try await device.startDaemon()
                    #expect(try await device.password("mail") == "kept")
                    try await device.restartDaemonAfterKill()
                    #expect(try await device.password("mail") == "kept")
                    #expect(try await device.client("status").status == 0)
                    try disk.free()
                    try await device.save("after", "works again")
                    #expect(try await device.password("after") == "works again")
                    await (try device.runningDaemon).stop()
                }
            }
        }
    }
}
