package import GRDB
internal import KSSealing

extension KeychainError {
    /// The keychain's own error for whatever a database block threw.
    package init(_ error: any Error) {
        if let error = error as? KeychainError {
            self = error
            return
        }
        // Sync keeps what it has to note of a change under the item's class too.
        if case SealingError.classLocked = error {
            self = .interactionNotAllowed
            return
        }
        guard let error = error as? DatabaseError else {
            self = .refused
            return
        }
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

extension Database {
    /// Runs a block whose errors are all the keychain's own, as a part of the transaction that is
    /// undone when the block throws.
    package func undoable<Result>(
        _ body: () throws -> Result
    ) throws(KeychainError) -> Result {
        var result: Result?
        do {
            try inSavepoint {
                result = try body()
                return .commit
            }
        } catch {
            throw KeychainError(error)
        }
        // The savepoint ran, or it has thrown.
        guard let result else { throw .refused }
        return result
    }
}
