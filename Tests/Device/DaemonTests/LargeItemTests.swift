import KSAgent
import KSKeychain
import KSKeychainFiles
import Testing

import KSDaemon

/// Passwords near an item's size limit, on a device with an account.
struct LargeItemTests {
    private static let access = KeychainFile.access

    private func secret(of device: EnrolledOwner) async throws -> [UInt8]? {
        let query = try KeychainQuery(["class": "inet", "wantsSecret": true], access: Self.access)
        return try await device.owner.find(query).first?.secret
    }

    @Test
    func `an item is not changed if an imported password is too large`() async throws {
        let device = try await EnrolledOwner()
        _ = try await device.owner.take(rows: "a,https://a.example,me,current,\n")
        let large = String(repeating: "x", count: 70 << 10)
        let taken = try await device.owner.take(
            rows: "a,https://a.example,me,\(large),\nb,https://b.example,me,other,\n"
        )
        #expect(taken.shown == "1 0 0 0 2 too_large")
        #expect(try await secret(of: device) == Array("current".utf8))
        let item = try #require(
            try await device.owner.synchronized(place: "a.example", account: "me").first
        )
        #expect(try await device.history(of: item) == ["current"])
    }

    @Test
    func `a large secret can be changed any number of times while nothing is sent`()
        async throws
    {
        let device = try await EnrolledOwner()
        for number in 0..<12 as Range<UInt8> {
            let request = try ItemAddRequest([
                "class": "genp", "attributes": ["svce": "key", "acct": "me"],
                "secret": .data([UInt8](repeating: number, count: 45_000)),
                "synchronizable": true, "update": true, "match": ["svce": "key"],
            ])
            try await device.owner.add(request, access: Self.access)
        }
        let query = try KeychainQuery(["class": "genp", "wantsSecret": true], access: Self.access)
        let found = try await device.owner.find(query)
        #expect(found.map { $0.secret?.first } == [11])
    }
}
