// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
public import Foundation

/// Adds an item, or several that `kSecValueRef` stands for.
///
/// - Parameters:
///   - attributes: the class, the attributes and the secret; with a `kSecReturn…` flag also what
///     the result is to hold.
///   - result: where to put the result; untouched unless the call succeeds.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, …
@discardableResult
public func SecItemAdd(
    _ attributes: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    var query = AgentDictionary(attributes)
    // As on a Mac: a limit means nothing here, and code that shares one base query sends it.
    query[QueryKey.limit] = nil
    let reply = SecItemCall(.add, query).reply()
    unsafe reply.give(to: result)
    return reply.status
}

/// Finds items.
///
/// - Parameters:
///   - query: the class, what to look for, how many (one, unless `kSecMatchLimit` says so) and,
///     by the `kSecReturn…` flags, what the result is to hold.
///   - result: where to put the result; untouched unless the call succeeds.
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
///   - query: which.
///   - attributesToUpdate: the new attributes, or the new secret.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecDuplicateItem`, …
@discardableResult
public func SecItemUpdate(
    _ query: CFDictionary,
    _ attributesToUpdate: CFDictionary
) -> OSStatus {
    var query = AgentDictionary(query)
    query.dropLimitOfAll()
    // As on a Mac: there is no result for them to shape.
    for flag in QueryKey.returnFlags where query[flag]?.bool != nil { query[flag] = nil }
    return SecItemCall(.update, query, update: AgentDictionary(attributesToUpdate)).reply().status
}

/// Deletes all items that match a query.
///
/// - Parameter query: which.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, …
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    var query = AgentDictionary(query)
    query.dropLimitOfAll()
    return SecItemCall(.delete, query).reply().status
}

/// Keys that this layer looks at itself; the rest is the daemon's.
private enum QueryKey {
    static let limit = "m_Limit"
    static let limitAll = "m_LimitAll"
    static let returnFlags = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
}

extension AgentDictionary {
    /// All is what is changed or deleted anyway, and wrappers for the Mac say so.
    fileprivate mutating func dropLimitOfAll() {
        if self[QueryKey.limit]?.string == QueryKey.limitAll { self[QueryKey.limit] = nil }
    }
}

extension SecItemCall {
    /// What the daemon answers; where there is none, the reason goes to standard error once.
    fileprivate func reply() -> SecItemReply {
        do throws(AgentError) {
            return try DaemonLink.shared.call(self)
        } catch {
            DaemonLink.explain(error)
            return SecItemReply(
                status: error == .malformedMessage ? errSecInternal : error.status
            )
        }
    }
}

extension SecItemReply {
    fileprivate func give(to pointer: UnsafeMutablePointer<CFTypeRef?>?) {
        guard status == errSecSuccess, let pointer = unsafe pointer else { return }
        // As C writes: what was there before may be nothing that could be released.
        unsafe pointer.initialize(to: result?.object)
    }
}
