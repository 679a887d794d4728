// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
public import Foundation

/// What a certificate is to be good for.
///
/// It is looked at what the certificate says of itself: its dates, its usages, its names. Who has
/// signed it is not, since nobody has said here whom to trust.
public final class SecPolicy: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it holds constants only.
    static let referenceKind = "policy"

    let identifier: String
    /// The host or the mail address.
    let name: String?
    let isOfClient: Bool

    init(_ identifier: String, name: String? = nil, isOfClient: Bool = false) {
        self.identifier = identifier
        self.name = name
        self.isOfClient = isOfClient
    }

    var reference: AgentDictionary {
        var reference: AgentDictionary = [
            AgentValue.referenceKey: .string(Self.referenceKind),
            "name": .string(identifier),
            "client": .bool(isOfClient),
        ]
        reference["host"] = name.map { .string($0) }
        return reference
    }

    /// Whether another object says the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecPolicy else { return false }
        return identifier == other.identifier && name == other.name
            && isOfClient == other.isOfClient
    }

    /// Equal for equal policies.
    public override var hash: Int { identifier.hashValue }
}

/// A policy for any certificate.
public func SecPolicyCreateBasicX509() -> SecPolicy {
    SecPolicy(kSecPolicyAppleX509Basic as String)
}

/// A policy for TLS.
///
/// - Parameters:
///   - server: true for certificates of servers, false for those of clients.
///   - hostname: the server's name or address; nil for any.
/// - Returns: the policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(
        kSecPolicyAppleSSL as String,
        name: hostname.map { $0 as String },
        isOfClient: !server
    )
}

/// A policy by its identifier.
///
/// - Parameters:
///   - policyIdentifier: one of the `kSecPolicyApple…` constants.
///   - properties: `kSecPolicyName`, `kSecPolicyClient`.
/// - Returns: nil for an identifier that is not known here.
public func SecPolicyCreateWithProperties(
    _ policyIdentifier: CFTypeRef,
    _ properties: CFDictionary?
) -> SecPolicy? {
    let known = [
        kSecPolicyAppleX509Basic, kSecPolicyAppleSSL, kSecPolicyAppleSMIME,
        kSecPolicyAppleCodeSigning, kSecPolicyAppleTimeStamping,
    ].map { $0 as String }
    guard let identifier = policyIdentifier as? String, known.contains(identifier) else {
        return nil
    }
    return SecPolicy(
        identifier,
        name: properties?[kSecPolicyName] as? String,
        isOfClient: properties?[kSecPolicyClient] as? Bool ?? false
    )
}

/// What a policy says of itself.
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    var properties: [CFString: Any] = [kSecPolicyOid: policyRef.identifier]
    properties[kSecPolicyName] = policyRef.name
    if policyRef.isOfClient { properties[kSecPolicyClient] = true }
    return properties as NSDictionary
}

/// The number of policies.
public func SecPolicyGetTypeID() -> CFTypeID { ObjectType.policy }
