import Foundation
import KSAgent
import KSDaemon
import KSDigests
import KSKeychain
import KSKeychainFiles
import Testing

/// A further keychain that two homes have open.
struct SharedKeychainFileTests {
    private func request(_ secret: String) throws -> ItemAddRequest {
        try ItemAddRequest([
            "class": "genp", "attributes": ["svce": "wifi"], "secret": .data(Array(secret.utf8)),
            "update": true, "match": ["svce": "wifi"],
        ])
    }

    @Test
    func `an item that another home changed or deleted is no longer found`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "kst-" + UUID().uuidString.prefix(8)
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "k").path
        let random = SystemRandomSource()
        let here = try KeychainFile.create(path: path, password: [], random: random)
        let there = try KeychainFile.open(path: path, random: random)
        let query = try KeychainQuery(
            ["class": "genp", "attributes": ["svce": "wifi"], "limit": 1, "wantsSecret": true],
            access: KeychainFile.access
        )
        try here.keychain.add(request("first"), access: KeychainFile.access)
        func shown() throws -> [[UInt8]?] {
            try here.keychain.reader.items(query, skip: 0).map(\.secret)
        }
        for _ in 0..<2 { #expect(try shown() == [Array("first".utf8)]) }
        try there.keychain.add(request("second"), access: KeychainFile.access)
        for _ in 0..<2 { #expect(try shown() == [Array("second".utf8)]) }
        _ = try there.keychain.deleteFirst(query)
        #expect(throws: ItemStoreError.itemNotFound) { try shown() }
        try here.close()
        try there.close()
    }
}
