internal import KSPrimitives
package import KSRecords

/// What a device shows to be added to a circle: its public keys, its name, and proof that the keys
/// are its own.
package struct DeviceApplication: Hashable, Sendable {
    package let signingKey: [UInt8]
    package let agreementKey: [UInt8]
    package let name: String
    /// Its signature of ``Possession/statement(account:previousHash:signingKey:agreementKey:)``.
    package let possession: [UInt8]

    package init(signingKey: [UInt8], agreementKey: [UInt8], name: String, possession: [UInt8]) {
        self.signingKey = signingKey
        self.agreementKey = agreementKey
        self.name = name
        self.possession = possession
    }

    /// The application of this device for the entry after the chain's newest.
    package init(of identity: DeviceIdentity, name: String, to chain: CircleChain) {
        self.init(
            of: identity,
            name: name,
            account: chain.newest.account,
            previousHash: chain.newestHash
        )
    }

    package init(
        of identity: DeviceIdentity,
        name: String,
        account: AccountID,
        previousHash: Hash
    ) {
        signingKey = identity.signingPublicKey
        agreementKey = identity.agreementPublicKey
        self.name = name
        possession = identity.signingKey.sign(
            Possession.statement(
                account: account,
                previousHash: previousHash,
                signingKey: identity.signingPublicKey,
                agreementKey: identity.agreementPublicKey
            )
        )
    }
}
