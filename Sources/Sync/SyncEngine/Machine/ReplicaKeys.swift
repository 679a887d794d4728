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
    /// The keys of a device as a member of this circle.
    package init(
        keyRing: KeyRing,
        account: AccountID,
        identity: DeviceIdentity,
        circle: CircleChain,
        rows: SealedRows,
        random: any RandomSource
    ) {
        self.keyRing = keyRing
        cipher = RecordCipher(
            keyRing: keyRing,
            account: account,
            floors: RecordFloors(circle),
            random: random
        )
        self.identity = identity
        signer = BatchSigner(identity: identity, account: account)
        self.rows = rows
    }
}
