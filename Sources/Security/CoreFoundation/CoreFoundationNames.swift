// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
public import Foundation

// The names of Core Foundation that code written for Apple's keychain uses. On Linux they are
// Foundation's own classes, so that `as` and `as?` work between them and Swift's types.

/// Any object.
public typealias CFTypeRef = AnyObject
/// A string.
public typealias CFString = NSString
/// A string that can be changed.
public typealias CFMutableString = NSMutableString
/// A dictionary.
public typealias CFDictionary = NSDictionary
/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary
/// Bytes.
public typealias CFData = NSData
/// Bytes that can be changed.
public typealias CFMutableData = NSMutableData
/// A date.
public typealias CFDate = NSDate
/// An array.
public typealias CFArray = NSArray
/// An array that can be changed.
public typealias CFMutableArray = NSMutableArray
/// A set.
public typealias CFSet = NSSet
/// A number.
public typealias CFNumber = NSNumber
/// A truth value: one of two objects, `kCFBooleanTrue` and `kCFBooleanFalse`.
public typealias CFBoolean = NSNumber
/// Nothing, where an object is needed.
public typealias CFNull = NSNull
/// An error.
public typealias CFError = NSError
/// A universally unique identifier.
public typealias CFUUID = NSUUID
/// A locator.
public typealias CFURL = NSURL
/// The domain of an error.
public typealias CFErrorDomain = CFString
/// A position or a count.
public typealias CFIndex = Int
/// A set of flags.
public typealias CFOptionFlags = UInt
/// The number of a type of objects.
public typealias CFTypeID = UInt
/// The hash of an object.
public typealias CFHashCode = UInt
/// Seconds since 2001-01-01 00:00 UTC.
public typealias CFAbsoluteTime = Double
/// Seconds.
public typealias CFTimeInterval = Double
/// How a call ended.
public typealias OSStatus = Int32

/// No error.
public let noErr: OSStatus = 0

/// Where memory comes from; there is only one such place here.
public final class CFAllocator: Sendable {}

/// The usual place.
public let kCFAllocatorDefault: CFAllocator! = nil
/// No place: what it is said of belongs to somebody else and is not given back.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// Nothing, as an object.
public let kCFNull: CFNull! = NSNull()

/// The key of a bundle's identifier.
@safe
public nonisolated(unsafe) let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier" as NSString
/// The key of a bundle's name.
@safe
public nonisolated(unsafe) let kCFBundleNameKey: CFString! = "CFBundleName" as NSString
/// The key of a bundle's version.
@safe
public nonisolated(unsafe) let kCFBundleVersionKey: CFString! = "CFBundleVersion" as NSString

/// The domain of errors whose code is a status.
@safe
public nonisolated(unsafe) let kCFErrorDomainOSStatus: CFErrorDomain =
    NSOSStatusErrorDomain as NSString
