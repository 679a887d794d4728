import KSSealing
import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSDigests
import KSKeychain
import KSKeychainFiles
import KSDeviceKeys
import Testing

/// A home whose database is missing or empty.
struct LostDatabaseTests {
    private static let access = KeychainFile.access

    private func withHome(_ body: (AgentHome) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "kst-" + UUID().uuidString.prefix(8)).path
        let home = try AgentHome(argument: path) { _ in nil }
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(home)
    }

    private func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    private func expectRefused(_ home: AgentHome) throws {
        let error = try #require(throws: CommandFailure.self) { try DeviceFiles(home: home) }
        #expect(error.exit == .diskTrouble)
        #expect(error.sentence.contains("keychain.db"))
    }

    private func find(_ home: AgentHome) async throws -> Int {
        let files = try DeviceFiles(home: home)
        let query = try KeychainQuery(["class": "genp"], access: Self.access)
        let count = try await KeychainOwner(files: files).find(query).count
        files.close()
        return count
    }

    @Test(arguments: [true, false])
    func `a home that lost its database is not changed, and opens once it is back`(
        isEmpty: Bool
    ) async throws {
        try await withHome { home in
            let files = try DeviceFiles(home: home)
            let owner = try KeychainOwner(files: files)
            let request = try ItemAddRequest([
                "class": "genp", "attributes": ["svce": "wifi"], "secret": .data([1]),
            ])
            try await owner.add(request, access: Self.access)
            files.close()
            let path = home.path + "/keychain.db"
            let database = try bytes(path)
            let log = try bytes(path + "-wal")
            try FileManager.default.removeItem(atPath: path)
            if isEmpty { try Data().write(to: URL(filePath: path)) }
            let names = try FileManager.default.contentsOfDirectory(atPath: home.path).sorted()

            try expectRefused(home)
            #expect(try bytes(path + "-wal") == log)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == names
            )
            if isEmpty { #expect(try bytes(path).isEmpty) }
            try database.write(to: URL(filePath: path))
            #expect(try await find(home) == 1)
        }
    }

    @Test
    func `a home that has talked to a server does not start without its database`()
        async throws
    {
        try await withHome { home in
            try DirectoryKeyFiles(path: home.path).replace(.devicePins, with: [1])
            try expectRefused(home)
            #expect(!FileManager.default.fileExists(atPath: home.path + "/device-secret"))
        }
    }

    /// Keys are made first, then the file, then its log, which begins with zeros.
    @Test(arguments: 0...2)
    func `an interrupted first start continues`(step: Int) async throws {
        try await withHome { home in
            _ = try LocalKeyFile.open(
                storage: DirectoryKeyFiles(path: home.path),
                random: SystemRandomSource(),
                mayCreate: true
            )
            let path = home.path + "/keychain.db"
            if step > 0 { try Data().write(to: URL(filePath: path)) }
            if step > 1 { try Data(count: 1 << 20).write(to: URL(filePath: path + "-wal")) }
            await #expect(throws: ItemStoreError.itemNotFound) { try await find(home) }
        }
    }
}
