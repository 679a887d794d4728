package import KSAgent
package import KSCertificates
package import KSFiles
internal import Glibc
internal import KSKeychain
package import KSSealing
internal import KSSecurityNames

/// Why something could not be done with a keychain as a whole.
package enum KeychainFileError: Error, Equatable {
    case noSuchKeychain
    /// The file is not a keychain of this program, or it is damaged.
    case invalidKeychain
    /// The home's list of keychains cannot be read; people edit it by hand too.
    case listDamaged(fault: String)
    case duplicateKeychain
    /// Not the keychain's password.
    case wrongPassword
    case noDefaultKeychain
    /// The keychain that is to become the default does not exist.
    case notToBeDefault(path: String)
    /// The login keychain, which cannot be deleted.
    case isLogin
    /// A name that no keychain can have.
    case badName
    /// Items of a further keychain stay in it.
    case notSynchronizable
    case wrongPassphrase
    case passphraseNeeded
    /// Several certificates match, but exactly one must.
    case ambiguous
    /// The file's format is unknown.
    case unknownFormat
    /// The file holds nothing that can be imported.
    case nothingFound
    /// A format, or a kind of key, that is not known.
    case unsupported
    /// The system refused an operation on a file.
    case unavailable(errno: Int32)

    package var status: Int32 {
        switch self {
        case .noSuchKeychain: SecStatus.errSecNoSuchKeychain
        case .invalidKeychain, .listDamaged: SecStatus.errSecInvalidKeychain
        case .duplicateKeychain: SecStatus.errSecDuplicateKeychain
        case .wrongPassword: SecStatus.errSecAuthFailed
        case .noDefaultKeychain: SecStatus.errSecNoDefaultKeychain
        // As on macOS.
        case .notToBeDefault: SecStatus.errSecWrPerm
        case .badName, .notSynchronizable: SecStatus.errSecParam
        case .ambiguous: SecStatus.errSecMultiplePrivKeys
        case .unknownFormat: SecStatus.errSecUnknownFormat
        case .passphraseNeeded: SecStatus.errSecPassphraseRequired
        case .wrongPassphrase: SecStatus.errSecPkcs12VerifyFailure
        case .nothingFound: SecStatus.errSecItemNotFound
        case .unsupported: SecStatus.errSecUnsupportedFormat
        case .unavailable(ENOSPC), .unavailable(EDQUOT): ItemStoreError.diskFull.status
        case .isLogin, .unavailable(EROFS): ItemStoreError.readOnly.status
        case .unavailable: ItemStoreError.inputOutput(code: 0).status
        }
    }

    /// Adds to the status's own message.
    private var hint: String {
        switch self {
        case .notSynchronizable:
            "Only items of the login keychain sync: leave --sync out."
        case .listDamaged(let fault):
            "The home's list of keychains, keychains.json, cannot be read: correct it, or remove it"
                + " to search the login keychain alone. \(fault)"
        case .notToBeDefault(let path):
            "Will not set default: file \(path) does not exist; create-keychain makes one."
        case .isLogin:
            "The login keychain cannot be deleted: it is deleted with its home directory."
        case .unavailable(ENOSPC), .unavailable(EDQUOT): ItemStoreError.diskFull.message
        case .unavailable(let errno): unsafe String(cString: strerror(errno)) + "."
        case .noSuchKeychain, .invalidKeychain, .duplicateKeychain, .wrongPassword,
            .noDefaultKeychain, .badName, .wrongPassphrase, .passphraseNeeded, .ambiguous,
            .unknownFormat, .nothingFound, .unsupported:
            ""
        }
    }

    package var agentFailure: AgentFailure { AgentFailure(code: status, status: "", hint: hint) }

    package init(_ error: OpenSSLError) {
        switch error {
        case .passphraseNeeded: self = .passphraseNeeded
        case .wrongPassphrase: self = .wrongPassphrase
        case .unsupported, .library: self = .unsupported
        case .malformed, .tooLarge, .nameRefused, .validityRefused: self = .unknownFormat
        }
    }

    /// Maps an error of making a keychain's file.
    package init(_ error: FileError) {
        switch error {
        case .exists: self = .duplicateKeychain
        case .notRegular: self = .unavailable(errno: EIO)
        case .system(let code): self = .unavailable(errno: code)
        }
    }

    /// Maps an error of a keychain's keys.
    package init(_ error: SealingError) {
        switch error {
        case .wrongPasscode, .passcodeNeeded, .passcodeNotSet, .passwordNotText:
            self = .wrongPassword
        case .keyFileUnavailable(_, let code): self = .unavailable(errno: code)
        default: self = .invalidKeychain
        }
    }
}
