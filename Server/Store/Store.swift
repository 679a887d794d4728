package import KSRecords

/// Everything the server keeps.
///
/// It is called, not awaited, on whatever thread owns it; randomness and clock are handed to its
/// implementations. Nothing about one account is ever seen through another: every key leads with
/// the account. Callers check signatures and the circle's rules. What must be decided together with
/// the write (versions, counters, chains, epochs) is decided in one transaction by the functions of
/// `Merging`, so an implementation only loads what they ask for and saves what they say.
package protocol Store: Sendable {
    func statistics() throws(StoreError) -> StoreStatistics

    /// Shows that the store answers, at the same small cost however much is in it.
    func probe() throws(StoreError)

    /// Takes a nonce out of use.
    ///
    /// - Parameters:
    ///   - nonce: as the challenge gave it.
    ///   - expirySeconds: seconds since 1970-01-01 00:00 UTC, after which it is forgotten.
    /// - Throws: ``StoreError/storageFailed(code:)``.
    /// - Returns: whether it was still unused and has not expired.
    func useNonce(_ nonce: [UInt8], expirySeconds: UInt64) throws(StoreError) -> Bool

    /// Writes a consistent copy while others go on pushing; it is on the disk when this returns.
    ///
    /// - Throws: ``StoreError/fileExists`` rather than overwrite anything.
    func backup(to path: String) throws(StoreError)

    /// Signs up. The very same sign-up again gets the same answer.
    ///
    /// - Throws: ``StoreError/nameTaken``.
    func createAccount(_ account: NewAccount) throws(StoreError) -> StoreEpoch

    /// The account of this name, in any of the spellings that count as the same.
    func account(named name: String) throws(StoreError) -> AccountState?

    func account(_ id: AccountID) throws(StoreError) -> AccountState?

    /// Removes everything of an account.
    func deleteAccount(_ id: AccountID) throws(StoreError)

    /// The circle's newest entry, whose members' keys verify signatures.
    func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry?

    /// All entries of the circle, from genesis on; none of an account without one.
    func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry]

    /// The entries after a version, with what is sealed to this member.
    func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState

    /// Adds an entry whose rules the caller has checked. The very same entry again changes nothing.
    ///
    /// It counts against the account's quota and is never refused for that, nor is one that revokes
    /// for the length of the circle: whatever fills an account, a device can be thrown out of it.
    ///
    /// - Throws: ``StoreError/circleChanged`` when `version` is no longer the newest, or when the
    ///   entry ends a generation at another vector than the account's; ``StoreError/tooLarge`` when
    ///   the circle is as long as ``Limits`` allows.
    func appendEntry(
        _ addition: CircleAddition,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError)

    /// Takes several batches with one disk sync, each succeeding or failing by itself.
    ///
    /// - Returns: one result for each request, in their order.
    func push(_ requests: [PushRequest]) -> [Result<PushAnswer, StoreError>]

    /// A page of what is new, and notes up to where the member has applied.
    ///
    /// - Throws: ``StoreError/unknownCursor`` for a cursor that was never given in this history.
    func changes(_ request: ChangesRequest) throws(StoreError) -> PageAnswer

    /// Compares what a device has signed to have been shown with what the account holds.
    ///
    /// Where this history never gave the cursor, the store went back behind it: a new epoch begins.
    func compareHistory(
        _ cursor: Cursor,
        of member: MemberID,
        in account: AccountID
    ) throws(StoreError) -> HistoryComparison
}
