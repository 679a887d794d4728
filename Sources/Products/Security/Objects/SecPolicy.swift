// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
public import Foundation

/// A purpose that a certificate must allow.
///
/// Only the certificate itself is checked: its dates, its usages and its names. Its signer is not
/// checked, since there is no list of trusted authorities.
public final class SecPolicy: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it has only constants.
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

    /// Whether another object is an equal policy.
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
///   - server: true for the certificates of servers, false for those of clients.
///   - hostname: the server's name or address; nil for any.
/// - Returns: the policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(kSecPolicyAppleSSL as String, name: hostname as String?, isOfClient: !server)
}

/// A policy by its identifier.
///
/// - Parameters:
///   - policyIdentifier: one of the `kSecPolicyApple…` constants.
///   - properties: `kSecPolicyName`, `kSecPolicyClient`.
/// - Returns: the policy; nil if the identifier is not supported.
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

/// The policy's identifier and properties.
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    var properties: [CFString: Any] = [kSecPolicyOid: policyRef.identifier]
    properties[kSecPolicyName] = policyRef.name
    if policyRef.isOfClient { properties[kSecPolicyClient] = true }
    return properties as NSDictionary
}

/// The type identifier of policies.
public func SecPolicyGetTypeID() -> CFTypeID { ObjectType.policy }
