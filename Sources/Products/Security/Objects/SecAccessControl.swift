// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
public import Foundation
internal import KSSecurityNames

/// When an item may be used: its protection class, and the conditions that the user has to meet.
public final class SecAccessControl: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it has only constants.
    static let referenceKind = "accc"

    let protection: String
    let flags: SecAccessControlCreateFlags

    init(protection: String, flags: SecAccessControlCreateFlags) {
        self.protection = protection
        self.flags = flags
    }

    convenience init?(_ reference: AgentDictionary) {
        guard let protection = reference["protection"]?.string else { return nil }
        let flags = reference["flags"]?.integer ?? 0
        self.init(
            protection: protection,
            flags: SecAccessControlCreateFlags(rawValue: CFOptionFlags(truncatingIfNeeded: flags))
        )
    }

    var reference: AgentDictionary {
        [
            AgentValue.referenceKey: .string(Self.referenceKind),
            "protection": .string(protection),
            "flags": .integer(Int64(bitPattern: UInt64(flags.rawValue))),
        ]
    }

    /// Whether another object is an equal access control.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecAccessControl else { return false }
        return protection == other.protection && flags == other.flags
    }

    /// Equal for equal objects.
    public override var hash: Int { protection.hashValue ^ flags.rawValue.hashValue }
}

/// Conditions that the user has to meet before an item may be used.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    /// The flags as bits.
    public let rawValue: CFOptionFlags

    /// The flags of these bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// Biometry or the passcode.
    public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
    /// Any enrolled finger or face.
    public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
    /// An older name of `biometryAny`.
    public static let touchIDAny = biometryAny
    /// A finger or face that was enrolled when the item was added.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
    /// An older name of `biometryCurrentSet`.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// The device's passcode.
    public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
    /// A paired watch.
    public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
    /// A paired device that the user wears or carries.
    public static let companion = watch
    /// One of the conditions is enough.
    public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
    /// All conditions have to be met.
    public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
    /// The private key may be used for signatures.
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
    /// A password that the app provides.
    public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)

    private static let known: SecAccessControlCreateFlags = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .or, .and,
        .privateKeyUsage, .applicationPassword,
    ]

    /// Whether the flags are known and do not contradict each other.
    var areConsistent: Bool {
        guard Self.known.isSuperset(of: self) else { return false }
        let besideUserPresence: SecAccessControlCreateFlags = [
            .userPresence, .applicationPassword, .privateKeyUsage,
        ]
        if contains(.userPresence), !besideUserPresence.isSuperset(of: self) { return false }
        if contains([.or, .and]) { return false }
        return !contains([.biometryAny, .biometryCurrentSet])
    }
}

/// Makes an access control.
///
/// - Parameters:
///   - allocator: nil or `kCFAllocatorDefault`.
///   - protection: one of the `kSecAttrAccessible…` values.
///   - flags: the conditions; none for the protection class alone.
///   - error: where to put the error.
/// - Returns: the access control; nil if the protection class is unknown, or the flags contradict
///   each other.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: CFTypeRef,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard let protection = protection as? String, flags.areConsistent,
        SecConstants.values.contains(where: {
            $0.name.hasPrefix("kSecAttrAccessible") && $0.value == protection
        })
    else {
        unsafe error.give(errSecParam)
        return nil
    }
    return SecAccessControl(protection: protection, flags: flags)
}

/// The type identifier of access controls.
public func SecAccessControlGetTypeID() -> CFTypeID { ObjectType.accessControl }
