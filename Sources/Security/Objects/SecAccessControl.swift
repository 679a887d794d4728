// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
public import Foundation

/// When an item may be used: its protection class, and what the user has to do.
public final class SecAccessControl: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it holds constants only.
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

    /// Whether another object says the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecAccessControl else { return false }
        return protection == other.protection && flags == other.flags
    }

    /// Equal for equal objects.
    public override var hash: Int { protection.hashValue ^ flags.rawValue.hashValue }
}

/// What the user has to do before an item may be used.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    /// The flags as bits.
    public let rawValue: CFOptionFlags

    /// The flags of some bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// By biometry or passcode.
    public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
    /// By a finger or face that is enrolled.
    public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
    /// An older name of `biometryAny`.
    public static let touchIDAny = biometryAny
    /// By a finger or face that was enrolled when the item was added.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
    /// An older name of `biometryCurrentSet`.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// By the device's passcode.
    public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
    /// By a watch.
    public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
    /// By a device that the user wears or carries.
    public static let companion = watch
    /// One of the conditions is enough.
    public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
    /// All conditions have to be met.
    public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
    /// A private key may sign.
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
    /// By a password of the app.
    public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)

    private static let known: SecAccessControlCreateFlags = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .or, .and,
        .privateKeyUsage, .applicationPassword,
    ]

    /// Whether these flags can stand together.
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
///   - flags: what the user has to do; none for the protection class alone.
///   - error: where to put why not.
/// - Returns: nil when the protection is none, or the flags contradict each other.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: CFTypeRef,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu", "f"]
    guard let protection = protection as? String, classes.contains(protection),
        flags.areConsistent
    else {
        unsafe error.give(errSecParam)
        return nil
    }
    return SecAccessControl(protection: protection, flags: flags)
}

/// The number of access controls.
public func SecAccessControlGetTypeID() -> CFTypeID { ObjectType.accessControl }
