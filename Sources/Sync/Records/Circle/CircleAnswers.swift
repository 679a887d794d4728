package import KSCausality

/// A circle as one of its members gets it.
package struct CircleState: Hashable, Sendable {
    package let account: AccountID
    package let epoch: StoreEpoch
    /// The entries in order.
    package let entries: [SignedEntry]
    /// The member's own key envelope of the newest entry.
    package let envelope: KeyEnvelope?
    /// For the credentials, and for devices, which keep it in case the server loses it.
    package let credentialsBox: [UInt8]?
    /// All envelopes of the newest entry, which devices keep for the same reason.
    package let envelopes: [KeyEnvelope]

    package init(
        account: AccountID,
        epoch: StoreEpoch,
        entries: [SignedEntry],
        envelope: KeyEnvelope?,
        credentialsBox: [UInt8]?,
        envelopes: [KeyEnvelope] = []
    ) {
        (self.account, self.epoch, self.entries) = (account, epoch, entries)
        (self.envelope, self.credentialsBox) = (envelope, credentialsBox)
        self.envelopes = envelopes
    }
}

/// What a store lost of a circle: entries, and what it keeps beside the newest of them.
package struct CircleReturn: Hashable, Sendable {
    /// In order; the store may have the first ones.
    package let entries: [SignedEntry]
    /// All envelopes of the last entry.
    package let envelopes: [KeyEnvelope]
    package let credentialsBox: [UInt8]

    package init(entries: [SignedEntry], envelopes: [KeyEnvelope], credentialsBox: [UInt8]) {
        (self.entries, self.envelopes) = (entries, envelopes)
        self.credentialsBox = credentialsBox
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
