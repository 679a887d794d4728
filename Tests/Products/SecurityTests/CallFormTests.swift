import Foundation
import Security
import Testing

/// The keys that the four functions ignore, refuse and pass on.
extension PasswordStoreTests {
    private func query(_ service: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "ada",
        ]
        return query.merging(more) { $1 } as CFDictionary
    }

    private func attributes(_ service: String) -> [String: Any]? {
        var result: CFTypeRef?
        let query = query(service, [kSecReturnAttributes: true])
        guard unsafe SecItemCopyMatching(query, &result) == errSecSuccess else { return nil }
        return result as? [String: Any]
    }

    @Test
    func `add ignores every limit; update and delete ignore kSecMatchLimitAll`() {
        let service = "limits"
        defer { SecItemDelete(query(service)) }
        for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
            #expect(SecItemAdd(query(service, [kSecMatchLimit: limit]), nil) == errSecSuccess)
            #expect(SecItemCopyMatching(query(service), nil) == errSecSuccess)
            let all = query(service, [kSecMatchLimit: kSecMatchLimitAll])
            let update = [kSecAttrLabel: "new"] as CFDictionary
            #expect(SecItemUpdate(all, update) == errSecSuccess)
            #expect(attributes(service)?[kSecAttrLabel as String] as? String == "new")
            #expect(SecItemDelete(all) == errSecSuccess)
            #expect(SecItemCopyMatching(query(service), nil) == errSecItemNotFound)
        }
    }

    @Test
    func `update and delete refuse any other limit, and change nothing`() throws {
        let service = "one of them"
        let add = query(service, [kSecAttrLabel: "old"])
        try #require(SecItemAdd(add, nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        for limit in [kSecMatchLimitOne, 1, 2, 0] as [Any] {
            let query = query(service, [kSecMatchLimit: limit])
            let update = [kSecAttrLabel: "new"] as CFDictionary
            #expect(SecItemUpdate(query, update) == errSecParam)
            #expect(attributes(service)?[kSecAttrLabel as String] as? String == "old")
            #expect(SecItemDelete(query) == errSecParam)
            #expect(attributes(service) != nil)
        }
    }

    @Test
    func `a result may be written to uninitialized memory`() throws {
        let service = "fresh memory"
        try #require(SecItemAdd(query(service), nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        let size = MemoryLayout<CFTypeRef?>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size)
        defer { unsafe memory.deallocate() }
        // An invalid address: releasing a previous value would crash the program.
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0x10, count: size)
        let result = unsafe memory.assumingMemoryBound(to: CFTypeRef?.self)
        let wanted = query(service, [kSecReturnAttributes: true])
        #expect(unsafe SecItemCopyMatching(wanted, result) == errSecSuccess)
        let attributes = unsafe result.move() as? [String: Any]
        #expect(attributes?[kSecAttrAccount as String] as? String == "ada")
    }

    @Test
    func `an update ignores return flags`() throws {
        let service = "update with flags"
        try #require(SecItemAdd(query(service), nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        let update = [kSecAttrLabel: "new"] as CFDictionary
        for flag in [
            kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef,
        ] {
            #expect(SecItemUpdate(query(service, [flag: true]), update) == errSecSuccess)
            // A number is not a boolean, so it is no flag.
            #expect(SecItemUpdate(query(service, [flag: 1]), update) == errSecParam)
        }
        #expect(attributes(service)?[kSecAttrLabel as String] as? String == "new")
    }

    @Test
    func `return flags without a result pointer are accepted`() {
        let service = "no pointer"
        defer { SecItemDelete(query(service)) }
        let flags: [CFString: Any] = [
            kSecReturnData: true, kSecReturnAttributes: true, kSecReturnPersistentRef: true,
        ]
        #expect(SecItemAdd(query(service, flags), nil) == errSecSuccess)
        #expect(SecItemCopyMatching(query(service, flags), nil) == errSecSuccess)
        #expect(SecItemCopyMatching(query(service, [kSecReturnRef: true]), nil) == errSecSuccess)
        #expect(SecItemAdd(query(service, flags), nil) == errSecDuplicateItem)
    }

    @Test
    func `a UUID is 16 bytes in one attribute and text in the other`() throws {
        let service = "identifiers"
        let user = try #require(NSUUID(uuidString: "01020304-0506-0708-090a-0b0c0d0e0f10"))
        let view = try #require(NSUUID(uuidString: "a0b0c0d0-e0f0-4a5b-8c7d-0e1f2a3b4c5d"))
        let add = query(service, [kSecAttrMultiUser: user, kSecAttrSyncViewHint: view])
        try #require(SecItemAdd(add, nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        let found = try #require(attributes(service))
        #expect(found[kSecAttrMultiUser as String] as? Data == Data(1...16))
        #expect(
            found[kSecAttrSyncViewHint as String] as? String
                == "A0B0C0D0-E0F0-4A5B-8C7D-0E1F2A3B4C5D"
        )
        #expect(SecItemCopyMatching(add, nil) == errSecSuccess)
        #expect(SecItemAdd(add, nil) == errSecDuplicateItem)
        let other = query(service, [kSecAttrMultiUser: view])
        #expect(SecItemCopyMatching(other, nil) == errSecItemNotFound)
    }

    /// Some wrappers keep an item's attributes in a dictionary of their own.
    @Test
    func `an update accepts the attributes that a search returned`() throws {
        let service = "there and back"
        try #require(
            SecItemAdd(query(service, [kSecValueData: Data("old".utf8)]), nil) == errSecSuccess
        )
        defer { SecItemDelete(query(service)) }
        var kept = try #require(attributes(service))
        var item = kept
        item[kSecClass as String] = kSecClassGenericPassword
        kept[kSecAttrLabel as String] = "new"
        kept[kSecValueData as String] = Data("new".utf8)
        #expect(SecItemUpdate(item as CFDictionary, kept as CFDictionary) == errSecSuccess)
        #expect(attributes(service)?[kSecAttrLabel as String] as? String == "new")
        var result: CFTypeRef?
        let secret = query(service, [kSecReturnData: true])
        #expect(unsafe SecItemCopyMatching(secret, &result) == errSecSuccess)
        #expect(result as? Data == Data("new".utf8))
    }

    @Test
    func `a program has a group of its own, and no other`() throws {
        let service = "groups"
        try #require(SecItemAdd(query(service), nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        let group = try #require(attributes(service)?[kSecAttrAccessGroup as String] as? String)
        #expect(group == "exe:" + CommandLine.executable)
        #expect(
            SecItemCopyMatching(query(service, [kSecAttrAccessGroup: group]), nil) == errSecSuccess
        )
        let foreign = query(service, [kSecAttrAccessGroup: "exe:/usr/bin/other"])
        let update = [kSecAttrLabel: "new"] as CFDictionary
        #expect(SecItemAdd(foreign, nil) == errSecMissingEntitlement)
        #expect(SecItemCopyMatching(foreign, nil) == errSecMissingEntitlement)
        #expect(SecItemUpdate(foreign, update) == errSecMissingEntitlement)
        #expect(SecItemDelete(foreign) == errSecMissingEntitlement)
        let moved = [kSecAttrAccessGroup: "exe:/usr/bin/other"] as CFDictionary
        #expect(SecItemUpdate(query(service), moved) == errSecMissingEntitlement)
    }

    @Test
    func `an item over the limit is refused, and a large one is returned whole`() throws {
        let service = "large"
        let large = Data(repeating: 0x61, count: 16 << 20 - 1 << 10)
        let add = query(service, [kSecValueData: large, kSecAttrLabel: "large"])
        #expect(SecItemAdd(add, nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        var result: CFTypeRef?
        let all = query(service, [kSecReturnData: true, kSecReturnAttributes: true])
        #expect(unsafe SecItemCopyMatching(all, &result) == errSecSuccess)
        #expect((result as? [String: Any])?[kSecValueData as String] as? Data == large)
        for count in [16 << 20 + 1, 65 << 20] {
            let more = query("larger", [kSecValueData: Data(count: count)])
            #expect(SecItemAdd(more, nil) == errSecDataTooLarge)
        }
    }

    @Test
    func `a key of a query is a string`() throws {
        let service = "bytes that are no key"
        try #require(SecItemAdd(query(service), nil) == errSecSuccess)
        defer { SecItemDelete(query(service)) }
        let wrong = try #require(query(service).mutableCopy() as? NSMutableDictionary)
        wrong[5 as NSNumber] = "x"
        let update = [kSecAttrLabel: "l"] as CFDictionary
        #expect(SecItemAdd(wrong, nil) == errSecParam)
        #expect(SecItemCopyMatching(wrong, nil) == errSecParam)
        #expect(SecItemUpdate(wrong, update) == errSecParam)
        #expect(SecItemDelete(wrong) == errSecParam)
        // An update sets nothing but attributes.
        let numbers: NSDictionary = [5 as NSNumber: "x"]
        #expect(SecItemUpdate(query(service), numbers) == errSecNoSuchAttr)
        #expect(SecItemCopyMatching(query(service), nil) == errSecSuccess)
    }

    @Test
    func `every Swift number type is a number`() throws {
        let values: [Any] = [
            80, Int8(80), UInt16(80), Int64(80), 80.0, Float(80), CGFloat(80), "80",
            NSNumber(value: 80), Decimal(80),
        ]
        func query(_ port: Any) -> CFDictionary {
            [
                kSecClass: kSecClassInternetPassword, kSecAttrServer: "numbers",
                kSecAttrPort: port,
            ] as CFDictionary
        }
        for value in values {
            let name = "\(type(of: value))"
            #expect(SecItemAdd(query(value), nil) == errSecSuccess, "\(name)")
            #expect(SecItemAdd(query(80), nil) == errSecDuplicateItem, "\(name)")
            #expect(SecItemDelete(query(value)) == errSecSuccess, "\(name)")
        }
        #expect(SecItemAdd(query(CGFloat(1.5)), nil) == errSecSuccess)
        #expect(SecItemDelete(query(1.5)) == errSecSuccess)
        let flag = [kSecReturnData: CGFloat(1)].merging(query(1) as? [CFString: Any] ?? [:]) { $1 }
        #expect(SecItemCopyMatching(flag as CFDictionary, nil) == errSecParam)
    }
}

extension CommandLine {
    /// The path of this program's file, as the kernel reports it.
    fileprivate static var executable: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
    }
}
