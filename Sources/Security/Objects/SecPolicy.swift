// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import Agent
public import Foundation

/// What a certificate is to be good for.
public final class SecPolicy: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it holds constants only.
    static let referenceKind = "policy"

    let name: String

    init(name: String) {
        self.name = name
    }

    var reference: AgentDictionary {
        [AgentValue.referenceKey: .string(Self.referenceKind), "name": .string(name)]
    }
}

/// A policy for any certificate.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(name: "basic") }

/// A policy for TLS.
///
/// - Parameters:
///   - server: true for certificates of servers, false for those of clients.
///   - hostname: not looked at here.
/// - Returns: the policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(name: server ? "SSL" : "SSL client")
}

/// The number of policies.
public func SecPolicyGetTypeID() -> CFTypeID { ObjectType.policy }
