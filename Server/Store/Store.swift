package import KSCausality
package import KSMerging
package import KSRecords

/// Everything the server keeps.
///
/// Calls are synchronous, and may come from several threads; implementations get randomness and
/// clock as parameters. Every key begins with the account, so accounts stay apart. Callers check
/// signatures and the circle's rules. The functions of `Merging` decide about versions, counters,
/// chains and epochs, in the transaction of the write: an implementation only loads their input and
/// saves their result.
package protocol Store: Sendable {
    /// Checks that the store answers, at a small cost that does not depend on its size.
    func probe() throws(StoreError)

    /// Marks a nonce as used.
    ///
    /// - Parameters:
    ///   - nonce: the challenge's nonce.
    ///   - expirySeconds: seconds since 1970-01-01 00:00 UTC, after which it is forgotten.
    /// - Throws: ``StoreError/storageFailed(code:)``.
    /// - Returns: whether it was still unused and has not expired.
    func useNonce(_ nonce: [UInt8], expirySeconds: UInt64) throws(StoreError) -> Bool

    /// Signs up. A repeated sign-up gets the same answer.
    ///
    /// - Throws: `name_taken`, also if the account's id is taken.
    func createAccount(_ account: NewAccount) throws(StoreError) -> StoreEpoch

    /// The account of this name, in any equivalent spelling.
    func account(named name: String) throws(StoreError) -> AccountState?

    func account(_ id: AccountID) throws(StoreError) -> AccountState?

    /// Removes everything of an account.
    func deleteAccount(_ id: AccountID) throws(StoreError)

    /// The circle's newest entry, whose members' keys verify signatures.
    func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry?

    /// All entries of the circle, from genesis on; empty for an unknown account.
    func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry]

    /// The entries after a version, with this member's key envelope.
    func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState

    /// The circle's newest entry with all its key envelopes, or the entry that began a generation
    /// with this member's own.
    ///
    /// Envelopes of earlier generations are kept only for members that are not devices.
    ///
    /// `generation`: nil for the newest entry.
    /// - Returns: nil if the store has none for this member.
    func circleEntry(
        of account: AccountID,
        generation: UInt64?,
        for member: MemberID
    ) throws(StoreError) -> ShownEntry?

    /// Adds an entry whose rules were checked, as ``extendCircle(of:by:from:ifVersion:)`` does. A
    /// repeated entry changes nothing.
    ///
    /// It counts against the account's quota, but is never refused for it, and one that revokes is
    /// not refused for the circle's length: a device can be revoked even in a full account.
    ///
    /// - Throws: `circle_changed` if `version` is not the newest, or the entry's closing vector is
    ///   not the account's; `too_large` if the circle has reached ``Limits``.
    func appendEntry(
        _ change: CircleChange,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError)

    /// Puts entries back that this store has lost, with what it keeps beside the newest of them.
    ///
    /// The caller has checked that a member of the newest entry asks for it. Entries that are there
    /// already change nothing.
    ///
    /// - Throws: as ``IncomingReturn/init(_:of:after:)``.
    /// - Returns: the circle's version.
    func returnCircle(
        _ circle: CircleReturn,
        to account: AccountID
    ) throws(StoreError) -> UInt64

    /// Makes an account that this store has lost: as its members know it, without records.
    ///
    /// The caller has checked that a member of the newest entry asks for it. If the account is
    /// there already, its circle is put back: see ``returnCircle(_:to:)``.
    ///
    /// - Throws: as ``IncomingReturn/init(_:of:after:)``; `name_taken` by another account.
    /// - Returns: the circle's version.
    func rebuildAccount(
        _ account: AccountID,
        named name: String,
        from circle: CircleReturn
    ) throws(StoreError) -> UInt64

    /// Decides about several batches with one disk sync; each succeeds or fails by itself.
    ///
    /// - Returns: one result for each request, in their order.
    func push(_ requests: [PushRequest]) -> [Result<PushAnswer, StoreError>]

    /// Returns a page of changes, and saves up to where the member has applied.
    ///
    /// - Throws: `unknown_cursor` for a cursor that is not of this history.
    func changes(_ request: ChangesRequest) throws(StoreError) -> PageAnswer

    /// Raises the account vector to what a member had seen before this store went back, so that
    /// every other device knows of those writes too.
    ///
    /// The raised actors never write again. An entry that is reached already changes nothing.
    ///
    /// - Throws: ``StoreError/notMember``; `store_restored` if the account has another epoch;
    ///   `malformed` if an actor that may still write is named above what it wrote; `too_large` if
    ///   the account would have too many actors.
    func raiseVector(
        to vector: VersionVector,
        epoch: StoreEpoch,
        by member: MemberID,
        of account: AccountID
    ) throws(StoreError)

    /// Counts time in which the store was served: its own time, by which it decides about removal.
    func passTime(seconds: UInt64) throws(StoreError)

    /// Some of the accounts, by id: the first ones after this one.
    func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID]

    /// Removes deleted records that every active device has applied, and what only such a device
    /// needed, in one short step.
    ///
    /// The standing's removal horizon rises with what is removed: a device whose cursor is older
    /// compares all its records. Until ``RemovalStep/isLast`` there is more to do.
    func removeDeleted(
        from account: AccountID,
        by rules: RemovalRules
    ) throws(StoreError) -> RemovalStep

    /// Gives some of the space that removed records took back to the file system.
    ///
    /// - Returns: whether there is more to give back.
    func giveSpaceBack() throws(StoreError) -> Bool

    /// Compares a device's signed statement with the account's history.
    ///
    /// If this history does not know the cursor, the store went back, and a new epoch begins.
    func compareHistory(
        _ cursor: Cursor,
        of member: MemberID,
        in account: AccountID
    ) throws(StoreError) -> HistoryComparison

    /// How many calls at once finish sooner than one after the other.
    var concurrentCalls: Int { get }

    // MARK: For operators

    /// How much the store holds, made of all accounts.
    ///
    /// `quotaBytes`: what an account without a quota of its own may hold; nil for no limit.
    func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures

    /// What an operator sees of an account.
    ///
    /// - Throws: ``StoreError/notFound``.
    func summary(of account: AccountID) throws(StoreError) -> AccountSummary

    /// Gives an account a quota of its own; nil for that of the server.
    ///
    /// - Throws: ``StoreError/notFound``.
    func setQuota(_ bytes: UInt64?, of account: AccountID) throws(StoreError)

    /// Shuts an account out, with all that it has, or lets it in again.
    ///
    /// - Throws: ``StoreError/notFound``.
    func setSuspended(_ isSuspended: Bool, _ account: AccountID) throws(StoreError)

    /// Whether an account is suspended; false for one that is not there.
    func isSuspended(_ account: AccountID) throws(StoreError) -> Bool

    /// Reads all rows of an account, and checks chain, counts and hashes.
    ///
    /// `repairs`: leaves damaged rows out. Devices keep the records that they have, and put one
    /// back with its next change. After entries of a circle were left out a new epoch begins, in
    /// which the devices put them back; the first entry cannot be left out.
    /// - Throws: ``StoreError/notFound``.
    func check(_ account: AccountID, repairs: Bool) throws(StoreError) -> AccountCheck
}

extension Store {
    /// One: a store of one file makes its calls one after the other.
    package var concurrentCalls: Int { 1 }

    /// Extends a circle by a member's change, as each client will check it again.
    ///
    /// - Throws: `circle_changed` if another entry came first.
    /// - Returns: the circle's version. If the entry is the newest already, the first answer may
    ///   be lost, and the answer is the same.
    package func extendCircle(
        of account: AccountID,
        by change: CircleChange,
        from author: MemberID,
        ifVersion version: UInt64
    ) throws(StoreError) -> UInt64 {
        try change.check(extends: circleEntries(of: account), after: version, by: author)
        try appendEntry(change, to: account, ifVersion: version)
        return version + 1
    }
}
