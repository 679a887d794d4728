import KSAgent
import Foundation
import GRDB
import KSKeychain
import KSKeychainTestSupport
import KSSecItem
import KSTestSupport
import Testing

final class FileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private var path: String { folder.appending(path: "keychain.db").path(percentEncoded: false) }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    private static func service(
        _ database: DatabaseQueue,
        _ sealing: TestSealing = TestSealing()
    ) -> SecItemService {
        SecItemService(
            keychain: ItemStore(
                database: database,
                sealing: sealing,
                clock: { 2_000_000_000 },
                random: SeededRandomSource(seed: 1)
            )
        )
    }

    @Test
    func `an unreadable file is unavailable until it is readable`() throws {
        let service = Self.service(try KeychainDatabase.open(path: path))
        let client = ProgramAccess(accessGroups: ["group"])
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
        // An invalid query is reported first.
        #expect(service.add([:], client: client).status == Status.parameter)
        try setMode(0o600)
        #expect(service.copyMatching(.password(), client: client).status == Status.success)
        #expect(service.add(.password("b"), client: client).status == Status.success)
        // Nothing is written to another file of that name, or to a deleted one.
        try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
        #expect(service.add(.password("c"), client: client).status == unavailable)
        try Data().write(to: URL(filePath: path))
        #expect(service.add(.password("c"), client: client).status == unavailable)
        #expect(service.copyMatching(.password(), client: client).status == unavailable)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".aside", toPath: path)
        #expect(service.add(.password("c"), client: client).status == Status.success)
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `a reference and a tombstone are kept when the keychain is reopened`(
        itemClass: String
    ) throws {
        let sealing = TestSealing()
        let client = ProgramAccess(accessGroups: ["group", "other"])
        func opened<Result>(_ body: (SecItemService) throws -> Result) throws -> Result {
            let database = try KeychainDatabase.open(path: path)
            let result = try body(Self.service(database, sealing))
            try database.close()
            return result
        }
        let item: AgentDictionary = ["class": .string(itemClass)]
        let deleted = item + ["vwht": "deleted", "sync": true]
        let named: AgentDictionary = ["r_PersistentRef": true]
        let reference = try opened { service in
            let gone = service.add(deleted + named, client: client).result
            #expect(service.delete(deleted, client: client).status == Status.success)
            let secret: AgentDictionary = ["v_Data": .bytes("d")]
            let reference = service.add(item + secret + named, client: client).result
            let query: AgentDictionary = ["v_PersistentRef": try #require(reference)]
            let moved = service.update(query, ["agrp": "other", "vwht": "v"], client: client)
            #expect(moved.status == Status.success)
            return (live: reference, gone: gone)
        }
        let query: AgentDictionary = ["v_PersistentRef": try #require(reference.live)]
        try opened { service in
            let found = service.copyMatching(query + ["r_Data": true], client: client)
            #expect(found.result == .bytes("d"))
            let live = service.copyMatching(item + ["vwht": "v"] + named, client: client)
            #expect(live.result == reference.live)
            // A device without an account keeps the tombstone too.
            let buried = service.copyMatching(deleted + named + ["tomb": true], client: client)
            #expect(buried.result == reference.gone)
            #expect(service.delete(query, client: client).status == Status.success)
        }
        try opened { service in
            #expect(service.copyMatching(query, client: client).status == Status.itemNotFound)
        }
    }
}
