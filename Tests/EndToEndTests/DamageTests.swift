import Foundation
import GRDB
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A keychain file with some changed bytes.
    struct DamageTests {
        private func add(_ account: String) -> [String] {
            ["add-generic-password", "-s", "s", "-a", account, "-w", "secret of \(account)"]
        }

        private func find(_ account: String) -> [String] {
            ["find-generic-password", "-s", "s", "-a", account, "-w"]
        }

        /// Changes the keychain's file while no daemon has it open.
        private func damage(_ device: Device, _ sql: String) async throws {
            #expect(try await device.client("stop").status == 0)
            let queue = try DatabaseQueue(path: device.home + "/keychain.db")
            try await queue.write { try $0.execute(sql: sql) }
            try queue.close()
            try await device.startDaemon()
        }

        @Test
        func `a list of attributes works with damaged secrets`()
            async throws
        {
            try await World.withDevice { _, device in
                for account in ["ada", "bob", "eve"] { try await device.expect(add(account)) }
                let before = try await device.keychain("dump-keychain")
                #expect(before.status == 0)
                for account in ["ada", "bob", "eve"] {
                    #expect(before.output.contains(#""acct"<blob>="\#(account)""#), "\(before)")
                }
                try await damage(
                    device,
                    "UPDATE genp SET secret = zeroblob(length(secret)) WHERE id < 3"
                )
                for _ in 0..<2 {
                    let after = try await device.keychain("dump-keychain")
                    #expect(after.status == 0 && after.errors.isEmpty, "\(after)")
                    #expect(after.output == before.output)
                }
                // With secrets, the list has the items that can be read.
                let whole = try await device.keychain("dump-keychain", "-d")
                #expect(whole.status == 0, "\(whole)")
                #expect(whole.output.contains("\"secret of eve\""), "\(whole)")
                #expect(!whole.output.contains("ada"), "\(whole)")
                try await device.expect(find("ada"), status: 93)
                try await device.expect(find("eve"), output: "secret of eve\n")
                let doctor = try await device.client("doctor")
                let unreadable = doctor.output.split(separator: "\n")
                    .filter { $0.hasPrefix("An item cannot be read") }
                #expect(unreadable.count == 2, "\(doctor)")
            }
        }

        @Test
        func `the status says that the file is damaged, and what to do`() async throws {
            try await World.withDevice { _, device in
                try await device.expect(add("ada"))
                #expect(try await device.client("status").output.contains("integrity    ok"))
                #expect(try await device.client("stop").status == 0)
                let path = device.home + "/keychain.db"
                let queue = try DatabaseQueue(path: path)
                let sql = "SELECT rootpage FROM sqlite_master WHERE name = 'keys'"
                let page = try #require(try await queue.read { try Int.fetchOne($0, sql: sql) })
                let size = try await queue.read { try Int.fetchOne($0, sql: "PRAGMA page_size") }
                try queue.close()
                // Else SQLite would read the page from its log.
                for suffix in ["-wal", "-shm"]
                where FileManager.default.fileExists(
                    atPath: path + suffix
                ) { try FileManager.default.removeItem(atPath: path + suffix) }
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.seek(toOffset: UInt64((page - 1) * (size ?? 4096)))
                try file.write(contentsOf: Data(repeating: 0xFF, count: 1000))
                try file.close()
                try await device.startDaemon()
                let status = try await device.client("status")
                #expect(status.status == 74, "\(status)")
                #expect(status.output.contains("integrity    the file is damaged"), "\(status)")
                expectOneSentence(status, saying: "sync-client reset")
            }
        }

        @Test
        func `after the user follows the status, sync continues without a restart`() async throws {
            try await World.withDevices("laptop") { _, devices in
                let device = devices[0]
                let pins = device.home + "/device-pins"
                func setMode(_ mode: Int) throws {
                    try FileManager.default.setAttributes(
                        [.posixPermissions: mode],
                        ofItemAtPath: pins
                    )
                }
                #expect(try await device.client("stop").status == 0)
                try setMode(0o644)
                try await device.startDaemon()
                let before = try await device.client("status")
                #expect(before.output.contains("cannot be read"), "\(before)")
                #expect(before.output.contains("problem"), "\(before)")
                // An unlock does not turn it into a device without an account.
                #expect(try await device.client("unlock").status == 0)
                let unlocked = try await device.client("status")
                #expect(unlocked.output == before.output)
                try setMode(0o600)
                let sync = try await device.client("sync")
                #expect(sync.status == 0, "\(sync)")
                let after = try await device.client("status")
                #expect(!after.output.contains("problem"), "\(after)")
            }
        }
    }
}
