import Agent
import Foundation
import Keychain
import KeychainTestSupport
import SecItem
import TestSupport
import Testing

struct FileTests {
    @Test
    func `a file that may not be read is unavailable until it may`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            // What is left in the temporary directory harms nobody.
            try? FileManager.default.removeItem(at: directory)
        }
        let path = directory.appending(path: "keychain.db").path(percentEncoded: false)
        let sealing = TestSealing()
        let service = SecItemService(
            keychain: Keychain(
                database: try KeychainDatabase.open(path: path),
                sealing: sealing,
                digesting: sealing,
                clock: { 2_000_000_000 },
                random: SeededRandomSource(seed: 1)
            )
        )
        let client = SecItemClient(accessGroups: ["group"])
        let unavailable: Int32 = -25291
        func setMode(_ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        #expect(service.add(.password(), client: client).status == Status.success)
        try setMode(0)
        #expect(service.add(.password("b"), client: client).status == unavailable)
        #expect(service.copyMatching(.password(), client: client).status == unavailable)
        #expect(service.update(.password(), [:], client: client).status == unavailable)
        #expect(service.delete(.password(), client: client).status == unavailable)
        // What is wrong with a query is told first.
        #expect(service.add([:], client: client).status == Status.parameter)
        try setMode(0o600)
        #expect(service.copyMatching(.password(), client: client).status == Status.success)
        #expect(service.add(.password("b"), client: client).status == Status.success)
        // Neither in another file of that name, nor in one that is gone.
        try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
        #expect(service.add(.password("c"), client: client).status == unavailable)
        try Data().write(to: URL(filePath: path))
        #expect(service.add(.password("c"), client: client).status == unavailable)
        #expect(service.copyMatching(.password(), client: client).status == unavailable)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".aside", toPath: path)
        #expect(service.add(.password("c"), client: client).status == Status.success)
    }

    @Test
    func `writes are on the disk for who may ask`() throws {
        let fixture = try Fixture()
        let service = SecItemService(keychain: fixture.keychain)
        #expect(service.persistWrites(client: fixture.client).status == Status.missingEntitlement)
        fixture.client.entitlements = [Entitlement.durableWrites]
        #expect(service.persistWrites(client: fixture.client).status == Status.success)
    }
}
