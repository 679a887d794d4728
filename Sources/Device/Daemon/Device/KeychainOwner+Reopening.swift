internal import GRDB
internal import KSKeyValueRecords
internal import KSKeychain

// After an error of the database that a new connection may not have.
extension KeychainOwner {
    /// Opens the database's connections again, and forgets what was read over the old ones.
    ///
    /// If the file is gone, replaced or cannot be opened, all stays as it is.
    package func reopenDatabase() throws {
        try keychain.reader.checkFile()
        try files.reopen()
        keyValueStore.forgetConnection()
        // A new connection counts the commits of others from its own beginning.
        listing.forget()
        // What notices their commits observes the old connection.
        if device != nil { recordChanges() }
        lastReopening = .now
    }

    private static let secondsBetween = 1

    /// Opens the connections again after a call that failed, if they may be the reason.
    ///
    /// The next call then works without a restart, or says what is wrong with the file.
    func heal(after error: any Error) {
        guard Self.mayBeOfConnection(error),
            lastReopening.map({ .now - $0 > .seconds(Self.secondsBetween) }) ?? true
        else { return }
        // If they cannot be opened, the next call says why.
        try? reopenDatabase()
    }

    static func mayBeOfConnection(_ error: any Error) -> Bool {
        guard error is ItemStoreError || error is DatabaseError else { return false }
        let error = ItemStoreError(error)
        switch error {
        case .readOnly, .inputOutput, .fileDamaged: return true
        case .unavailable: return !error.isBusy
        default: return false
        }
    }
}
