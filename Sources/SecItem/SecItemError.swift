internal import KSKeychain
internal import KSSecurityNames

/// Why a call failed, as one of Apple's numbers.
enum SecItemError: Error, Equatable {
    /// The query makes no sense, or a value has the wrong type.
    case parameter
    case noSuchAttribute
    case noSuchClass
    case missingEntitlement
    /// A program that is part of another one may not do this.
    case restricted
    /// A way to match that this class of items does not have.
    case unimplemented
    case itemNotFound
    case duplicateItem
    /// What Apple's keychain gives up on.
    case internalFailure
    case keychain(KeychainError)

    var status: Int32 {
        switch self {
        case .parameter: SecStatus.errSecParam
        case .noSuchAttribute: SecStatus.errSecNoSuchAttr
        case .noSuchClass: SecStatus.errSecNoSuchClass
        case .missingEntitlement: SecStatus.errSecMissingEntitlement
        case .restricted: SecStatus.errSecRestrictedAPI
        case .unimplemented: SecStatus.errSecUnimplemented
        case .itemNotFound: SecStatus.errSecItemNotFound
        case .duplicateItem: SecStatus.errSecDuplicateItem
        case .internalFailure: SecStatus.errSecInternal
        case .keychain(let error): error.status
        }
    }

    init(_ error: KeychainError) {
        switch error {
        case .parameter: self = .parameter
        case .noSuchAttribute: self = .noSuchAttribute
        case .missingEntitlement: self = .missingEntitlement
        case .itemNotFound: self = .itemNotFound
        case .duplicateItem: self = .duplicateItem
        default: self = .keychain(error)
        }
    }
}

/// Runs a call of the keychain, whose errors become this module's.
@discardableResult
func rethrowing<Result>(
    _ body: () throws(KeychainError) -> Result
) throws(SecItemError) -> Result {
    do throws(KeychainError) {
        return try body()
    } catch {
        throw SecItemError(error)
    }
}
