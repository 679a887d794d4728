package import GRDB
internal import KSSealing

extension ItemStoreError {
    /// Maps an error of a database block to the keychain's own error.
    package init(_ error: any Error) {
        switch error {
        case let error as ItemStoreError: self = error
        // Sync seals its record of a change under the item's class, which may be locked.
        case SealingError.classLocked: self = .interactionNotAllowed
        case let error as DatabaseError: self.init(error)
        default: self = .refused
        }
    }

    private init(_ error: DatabaseError) {
        let code = error.extendedResultCode.rawValue
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull
        case .SQLITE_IOERR: self = .inputOutput(code: code)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .fileDamaged
        case .SQLITE_READONLY: self = .readOnly
        default: self = .unavailable(code: code)
        }
    }
}

/// Runs a block, and maps its error to the keychain's own error.
package func withKeychainErrors<Result>(
    _ body: () throws -> Result
) throws(ItemStoreError) -> Result {
    do {
        return try body()
    } catch {
        throw ItemStoreError(error)
    }
}

extension Database {
    /// Runs a block as a part of the transaction; if the block throws, its changes are undone and
    /// the error becomes the keychain's own.
    package func undoable<Result>(_ body: () throws -> Result) throws(ItemStoreError) -> Result {
        var result: Result?
        try withKeychainErrors {
            try inSavepoint {
                result = try body()
                return .commit
            }
        }
        // Never nil here: the savepoint ran, or it threw.
        guard let result else { throw .refused }
        return result
    }
}
