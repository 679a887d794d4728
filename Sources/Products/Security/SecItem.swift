// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
public import Foundation

/// Adds an item, or the certificate and the key of an identity in `kSecValueRef`.
///
/// - Parameters:
///   - attributes: the class, the attributes and the secret; `kSecReturn…` flags say what the
///     result holds.
///   - result: where to put the result; unchanged unless the call succeeds.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, …
@discardableResult
public func SecItemAdd(
    _ attributes: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    var query = AgentDictionary(attributes)
    // As on macOS, a limit is ignored: programs that share one base query pass it.
    query[QueryKey.limit] = nil
    let reply = SecItemCall(.add, query).reply()
    unsafe reply.give(to: result)
    return reply.status
}

/// Finds items.
///
/// - Parameters:
///   - query: the class and the attributes to match. `kSecMatchLimit` says how many items, one by
///     default; `kSecReturn…` flags say what the result holds.
///   - result: where to put the result; unchanged unless the call succeeds.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecInteractionNotAllowed`, …
@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    let reply = SecItemCall(.copy, AgentDictionary(query)).reply()
    unsafe reply.give(to: result)
    return reply.status
}

/// Changes all items that match a query.
///
/// - Parameters:
///   - query: the items to change.
///   - attributesToUpdate: the new attributes, or the new secret.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecDuplicateItem`, …
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    var query = AgentDictionary(query)
    query.dropLimitOfAll()
    // As on macOS, these flags are ignored: there is no result.
    for flag in QueryKey.returnFlags where query[flag]?.bool != nil { query[flag] = nil }
    return SecItemCall(.update, query, update: AgentDictionary(attributesToUpdate)).reply().status
}

/// Deletes all items that match a query.
///
/// - Parameter query: the items to delete.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, …
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    var query = AgentDictionary(query)
    query.dropLimitOfAll()
    return SecItemCall(.delete, query).reply().status
}

/// Keys that this module reads itself; the daemon reads all others.
private enum QueryKey {
    static let limit = "m_Limit"
    static let limitAll = "m_LimitAll"
    static let returnFlags = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
}

extension AgentDictionary {
    /// Every match is changed or deleted anyway, and programs for macOS pass this limit.
    fileprivate mutating func dropLimitOfAll() {
        if self[QueryKey.limit]?.string == QueryKey.limitAll { self[QueryKey.limit] = nil }
    }
}

extension SecItemCall {
    /// The daemon's answer; if there is no daemon, the reason goes to standard error once.
    fileprivate func reply() -> SecItemReply {
        do throws(AgentError) {
            return try DaemonLink.shared.call(self)
        } catch {
            DaemonLink.explain(error)
            return SecItemReply(status: error == .malformedMessage ? errSecInternal : error.status)
        }
    }
}

extension SecItemReply {
    fileprivate func give(to pointer: UnsafeMutablePointer<CFTypeRef?>?) {
        guard status == errSecSuccess, let pointer = unsafe pointer else { return }
        // Not assigned: the memory may be uninitialized, so nothing there can be released.
        unsafe pointer.initialize(to: result?.object)
    }
}
