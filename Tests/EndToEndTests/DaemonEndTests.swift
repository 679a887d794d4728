import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// How a daemon ends, and what is said of it afterwards.
    struct DaemonEndTests {
        private static let words = "the daemon before this one did not end in order"

        @Test
        func `a daemon says that the one before it was killed, and not that it was stopped`()
            async throws
        {
            try await World.withDevices("laptop") { _, devices in
                let laptop = devices[0]
                try await laptop.restartDaemonAfterKill()
                #expect(try laptop.runningDaemon.errors.contains(Self.words))
                #expect(try await laptop.client("stop").status == 0)
                try await laptop.startDaemon()
                #expect(try !laptop.runningDaemon.errors.contains(Self.words))
            }
        }

        @Test
        func `stop makes no home, and says that the one it was given is not there`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let typo = world.path("laptpo")
                let stop = try await devices[0].start(
                    "sync-client",
                    ["stop", "--home", typo],
                    namesHome: false
                ).result()
                #expect(stop.status == 64, "\(stop)")
                #expect(stop.errors == "sync-client: \(typo): there is no such directory.\n")
                #expect(!FileManager.default.fileExists(atPath: typo))
            }
        }
    }
}
