import Foundation
import Security
import Testing

/// Collections, bytes and text by their addresses, as older code for Apple's keychain reads and
/// writes them.
struct CoreFoundationTests {
    private static func address(of object: AnyObject) -> UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// Reads what lies at an address, as older code does.
    private static func object<Object: AnyObject>(
        at address: UnsafeRawPointer?,
        as type: Object.Type
    ) -> Object? {
        guard let address = unsafe address else { return nil }
        return unsafe unsafeBitCast(address, to: type)
    }

    @Test
    func `an element of an array is found by its address, and lives as long as the array`() throws {
        var items: CFArray?
        #expect(CFArrayGetCount(items) == 0)
        #expect(unsafe CFArrayGetValueAtIndex(items, 0) == nil)
        items = ["ada" as NSString, ["acct": "grace", "v_Data": Data([1, 2])]] as NSArray
        #expect(CFArrayGetCount(items) == 2)
        for _ in 1...100 {
            let name = unsafe Self.object(at: CFArrayGetValueAtIndex(items, 0), as: CFString.self)
            #expect(name == "ada" as NSString)
        }
        let second = unsafe CFArrayGetValueAtIndex(items, 1)
        let found = unsafe Self.object(at: second, as: CFDictionary.self)
        let dictionary = try #require(found)
        #expect(CFDictionaryGetCount(dictionary) == 2)
        let account = unsafe CFDictionaryGetValue(dictionary, Self.address(of: kSecAttrAccount))
        #expect(unsafe Self.object(at: account, as: CFString.self) == "grace" as NSString)
        let password = unsafe CFDictionaryGetValue(dictionary, Self.address(of: kSecValueData))
        let data = unsafe Self.object(at: password, as: CFData.self)
        #expect(CFGetTypeID(data) == CFDataGetTypeID())
        #expect(data as Data? == Data([1, 2]))
    }

    @Test
    func `a missing key has no address`() {
        let dictionary: CFDictionary? = ["acct": "ada"] as NSDictionary
        let service = unsafe Self.address(of: kSecAttrService)
        #expect(unsafe CFDictionaryGetValue(dictionary, service) == nil)
        #expect(unsafe !CFDictionaryContainsKey(dictionary, service))
        var value: UnsafeRawPointer?
        #expect(unsafe !CFDictionaryGetValueIfPresent(dictionary, service, &value))
        #expect(unsafe value == nil)
        let account = unsafe Self.address(of: kSecAttrAccount)
        #expect(unsafe CFDictionaryGetValueIfPresent(dictionary, account, &value))
        #expect(unsafe value == CFDictionaryGetValue(dictionary, account))
        #expect(unsafe CFDictionaryContainsKey(dictionary, account))
        let none: CFDictionary? = nil
        #expect(unsafe CFDictionaryGetValue(none, account) == nil)
        #expect(CFDictionaryGetCount(none) == 0)
    }

    @Test
    func `a query is built from addresses`() throws {
        let made = CFDictionaryCreateMutable(kCFAllocatorDefault, 0, nil, nil)
        let query = try #require(made)
        let service = "mail" as NSString
        put(kSecClassGenericPassword, for: kSecClass, into: query)
        put(service, for: kSecAttrService, into: query)
        put(try #require(kCFBooleanTrue), for: kSecReturnData, into: query)
        #expect(query[kSecClass] as? String == "genp")
        #expect(query[kSecAttrService] as? String == "mail")
        #expect(query[kSecReturnData] as? NSNumber === kCFBooleanTrue)

        // Add keeps an existing value, set replaces it.
        put("post" as NSString, for: kSecAttrService, into: query)
        #expect(query[kSecAttrService] as? String == "mail")
        let other = "post" as NSString
        let key = unsafe Self.address(of: kSecAttrService)
        unsafe CFDictionarySetValue(query, key, Self.address(of: other))
        #expect(query[kSecAttrService] as? String == "post")
        unsafe CFDictionaryRemoveValue(query, key)
        #expect(CFDictionaryGetCount(query) == 2)
    }

    private func put(
        _ value: AnyObject,
        for key: CFString,
        into query: CFMutableDictionary
    ) {
        unsafe CFDictionaryAddValue(query, Self.address(of: key), Self.address(of: value))
    }

    @Test
    func `an array grows`() throws {
        var callBacks = kCFTypeArrayCallBacks
        let array = try #require(unsafe CFArrayCreateMutable(nil, 0, &callBacks))
        let name = "ada" as NSString
        unsafe CFArrayAppendValue(array, Self.address(of: name))
        CFArrayAppendValue(array, nil)
        #expect(array as? [String] == ["ada"])
    }

    @Test
    func `a mutable dictionary is filled by setting values and objects`() {
        let query = NSMutableDictionary()
        query.setValue(kSecClassGenericPassword, forKey: kSecClass as String)
        query.setValue(true, forKey: kSecReturnData as String)
        query.setObject("mail", forKey: kSecAttrService)
        let copied: any NSCopying = kSecAttrAccount
        query.setObject("ada", forKey: copied)
        let expected: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecAttrService: "mail",
            kSecAttrAccount: "ada",
        ]
        #expect(query as NSDictionary == expected as NSDictionary)
        #expect(query.value(forKey: "acct") as? String == "ada")
        query.setValue(nil, forKey: kSecAttrAccount as String)
        #expect(query.count == 3)
    }

    @Test
    func `bytes are made, counted, pointed at and copied`() throws {
        let data = try #require(unsafe CFDataCreate(nil, [1, 2, 3, 4], 4))
        #expect(CFDataGetLength(data) == 4)
        let start = unsafe CFDataGetBytePtr(data)
        #expect(unsafe Array(UnsafeBufferPointer(start: start, count: 4)) == [1, 2, 3, 4])
        var part = [UInt8](repeating: 9, count: 3)
        unsafe CFDataGetBytes(data, CFRangeMake(1, 2), &part)
        #expect(part == [2, 3, 9])
        let nothing = CFDataCreate(nil, nil, 0)
        #expect(nothing == NSData())
        #expect(CFDataGetLength(nil) == 0)
    }

    @Test
    func `borrowed bytes are copied, bytes that are handed over are freed`() {
        let bytes: [UInt8] = [5, 6]
        let copy = unsafe CFDataCreateWithBytesNoCopy(nil, bytes, 2, kCFAllocatorNull)
        #expect(copy as Data? == Data([5, 6]))
        let memory = unsafe calloc(2, 1)?.assumingMemoryBound(to: UInt8.self)
        unsafe memory?.update(repeating: 7, count: 2)
        let owned = unsafe CFDataCreateWithBytesNoCopy(nil, memory, 2, kCFAllocatorDefault)
        #expect(owned as Data? == Data([7, 7]))
    }

    @Test
    func `text is made from bytes and converted to bytes`() throws {
        let utf8 = CFStringBuiltInEncodings.UTF8.rawValue
        let text = try #require(unsafe CFStringCreateWithCString(nil, "Grüße", utf8))
        #expect(text as String == "Grüße")
        #expect(CFStringGetLength(text) == 5)
        var bytes = [CChar](repeating: 1, count: 8)
        #expect(unsafe CFStringGetCString(text, &bytes, 8, utf8))
        #expect(bytes.map { UInt8(bitPattern: $0) } == Array("Grüße\0".utf8))
        #expect(unsafe !CFStringGetCString(text, &bytes, 7, utf8))
        let ascii = CFStringBuiltInEncodings.ASCII.rawValue
        #expect(unsafe !CFStringGetCString(text, &bytes, 8, ascii))
        #expect(unsafe CFStringCreateWithCString(nil, "\u{FC}", ascii) == nil)
    }

    @Test
    func `a nil error has no code, no domain and no description`() {
        let error: CFError? = nil
        #expect(CFErrorGetCode(error) == 0)
        #expect(CFErrorGetDomain(error) == nil)
        #expect(CFErrorCopyUserInfo(error) == nil)
        #expect(CFErrorCopyDescription(error) == nil)
        #expect(!CFBooleanGetValue(nil))
        #expect(CFCopyDescription(nil) == nil)
        #expect(CFCopyDescription("ada" as NSString) as String? == "ada")
    }

    @Test
    func `an error is made from its parts`() throws {
        let domain = kCFErrorDomainOSStatus
        let information = [NSLocalizedDescriptionKey: "no such item"] as CFDictionary
        let made = CFErrorCreate(kCFAllocatorDefault, domain, -25300, information)
        let error = try #require(made)
        #expect(CFErrorGetCode(error) == -25300)
        #expect(CFErrorGetDomain(error) == domain)
        #expect(CFErrorCopyDescription(error) as String? == "no such item")
        #expect(CFErrorCopyUserInfo(error) == information)
        let bare = CFErrorCreate(nil, domain, 1, nil)
        #expect(bare?.userInfo.isEmpty == true)
    }

    @Test
    func `four characters are a number`() {
        let type: OSType = "genp".utf8.reduce(0) { $0 << 8 | FourCharCode($1) }
        #expect(type == 0x6765_6E70)
    }
}
