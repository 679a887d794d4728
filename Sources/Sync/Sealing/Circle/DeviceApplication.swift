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
            Possession.statement(signingKey, agreementKey, next: chain)
        )
    }
}

extension AccountCredentials {
    /// Shows that these are the credentials that the entry after the chain's newest adds.
    func possession(in chain: CircleChain) -> [UInt8] {
        signingKey.sign(Possession.statement(signingPublicKey, agreementPublicKey, next: chain))
    }
}

extension Possession {
    /// What the member with these keys signs to be added by the entry after the chain's newest.
    fileprivate static func statement(
        _ signingKey: [UInt8],
        _ agreementKey: [UInt8],
        next chain: CircleChain
    ) -> [UInt8] {
        statement(
            account: chain.newest.account,
            previousHash: chain.newestHash,
            signingKey: signingKey,
            agreementKey: agreementKey
        )
    }
}
