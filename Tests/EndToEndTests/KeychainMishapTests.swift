import Foundation
import KSTestSupport
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Further keychains when a process is killed, and on disks that are full or cannot be written.
    struct KeychainMishapTests {
        private static let find = ["find-generic-password", "-s", "s", "-w"]

        private func add(_ account: String, _ password: String, _ keychain: String) -> [String] {
            ["add-generic-password", "-s", "s", "-a", account, "-w", password, keychain]
        }

        @Test
        func `a daemon killed while it makes a keychain leaves no file, or one with its password`()
            async throws
        {
            try await World.withDevice(derivation: .slow) { _, device in
                let folder = device.home + "/keychains"
                let create = ["create-keychain", "-p", "pw", "one"]
                /// How long it takes undisturbed, with what the machine has to do just now.
                func timeToCreate() async throws -> Duration {
                    let start = ContinuousClock.now
                    try await device.expect(create)
                    return ContinuousClock.now - start
                }
                var cutCount = 0
                var duration = try await timeToCreate()
                try await device.expect(["delete-keychain", "one"])
                let percents = [2, 15, 30, 45, 60, 70, 80, 95]
                // Once is enough, unless all of them come too late or too early.
                for (number, percent) in (1...4).flatMap({ _ in percents }).enumerated() {
                    if number >= percents.count, cutCount > 0 { break }
                    let making = try await device.start(
                        "keychain",
                        ["--home", device.home] + create,
                        namesHome: false
                    )
                    try await Task.sleep(for: duration * percent / 100)
                    await (try device.runningDaemon).kill()
                    let made = await making.result()
                    if made.errors.contains("in the middle of the call") { cutCount += 1 }
                    // The command may have started another daemon.
                    _ = try await device.client("stop")
                    try await device.startDaemon()
                    if FileManager.default.fileExists(atPath: folder + "/one-db") {
                        try await device.expect(["show-keychain-info", "one"], status: 36)
                        try await device.expect(["unlock-keychain", "-p", "", "one"], status: 51)
                        try await device.expect(["unlock-keychain", "-p", "pw", "one"])
                        try await device.expect(["delete-keychain", "one"])
                    } else {
                        #expect(made.status != 0, "after \(percent) %: \(made)")
                    }
                    duration = try await timeToCreate()
                    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                    #expect(Set(names) == ["login.keychain-db", "one-db"])
                    try await device.expect(["delete-keychain", "one"])
                }
                #expect(cutCount > 0)
            }
        }

        private func withSmallDisk(
            _ body: (_ device: Device, _ disk: SmallDisk, _ folder: String) async throws -> Void
        ) async throws {
            try await World.withDevice { world, device in
                let folder = world.path("disk")
                try await SmallDisk.with(at: folder, in: world) { disk in
                    try await device.expect(["create-keychain", "-p", "", folder + "/one"])
                    try await device.expect(add("a", "before", folder + "/one"))
                    try await body(device, disk, folder)
                    await (try device.runningDaemon).stop()
                }
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a full disk is named, and the keychains on it can be read`() async throws {
            try await withSmallDisk { device, disk, folder in
                try disk.fill()
                try await device.restartDaemonAfterKill()
                try await device.expect(Self.find + [folder + "/one"], output: "before\n")
                let large = String(repeating: "x", count: 50_000)
                for line in [
                    add("b", large, folder + "/one"),
                    ["create-keychain", "-p", "", folder + "/two"],
                    ["set-keychain-settings", "-t", "60", folder + "/one"],
                    ["set-keychain-password", "-o", "", "-p", "pw", folder + "/one"],
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 53, "\(line[0]): \(result)")
                    #expect(result.errors.contains("The disk is full: "), "\(line[0]): \(result)")
                }
                #expect(!FileManager.default.fileExists(atPath: folder + "/two"))
                try disk.free()
                try await device.expect(add("b", "after", folder + "/one"))
                try await device.expect(["create-keychain", "-p", "", folder + "/two"])
                try await device.restartDaemonAfterKill()
                try await device.expect(Self.find + [folder + "/one"], output: "before\n")
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a failed write on a full disk keeps the existing file`() async throws {
            try await withSmallDisk { device, disk, folder in
                let key = folder + "/key.pem"
                try Data(KeyFixtures.p256.utf8).write(to: URL(filePath: key))
                try await device.expect(["import", key])
                try await device.expect(["export", "-o", key])
                let before = try Data(contentsOf: URL(filePath: key))
                let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                try disk.fill()
                let exported = try await device.run(["export", "-o", key])
                #expect(exported.status == 1, "\(exported)")
                #expect(exported.errors == "security: \(key): No space left on device\n")
                let sealed = try await device.run(["protect", key, "--class", "none"])
                #expect(sealed.status == 74, "\(sealed)")
                expectOneSentence(sealed, saying: "(No space left on device)")
                #expect(try Data(contentsOf: URL(filePath: key)) == before)
                try disk.free()
                let after = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                #expect(after == names)
                try await device.expect(["export", "-o", key])
                #expect(try Data(contentsOf: URL(filePath: key)) == before)
            }
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a keychain on a disk that is read-only can be read`() async throws {
            try await withSmallDisk { device, disk, folder in
                await (try device.runningDaemon).kill()
                try await disk.makeReadOnly()
                try await device.startDaemon()
                try await device.expect(Self.find + [folder + "/one"], output: "before\n")
                for line in [
                    add("b", "after", folder + "/one"),
                    ["create-keychain", "-p", "", folder + "/two"],
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 52, "\(result)")
                    #expect(result.errors.contains("Read only error."), "\(result)")
                }
            }
        }
    }
}
