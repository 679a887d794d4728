// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
public import Foundation

// The names of Core Foundation that code written for Apple's keychain uses. On Linux they are
// Foundation's own classes, so that `as` and `as?` work between them and Swift's types.

/// Any object.
public typealias CFTypeRef = AnyObject
/// A string.
public typealias CFString = NSString
/// A mutable string.
public typealias CFMutableString = NSMutableString
/// A dictionary.
public typealias CFDictionary = NSDictionary
/// A mutable dictionary.
public typealias CFMutableDictionary = NSMutableDictionary
/// Data.
public typealias CFData = NSData
/// Mutable data.
public typealias CFMutableData = NSMutableData
/// A date.
public typealias CFDate = NSDate
/// An array.
public typealias CFArray = NSArray
/// A mutable array.
public typealias CFMutableArray = NSMutableArray
/// A set.
public typealias CFSet = NSSet
/// A number.
public typealias CFNumber = NSNumber
/// A boolean: one of two objects, `kCFBooleanTrue` and `kCFBooleanFalse`.
public typealias CFBoolean = NSNumber
/// Null, as an object.
public typealias CFNull = NSNull
/// An error.
public typealias CFError = NSError
/// A universally unique identifier.
public typealias CFUUID = NSUUID
/// A URL.
public typealias CFURL = NSURL
/// The domain of an error.
public typealias CFErrorDomain = CFString
/// An index or a count.
public typealias CFIndex = Int
/// A set of flags.
public typealias CFOptionFlags = UInt
/// The identifier of a type of objects.
public typealias CFTypeID = UInt
/// The hash of an object.
public typealias CFHashCode = UInt
/// Seconds since 2001-01-01 00:00 UTC.
public typealias CFAbsoluteTime = Double
/// Seconds.
public typealias CFTimeInterval = Double
/// The status of a call.
public typealias OSStatus = Int32
/// Four characters as a number.
public typealias FourCharCode = UInt32
/// A type or a creator, as four characters.
public typealias OSType = FourCharCode

/// No error.
public let noErr: OSStatus = 0

/// An allocator of memory; there is only one here.
public final class CFAllocator: Sendable {}

/// The usual allocator.
public let kCFAllocatorDefault: CFAllocator! = nil
/// No allocator: the memory is not freed.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// Null, as an object: the only one.
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
