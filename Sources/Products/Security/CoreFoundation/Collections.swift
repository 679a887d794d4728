// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
internal import CoreFoundation
public import Foundation

// Arrays and dictionaries that are accessed by the addresses of their elements, as in Core
// Foundation. A collection retains its elements; an address is valid as long as the collection.

/// How a dictionary retains its keys; all values mean the same here.
public struct CFDictionaryKeyCallBacks: Sendable {}
/// How a dictionary retains its values; all values mean the same here.
public struct CFDictionaryValueCallBacks: Sendable {}
/// How an array retains its elements; all values mean the same here.
public struct CFArrayCallBacks: Sendable {}

/// The usual way to retain keys.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The usual way to retain values.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()
/// The usual way to retain elements.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()

/// The number of elements of an array.
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { theArray?.count ?? 0 }

/// The address of an element; an index out of bounds ends the program.
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
    guard let theArray else { return nil }
    // Foundation's accessors would return a bridged copy, which nothing retains.
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

/// The number of values of a dictionary.
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex { theDict?.count ?? 0 }

/// The address of a key's value; nil if the dictionary lacks the key.
public func CFDictionaryGetValue(
    _ theDict: CFDictionary!,
    _ key: UnsafeRawPointer!
) -> UnsafeRawPointer! {
    guard let theDict, let key = unsafe key else { return nil }
    let dictionary = unsafe unsafeBitCast(theDict, to: CoreFoundation.CFDictionary.self)
    return unsafe CoreFoundation.CFDictionaryGetValue(dictionary, key)
}

/// Stores the address of a key's value, and returns whether there is one.
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

/// Sets the value of a key that has none.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeRawPointer!
) {
    guard unsafe !CFDictionaryContainsKey(theDict, key) else { return }
    unsafe CFDictionarySetValue(theDict, key, value)
}

/// Sets the value of a key.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeRawPointer!
) {
    guard let key = unsafe object(at: key) as? NSObject, let value = unsafe object(at: value)
    else { return }
    theDict?.setObject(value, forKey: key)
}

/// Removes a key.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
    guard let key = unsafe object(at: key) as? NSObject else { return }
    theDict?.removeObject(forKey: key)
}

private func object(at address: UnsafeRawPointer?) -> AnyObject? {
    guard let address = unsafe address else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
}
