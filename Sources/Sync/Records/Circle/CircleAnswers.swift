package import KSCausality

/// A circle as one of its members gets it.
package struct CircleState: Hashable, Sendable {
    package let account: AccountID
    package let epoch: StoreEpoch
    /// The entries in order.
    package let entries: [SignedEntry]
    /// The member's own key envelope of the newest entry.
    package let envelope: KeyEnvelope?
    /// Only for the credentials.
    package let credentialsBox: [UInt8]?

    package init(
        account: AccountID,
        epoch: StoreEpoch,
        entries: [SignedEntry],
        envelope: KeyEnvelope?,
        credentialsBox: [UInt8]?
    ) {
        (self.account, self.epoch, self.entries) = (account, epoch, entries)
        (self.envelope, self.credentialsBox) = (envelope, credentialsBox)
    }
}

/// An entry of a circle with key envelopes.
package struct ShownEntry: Hashable, Sendable {
    package let entry: SignedEntry
    package let envelopes: [KeyEnvelope]
    /// The account vector.
    package let vector: VersionVector

    package init(entry: SignedEntry, envelopes: [KeyEnvelope], vector: VersionVector) {
        (self.entry, self.envelopes, self.vector) = (entry, envelopes, vector)
    }
}
