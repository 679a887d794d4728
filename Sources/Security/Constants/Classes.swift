// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation

// The classes of items.

/// The key of an item's class.
@safe
public nonisolated(unsafe) let kSecClass: CFString = "class" as NSString
/// A password of an app or a service.
@safe
public nonisolated(unsafe) let kSecClassGenericPassword: CFString = "genp" as NSString
/// A password of a server.
@safe
public nonisolated(unsafe) let kSecClassInternetPassword: CFString = "inet" as NSString
/// A password of an AppleShare server; refused, as Apple's own keychain refuses it.
@safe
public nonisolated(unsafe) let kSecClassAppleSharePassword: CFString = "apls" as NSString
/// A certificate.
@safe
public nonisolated(unsafe) let kSecClassCertificate: CFString = "cert" as NSString
/// A cryptographic key.
@safe
public nonisolated(unsafe) let kSecClassKey: CFString = "keys" as NSString
/// A certificate together with its private key.
@safe
public nonisolated(unsafe) let kSecClassIdentity: CFString = "idnt" as NSString
