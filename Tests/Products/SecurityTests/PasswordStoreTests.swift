import Foundation
import Security
import Testing

/// A small password store in the style of programs for Apple's keychain.
private struct PasswordStore {
    let service: String
    var isSynchronizable = false

    private func query(_ account: String? = nil) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
        ]
        query[kSecAttrSynchronizable as String] =
            isSynchronizable ? kCFBooleanTrue : kSecAttrSynchronizableAny
        if let account { query[kSecAttrAccount as String] = account }
        return query
    }

    func set(_ password: String, for account: String) throws {
        var status = SecItemCopyMatching(query(account) as CFDictionary, nil)
        let value = Data(password.utf8)
        switch status {
        case errSecSuccess, errSecInteractionNotAllowed:
            let attributes: [String: Any] = [kSecValueData as String: value]
            status = SecItemUpdate(query(account) as CFDictionary, attributes as CFDictionary)
        case errSecItemNotFound:
            var attributes = query(account)
            attributes[kSecAttrSynchronizable as String] = isSynchronizable
            attributes[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
            attributes[kSecValueData as String] = value
            status = SecItemAdd(attributes as CFDictionary, nil)
        default: break
        }
        guard status == errSecSuccess else { throw error(status) }
    }

    func get(_ account: String) throws -> String? {
        var query = query(account)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnData as String] = kCFBooleanTrue
        var result: AnyObject?
        let status = unsafe withUnsafeMutablePointer(to: &result) {
            unsafe SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        switch status {
        case errSecSuccess:
            return (result as? Data).flatMap { String(data: $0, encoding: .utf8) }
        case errSecItemNotFound: return nil
        default: throw error(status)
        }
    }

    func accounts() -> [String] {
        var query = query()
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = true
        var result: CFTypeRef?
        guard unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let items = result as? [[String: Any]]
        else { return [] }
        return items.compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
    }

    func remove(_ account: String) throws {
        let status = SecItemDelete(query(account) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw error(status) }
    }

    func removeAll() throws {
        var query = query()
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw error(status) }
    }

    private func error(_ status: OSStatus) -> NSError {
        let message = SecCopyErrorMessageString(status, nil) as String?
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(status),
            userInfo: [NSLocalizedDescriptionKey: message ?? ""]
        )
    }
}

/// Apple's functions as programs call them, in an empty home, with a daemon that starts itself.
@Suite(.serialized, .ownDaemon)
struct PasswordStoreTests {
    @Test(arguments: [false, true])
    func `a store keeps, changes, lists and removes passwords`(isSynchronizable: Bool) throws {
        let store = PasswordStore(
            service: "store \(isSynchronizable)",
            isSynchronizable: isSynchronizable
        )
        #expect(try store.get("ada") == nil)
        try store.set("first", for: "ada")
        try store.set("second", for: "ada")
        try store.set("third", for: "bob")
        #expect(try store.get("ada") == "second")
        #expect(store.accounts() == ["ada", "bob"])
        try store.remove("ada")
        try store.remove("ada")
        #expect(store.accounts() == ["bob"])
        try store.removeAll()
        #expect(store.accounts() == [])
    }

    @Test
    func `attributes are returned with their types`() throws {
        let query: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.com",
            kSecAttrAccount: "ada", kSecAttrPort: 443, kSecAttrProtocol: kSecAttrProtocolHTTPS,
            kSecAttrLabel: "Example", kSecValueData: Data("secret".utf8),
            kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true,
            kSecReturnRef: true,
        ]
        let before = Date()
        var result: AnyObject?
        try #require(unsafe SecItemAdd(query as CFDictionary, &result) == errSecSuccess)
        defer { SecItemDelete([kSecClass: kSecClassInternetPassword] as CFDictionary) }
        let attributes = try #require(result as? [String: Any])
        #expect(attributes[kSecAttrServer as String] as? String == "example.com")
        #expect(attributes[kSecAttrPort as String] as? Int == 443)
        #expect(attributes[kSecAttrSynchronizable as String] as? Bool == false)
        #expect(attributes[kSecAttrSynchronizable as String] as? Int == 0)
        #expect(attributes[kSecValueData as String] as? Data == Data("secret".utf8))
        #expect(attributes[kSecClass as String] as? String == kSecClassInternetPassword as String)
        let made = try #require(attributes[kSecAttrCreationDate as String] as? Date)
        #expect(abs(made.timeIntervalSince(before)) < 60)
        let reference = try #require(attributes[kSecValuePersistentRef as String] as? Data)
        #expect(reference.count == 20)
        #expect(result as? [CFString: Any] != nil)
        #expect(result as? [CFString: AnyHashable] != nil)
        #expect(attributes[kSecAttrAccessControl as String] is SecAccessControl)

        var again: CFTypeRef?
        let byReference: [CFString: Any] = [
            kSecValuePersistentRef: reference, kSecReturnData: true,
        ]
        #expect(unsafe SecItemCopyMatching(byReference as CFDictionary, &again) == errSecSuccess)
        #expect(again as? Data == Data("secret".utf8))
    }

    @Test
    func `an access control until the next start can be made, but no item accepts it`() throws {
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleUntilReboot, [], nil)
        let control = try #require(made)
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "until the next start",
        ]
        let item = query.merging([kSecAttrAccessControl: control]) { $1 }
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecParam)
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    }

    @Test
    func `arrays and single items have the types that casts ask for`() throws {
        for account in ["a", "b"] {
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "types",
                kSecAttrAccount: account, kSecValueData: Data(account.utf8),
            ]
            try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem)
        }
        let base: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "types",
        ]
        defer { SecItemDelete(base as CFDictionary) }
        func found(_ more: [CFString: Any]) -> AnyObject? {
            var result: AnyObject?
            let query = base.merging(more) { $1 } as CFDictionary
            return unsafe SecItemCopyMatching(query, &result) == errSecSuccess ? result : nil
        }
        #expect(found([kSecReturnData: true]) is Data)
        #expect(found([kSecReturnAttributes: true]) as? [String: AnyObject] != nil)
        #expect(
            found([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]) as? [Data]
                == [Data("a".utf8), Data("b".utf8)]
        )
        let all = found([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll])
        #expect((all as? [[String: Any]])?.count == 2)
        #expect((all as? NSArray)?.count == 2)
        // A number is not a boolean, though Swift converts one to the other.
        #expect(found([kSecReturnData: 1]) == nil)
        var status = SecItemUpdate(
            base as CFDictionary,
            [kSecAttrLabel: "both", kSecAttrAccount: "same"] as CFDictionary
        )
        #expect(status == errSecDuplicateItem)
        status = SecItemUpdate(base as CFDictionary, [kSecAttrLabel: "both"] as CFDictionary)
        #expect(status == errSecSuccess)
        #expect(
            (found([kSecAttrLabel: "both", kSecMatchLimit: 5, kSecReturnData: true]) as? NSArray)?
                .count == 2
        )
    }

    @Test
    func `a call without a result does not change the result pointer`() {
        var result: AnyObject? = "before" as NSString
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "nobody's", kSecReturnData: true,
        ]
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecItemNotFound)
        #expect(result as? String == "before")
        #expect(SecItemCopyMatching([:] as CFDictionary, nil) == errSecParam)
    }

    @Test
    func `a key that is not text is refused by all four calls`() throws {
        let plain: [AnyHashable: Any] = [kSecClass: kSecClassGenericPassword]
        let query = plain.merging([3: "x"]) { $1 } as NSDictionary
        try #require(query.count == 2)
        let label = [kSecAttrLabel: "new"] as CFDictionary
        // Without the key, each call works.
        try #require(SecItemAdd(plain as NSDictionary, nil) == errSecSuccess)
        defer { SecItemDelete(plain as NSDictionary) }
        #expect(SecItemAdd(query, nil) == errSecParam)
        #expect(SecItemCopyMatching(query, nil) == errSecParam)
        #expect(SecItemUpdate(query, label) == errSecParam)
        #expect(SecItemDelete(query) == errSecParam)
        #expect(SecItemCopyMatching(plain as NSDictionary, nil) == errSecSuccess)
        #expect(SecItemUpdate(plain as NSDictionary, label) == errSecSuccess)
    }
}
