// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
internal import CoreFoundation
public import Foundation

// Arrays and dictionaries by the addresses of what they hold, as Core Foundation has them. What a
// collection hands out lives as long as the collection; what it is given it keeps.

/// How a dictionary keeps keys; there is one way here.
public struct CFDictionaryKeyCallBacks: Sendable {}
/// How a dictionary keeps values; there is one way here.
public struct CFDictionaryValueCallBacks: Sendable {}
/// How an array keeps values; there is one way here.
public struct CFArrayCallBacks: Sendable {}

/// The usual way to keep keys.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The usual way to keep values.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()
/// The usual way to keep values.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()

/// How many elements an array has.
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { theArray?.count ?? 0 }

/// The address of an element; there is one at this place, or the program ends.
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
    guard let theArray else { return nil }
    // Foundation's own accessors would hand out a copy in Swift's form, which nobody holds.
    let array = unsafe unsafeBitCast(theArray, to: CoreFoundation.CFArray.self)
    return unsafe CoreFoundation.CFArrayGetValueAtIndex(array, idx)
}

/// An empty array that can be changed.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!,
    _ capacity: CFIndex,
    _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFMutableArray! { NSMutableArray() }

/// Adds an element at the end.
public func CFArrayAppendValue(_ theArray: CFMutableArray!, _ value: UnsafeRawPointer!) {
    guard let value = unsafe object(at: value) else { return }
    theArray?.add(value)
}

/// How many values a dictionary has.
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex { theDict?.count ?? 0 }

/// The address of a key's value; nil without one.
public func CFDictionaryGetValue(
    _ theDict: CFDictionary!,
    _ key: UnsafeRawPointer!
) -> UnsafeRawPointer! {
    guard let theDict, let key = unsafe key else { return nil }
    let dictionary = unsafe unsafeBitCast(theDict, to: CoreFoundation.CFDictionary.self)
    return unsafe CoreFoundation.CFDictionaryGetValue(dictionary, key)
}

/// Puts the address of a key's value where it is wanted, if there is one.
public func CFDictionaryGetValueIfPresent(
    _ theDict: CFDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = unsafe CFDictionaryGetValue(theDict, key) else { return false }
    unsafe value?.pointee = found
    return true
}

/// Whether a dictionary has a key.
public func CFDictionaryContainsKey(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    unsafe CFDictionaryGetValue(theDict, key) != nil
}

/// An empty dictionary that can be changed.
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!,
    _ capacity: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! { NSMutableDictionary() }

/// Gives a key a value unless it has one.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeRawPointer!
) {
    guard unsafe !CFDictionaryContainsKey(theDict, key) else { return }
    unsafe CFDictionarySetValue(theDict, key, value)
}

/// Gives a key a value.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeRawPointer!
) {
    guard let key = unsafe object(at: key) as? NSObject, let value = unsafe object(at: value)
    else { return }
    theDict?.setObject(value, forKey: key)
}

/// Takes a key away.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
    guard let key = unsafe object(at: key) as? NSObject else { return }
    theDict?.removeObject(forKey: key)
}

private func object(at address: UnsafeRawPointer?) -> AnyObject? {
    guard let address = unsafe address else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
}
