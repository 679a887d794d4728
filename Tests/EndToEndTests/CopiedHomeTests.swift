import Foundation
import GRDB
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A cloned machine: two homes of the same device.
    struct CopiedHomeTests {
        private func hasBatch(_ device: Device) async throws -> Bool {
            let queue = try DatabaseQueue(path: device.home + "/keychain.db")
            return try await queue.read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM batch") ?? 0 > 0
            }
        }

        @Test
        func `both copies of a home continue, and no value of either is lost`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("shared", "before the copy")
                #expect(try await laptop.sync().status == 0)
                await (try laptop.runningDaemon).stop()
                let copy = world.device("copy")
                try FileManager.default.copyItem(atPath: laptop.home, toPath: copy.home)
                let copies = [laptop, copy]
                for device in copies {
                    try await device.startDaemon()
                    #expect(try await device.sync().status == 0)
                }

                // Both have pulled everything, and send as one actor before either pulls more.
                try world.server.freeze()
                for device in copies {
                    try await device.save("shared", "of the \(device.name)")
                    try await device.save("only on the \(device.name)", "kept")
                }
                // Each stores a batch before it sends it.
                for device in copies {
                    try #require(try await eventually { try await hasBatch(device) })
                }
                await pause(milliseconds: 300)
                try world.server.thaw()
                for device in copies + [laptop, phone] {
                    let result = try await device.sync()
                    #expect(result.status == 0, "\(device.name): \(result)")
                }
                let log = try world.server.log
                #expect(log.contains("actor_forked"), "the server refused neither")

                let value = try await phone.password("shared")
                let values = copies.map { "of the \($0.name)" }
                #expect(values.contains { $0 == value })
                for device in [laptop, copy, phone] {
                    #expect(try await device.password("shared") == value)
                    let history = try await device.client(
                        "history",
                        "-s",
                        "shared",
                        "-a",
                        "ada",
                        "--show-secrets"
                    )
                    for value in values + ["before the copy"] {
                        #expect(history.output.contains(value), "\(device.name): \(history)")
                    }
                    for name in copies.map(\.name) {
                        #expect(try await device.password("only on the \(name)") == "kept")
                    }
                }
            }
        }
    }
}
