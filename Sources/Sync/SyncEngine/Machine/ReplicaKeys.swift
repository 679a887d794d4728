package import KSDigests
package import KSRecords
package import KSSealing

/// The keys of a device's replica: the account's, the device's own, and those of its rows.
package struct ReplicaKeys: Sendable {
    package let keyRing: KeyRing
    package internal(set) var cipher: RecordCipher
    package let identity: DeviceIdentity
    package let signer: BatchSigner
    package let rows: SealedRows
}

extension ReplicaKeys {
    /// The keys of a device; its replica sets the floors of the circle.
    package init(
        keyRing: KeyRing,
        account: AccountID,
        identity: DeviceIdentity,
        rows: SealedRows,
        random: any RandomSource
    ) {
        self.keyRing = keyRing
        cipher = RecordCipher(
            keyRing: keyRing,
            account: account,
            random: random
        )
        self.identity = identity
        signer = BatchSigner(identity: identity, account: account)
        self.rows = rows
    }
}
