import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Homes after an incomplete copy, and logs after a crash.
    struct LostFileTests {
        @Test
        func `a home with an emptied database is not replaced by a new one`() async throws {
            try await World.withDevice { _, device in
                try await device.expect([
                    "add-generic-password", "-s", "mail", "-a", "ada", "-w", "pw",
                ])
                await (try device.runningDaemon).kill()
                let path = device.home + "/keychain.db"
                let database = try Data(contentsOf: URL(filePath: path))
                let log = try Data(contentsOf: URL(filePath: path + "-wal"))
                try Data().write(to: URL(filePath: path))
                let refused = try await device.client("status")
                #expect(refused.status == 74, "\(refused)")
                expectOneSentence(refused, saying: "keychain.db is missing or empty")
                #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
                #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
                try database.write(to: URL(filePath: path))
                try await device.expect(
                    ["find-generic-password", "-s", "mail", "-w"],
                    output: "pw\n"
                )
                _ = try await device.client("stop")
            }
        }

        @Test
        func `a crashing daemon writes no memory to its log`() async throws {
            try await World.with { world in
                let device = world.device("A")
                try await device.expect([
                    "add-generic-password", "-s", "mail", "-a", "ada", "-w", "pw",
                ])
                let daemon = try #require(try Self.daemon(of: device))
                kill(daemon, SIGSEGV)
                let isGone = await eventually { kill(daemon, 0) != 0 }
                #expect(isGone)
                let path = device.home + "/run/daemon.log"
                let log = try String(contentsOfFile: path, encoding: .utf8)
                #expect(!log.contains("Registers") && !log.contains("Crash"), "\(log)")
            }
        }

        @Test
        func `a crashing server or foreground daemon prints no memory either`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let daemon = try devices[0].runningDaemon
                kill(daemon.processID, SIGSEGV)
                let end = await daemon.result(limitSeconds: 120)
                try await world.server.crash()
                #expect(end.status == -SIGSEGV)
                for log in [end.errors, try world.server.log] {
                    #expect(!log.contains("Registers") && !log.contains("rash"), "\(log)")
                }
            }
        }

        /// The daemon that a command has started.
        private static func daemon(of device: Device) throws -> Int32? {
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
                guard let processID = Int32(name),
                    // It may have ended since the folder was read.
                    let line = try? Data(contentsOf: URL(filePath: "/proc/\(name)/cmdline"))
                else { continue }
                let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                if words.dropFirst() == ["daemon", "--home", device.home] { return processID }
            }
            return nil
        }
    }
}
