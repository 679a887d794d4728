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

    /// The application of this device for the entry after the chain's newest.
    package init(of identity: DeviceIdentity, name: String, to chain: CircleChain) {
        signingKey = identity.signingPublicKey
        agreementKey = identity.agreementPublicKey
        self.name = name
        possession = identity.signingKey.sign(
            Possession.statement(
                account: chain.newest.account,
                previousHash: chain.newestHash,
                signingKey: identity.signingPublicKey,
                agreementKey: identity.agreementPublicKey
            )
        )
    }
}
