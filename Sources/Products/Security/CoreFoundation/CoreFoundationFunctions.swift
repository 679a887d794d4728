// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
public import Foundation

// The functions of Core Foundation that keychain code calls.

/// The type identifiers of objects.
enum ObjectType {
    static let null: CFTypeID = 16
    static let string: CFTypeID = 7
    static let set: CFTypeID = 17
    static let dictionary: CFTypeID = 18
    static let array: CFTypeID = 19
    static let data: CFTypeID = 20
    static let boolean: CFTypeID = 21
    static let number: CFTypeID = 22
    static let error: CFTypeID = 27
    static let url: CFTypeID = 29
    static let uuid: CFTypeID = 41
    static let date: CFTypeID = 42
    static let certificate: CFTypeID = 301
    static let key: CFTypeID = 302
    static let identity: CFTypeID = 303
    static let accessControl: CFTypeID = 304
    static let policy: CFTypeID = 305

    /// The type identifier of an object; 0 for any other type.
    static func of(_ object: AnyObject) -> CFTypeID {
        switch object {
        case is NSNumber: object === kCFBooleanTrue || object === kCFBooleanFalse ? boolean : number
        case is NSString: string
        case is NSData: data
        case is NSDictionary: dictionary
        case is NSArray: array
        case is NSSet: set
        case is NSDate: date
        case is NSNull: null
        case is NSError: error
        case is NSURL: url
        case is NSUUID: uuid
        case is SecCertificate: certificate
        case is SecKey: key
        case is SecIdentity: identity
        case is SecAccessControl: accessControl
        case is SecPolicy: policy
        default: 0
        }
    }
}

/// The type identifier of an object.
public func CFGetTypeID(_ cf: CFTypeRef?) -> CFTypeID { cf.map(ObjectType.of) ?? 0 }
/// The type identifier of strings.
public func CFStringGetTypeID() -> CFTypeID { ObjectType.string }
/// The type identifier of dictionaries.
public func CFDictionaryGetTypeID() -> CFTypeID { ObjectType.dictionary }
/// The type identifier of arrays.
public func CFArrayGetTypeID() -> CFTypeID { ObjectType.array }
/// The type identifier of sets.
public func CFSetGetTypeID() -> CFTypeID { ObjectType.set }
/// The type identifier of data.
public func CFDataGetTypeID() -> CFTypeID { ObjectType.data }
/// The type identifier of booleans.
public func CFBooleanGetTypeID() -> CFTypeID { ObjectType.boolean }
/// The type identifier of numbers.
public func CFNumberGetTypeID() -> CFTypeID { ObjectType.number }
/// The type identifier of dates.
public func CFDateGetTypeID() -> CFTypeID { ObjectType.date }
/// The type identifier of null.
public func CFNullGetTypeID() -> CFTypeID { ObjectType.null }
/// The type identifier of errors.
public func CFErrorGetTypeID() -> CFTypeID { ObjectType.error }

/// Whether two objects are equal.
public func CFEqual(_ cf1: CFTypeRef?, _ cf2: CFTypeRef?) -> Bool {
    guard let cf1, let cf2 else { return cf1 == nil && cf2 == nil }
    if cf1 === cf2 { return true }
    // To Core Foundation, a boolean never equals a number.
    guard ObjectType.of(cf1) == ObjectType.of(cf2), let object = cf1 as? NSObject else {
        return false
    }
    return object.isEqual(cf2)
}

/// The hash of an object.
public func CFHash(_ cf: CFTypeRef?) -> CFHashCode {
    guard let cf else { return 0 }
    let value = (cf as? NSObject)?.hash ?? ObjectIdentifier(cf).hashValue
    return CFHashCode(bitPattern: value)
}

/// The description of an object.
public func CFCopyDescription(_ cf: CFTypeRef?) -> CFString? {
    cf.map { String(describing: $0) as NSString }
}

// Apple's declarations do not say whether these functions take nil, so programs pass optional
// values. Here nil gives zero, false or nil.

/// The value of a boolean.
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }
/// The current time in seconds since 2001-01-01 00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// Makes an error.
public func CFErrorCreate(
    _ allocator: CFAllocator!,
    _ domain: CFErrorDomain!,
    _ code: CFIndex,
    _ userInfo: CFDictionary!
) -> CFError! {
    NSError(domain: domain as String, code: code, userInfo: userInfo as? [String: Any])
}

/// An error's code.
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error?.code ?? 0 }
/// An error's domain.
public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { error?.domain as NSString? }
/// An error's further information.
public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! {
    error?.userInfo as NSDictionary?
}
/// An error's description for users.
public func CFErrorCopyDescription(_ error: CFError!) -> CFString! {
    error?.localizedDescription as NSString?
}
