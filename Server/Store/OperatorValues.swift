internal import KSMerging
package import KSRecords

/// An account as its server's operator sees it: sizes and times, no contents.
package struct AccountSummary: Hashable, Sendable {
    /// A member of the circle's newest entry.
    package struct Member: Hashable, Sendable {
        package let id: MemberID
        /// The number of a `MemberKind`.
        package let kind: UInt64
        /// The seq up to which it has durably applied.
        package let appliedSeq: UInt64
        /// For how long nobody heard of it, in seconds for which the server ran.
        package let silentSeconds: UInt64
        /// Silent for so long that it holds no removal back.
        package let isDormant: Bool

        package init(
            id: MemberID,
            kind: UInt64,
            appliedSeq: UInt64,
            silentSeconds: UInt64,
            isDormant: Bool
        ) {
            (self.id, self.kind, self.appliedSeq) = (id, kind, appliedSeq)
            (self.silentSeconds, self.isDormant) = (silentSeconds, isDormant)
        }
    }

    package let id: AccountID
    package let name: String
    package let isSuspended: Bool
    /// Its own quota in bytes; nil if that of the server counts.
    package let quotaBytes: UInt64?
    package let records: UInt64
    /// Of records and circle, as they count against the quota.
    package let storedBytes: UInt64
    /// Of its newest write.
    package let seq: UInt64
    package let circleVersion: UInt64
    package let members: [Member]

    package init(
        id: AccountID,
        name: String,
        isSuspended: Bool,
        quotaBytes: UInt64?,
        records: UInt64,
        storedBytes: UInt64,
        seq: UInt64,
        circleVersion: UInt64,
        members: [Member]
    ) {
        (self.id, self.name, self.isSuspended) = (id, name, isSuspended)
        (self.quotaBytes, self.records, self.storedBytes) = (quotaBytes, records, storedBytes)
        (self.seq, self.circleVersion, self.members) = (seq, circleVersion, members)
    }
}

extension AccountSummary {
    /// A quota that no account reaches.
    package static let unlimitedBytes = AccountQuota.unlimited
}

/// How much a store holds.
package struct StoreFigures: Hashable, Sendable {
    package let accounts: UInt64
    /// Accounts that hold at least nine tenths of their quota; 0 without one.
    package let fullAccounts: UInt64
    package let suspendedAccounts: UInt64
    package let records: UInt64
    /// Of records and circles, as they count against the quota.
    package let storedBytes: UInt64

    package init(
        accounts: UInt64,
        fullAccounts: UInt64,
        suspendedAccounts: UInt64,
        records: UInt64,
        storedBytes: UInt64
    ) {
        (self.accounts, self.fullAccounts) = (accounts, fullAccounts)
        self.suspendedAccounts = suspendedAccounts
        (self.records, self.storedBytes) = (records, storedBytes)
    }
}

/// What is wrong with the rows of an account.
package enum AccountDamage: Hashable, Sendable {
    /// This entry of the circle, and so those after it, cannot be read or break its rules.
    case circle(version: UInt64)
    /// The record of this seq cannot be read, or a box of it is not the one that was stored.
    case record(seq: UInt64)
    /// A record has a write that the account's vector does not have.
    case vector(seq: UInt64)
    /// The account's row counts another number of records, or of bytes.
    case counts
}

/// The result of reading all rows of an account.
package struct AccountCheck: Hashable, Sendable {
    package let entries: UInt64
    package let records: UInt64
    package let damages: [AccountDamage]
    /// Whether the damaged rows were left out.
    package let isRepaired: Bool
}

/// A row that a store left out of an answer, since it cannot be read.
package struct LeftOutRow: Hashable, Sendable {
    package let account: AccountID
    package let seq: UInt64

    package init(account: AccountID, seq: UInt64) {
        (self.account, self.seq) = (account, seq)
    }
}
