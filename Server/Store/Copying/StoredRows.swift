package import KSMerging
package import KSRecords

/// A store whose rows can be read: the source of a copy, which does not change it, or its target.
package protocol StoredRows {
    /// Made of all accounts.
    func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures

    /// Some of the accounts, by id: the first ones after this one.
    func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID]

    /// A page of a table's rows in the order of their keys; see ``StoredTable/pageRowsMax``.
    ///
    /// Integers are ordered as signed ones. `last`: the row before the page; nil for the start.
    /// - Returns: no row if there is no such account.
    func rows(
        of table: StoredTable,
        in account: AccountID,
        after last: StoredRow?
    ) throws(StoreError) -> [StoredRow]

    /// What belongs to no account.
    func sharedRows() throws(StoreError) -> SharedRows
}

/// An empty store that a copy fills, and that nobody else uses meanwhile.
///
/// Until ``finish()`` no server accepts it.
package protocol CopyTarget: StoredRows {
    /// Adds rows; the account's own row comes first.
    func add(
        _ rows: [StoredRow],
        to table: StoredTable,
        of account: AccountID
    ) throws(StoreError)

    func setSharedRows(_ rows: SharedRows) throws(StoreError)

    /// Makes the copy a store, durably.
    func finish() throws(StoreError)

    /// Ends a copy that failed, and gives its room back.
    func giveUp()
}

extension CopyTarget {
    /// The copy is one transaction, which ends with the process.
    package func giveUp() {}
}

/// What a store holds beside its accounts.
package struct SharedRows: Hashable, Sendable {
    /// A challenge that was answered, and must not be answered again until it expires.
    package struct UsedNonce: Hashable, Sendable {
        package let nonce: [UInt8]
        package let expirySeconds: UInt64

        package init(nonce: [UInt8], expirySeconds: UInt64) {
            (self.nonce, self.expirySeconds) = (nonce, expirySeconds)
        }
    }

    /// The life that new accounts begin in.
    package let epoch: StoreEpoch
    /// The store's own time.
    package let servedSeconds: UInt64
    /// By nonce.
    package let usedNonces: [UsedNonce]
    /// What authenticates tokens and challenges; nil if no server has made it yet.
    package var secret: [UInt8]?
    /// The hashes of the unused invitations' codes.
    package var invitations: Set<[UInt8]>

    package init(
        epoch: StoreEpoch,
        servedSeconds: UInt64,
        usedNonces: [UsedNonce],
        secret: [UInt8]? = nil,
        invitations: Set<[UInt8]> = []
    ) {
        (self.epoch, self.servedSeconds, self.usedNonces) = (epoch, servedSeconds, usedNonces)
        (self.secret, self.invitations) = (secret, invitations)
    }
}
