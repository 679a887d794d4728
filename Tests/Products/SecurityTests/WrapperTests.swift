import Foundation
import Security
import Testing

/// The forms in which wrappers write queries and results; they work without a daemon.
struct WrapperFormTests {
    @Test
    func `constants become strings in every spelling`() {
        #expect(kSecClass as String == "class")
        #expect(String(kSecAttrAccount) == "acct")
        let keys: [String] = [kSecAttrService as String, String(kSecValueData)]
        #expect(keys == ["svce", "v_Data"])
        let status: OSStatus = noErr
        #expect(status == errSecSuccess)
    }

    @Test
    func `dictionaries of every kind become queries`() {
        let byString: [String: Any] = [kSecClass as String: kSecClassKey, "acct": "ada"]
        let byConstant: [CFString: Any] = [kSecClass: kSecClassKey, kSecReturnData: true]
        let objects: [NSString: AnyObject] = [kSecClass: kSecClassKey]
        let hashable: [String: AnyHashable] = [kSecClass as String: kSecClassKey, "port": 80]
        let literal = [kSecClass: kSecClassKey, kSecReturnAttributes: true] as CFDictionary
        #expect((byString as CFDictionary)[kSecClass] as? String == "keys")
        #expect((byConstant as CFDictionary)[kSecReturnData] as? Bool == true)
        #expect((objects as CFDictionary).count == 1)
        #expect((hashable as CFDictionary)["port"] as? Int == 80)
        #expect(literal.count == 2)
    }

    @Test
    func `constants are keys of dictionaries of strings and of anything hashable`() {
        // Apple's sample code for keys of CryptoKit has this form.
        let query =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada",
                kSecUseDataProtectionKeychain: true, kSecValueData: Data([1]),
            ] as [String: Any]
        #expect(query.keys.sorted() == ["acct", "class", "nleg", "v_Data"])
        let dictionary = query as CFDictionary
        #expect(dictionary[kSecAttrAccount] as? String == "ada")
        #expect(dictionary[kSecValueData] as? Data == Data([1]))
        let hashable: [String: AnyHashable] = [
            kSecClass as String: kSecClassKey, kSecReturnData as String: true,
        ]
        let flag = (hashable as CFDictionary)[kSecReturnData]
        #expect(CFGetTypeID(flag as CFTypeRef) == CFBooleanGetTypeID())
        #expect(flag as? NSNumber === kCFBooleanTrue)
    }

    @Test
    func `optionals in a query are unwrapped`() {
        let port: Int? = 443
        let query: [String: Any] = ["port": port as Any]
        #expect((query as NSDictionary)["port"] as? Int == 443)
        let none: Int? = nil
        var without: [String: Any] = [:]
        without["port"] = none
        #expect((without as NSDictionary).count == 0)
    }

    @Test(arguments: [true, false])
    func `booleans stay booleans`(isWanted: Bool) {
        var query: [String: Any] = [:]
        query["a"] = kCFBooleanTrue
        query["b"] = isWanted ? kCFBooleanTrue : kCFBooleanFalse
        query["c"] = kCFBooleanTrue as Any
        let dictionary = query as NSDictionary
        #expect(dictionary["a"] as? NSNumber === kCFBooleanTrue)
        #expect(dictionary["b"] as? Bool == isWanted)
        #expect(CFGetTypeID(dictionary["c"] as CFTypeRef) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(1 as CFTypeRef) == CFNumberGetTypeID())
    }

    @Test
    func `access controls are made as on a Mac`() throws {
        var error: Unmanaged<CFError>?
        let made = unsafe SecAccessControlCreateWithFlags(
            kCFAllocatorDefault,
            "ck" as CFTypeRef,
            SecAccessControlCreateFlags(rawValue: CFOptionFlags(1)),
            &error
        )
        #expect(made != nil)
        #expect(unsafe error == nil)
        #expect(
            SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlocked,
                [.biometryAny, .or, .devicePasscode],
                nil
            ) != nil
        )
        let refused = unsafe SecAccessControlCreateWithFlags(
            kCFAllocatorDefault,
            "nonsense" as CFTypeRef,
            [],
            &error
        )
        #expect(refused == nil)
        let code = unsafe error?.takeRetainedValue().code
        #expect(code == Int(errSecParam))
    }

    @Test(
        arguments: [
            [.userPresence, .devicePasscode], [.or, .and], [.biometryAny, .biometryCurrentSet],
            SecAccessControlCreateFlags(rawValue: 1 << 20),
        ] as [SecAccessControlCreateFlags]
    )
    func `flags that contradict each other are refused`(flags: SecAccessControlCreateFlags) {
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, flags, nil)
        #expect(made == nil)
    }

    @Test
    func `random bytes fill exactly what was asked for`() {
        var bytes = [UInt8](repeating: 0, count: 33)
        let status = unsafe SecRandomCopyBytes(kSecRandomDefault, 32, &bytes)
        #expect(status == errSecSuccess)
        #expect(bytes[..<32].contains { $0 != 0 })
        #expect(bytes[32] == 0)
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, -1, &bytes) == errSecParam)
        #expect(bytes[32] == 0)
    }
}

extension CFError {
    /// Some wrappers convert errors of these functions into their own.
    fileprivate var code: Int { CFErrorGetCode(self) }
}
