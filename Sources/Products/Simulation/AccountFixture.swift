internal import KSPrimitives
package import KSRecords
package import KSSealing

/// The account that all worlds share: making one for each seed would cost more than its world.
package struct AccountFixture: Sendable {
    static let devicesMax = 7
    /// How many more devices belong to the account, to be revoked: nobody uses them.
    static let sparesMax = 3
    /// How many more devices can join while users write: they are no members yet.
    static let joinersMax = 3

    package let account: AccountID
    package let keyRing: KeyRing
    package let identities: [DeviceIdentity]
    /// Of the devices that nobody uses.
    let spares: [MemberID]
    /// Of the devices that can join.
    let joiners: [DeviceIdentity]
    let accountKey: AccountKey
    /// What a login signs with at first.
    let credentials: AccountCredentials
    let changes: [CircleChange]
    let circle: CircleChain

    /// The credentials after so many changes of the password.
    func credentials(number: Int) throws -> AccountCredentials {
        number == 0 ? credentials : try Self.credentials(number: number, accountKey)
    }

    private static func credentials(
        number: Int,
        _ accountKey: AccountKey
    ) throws -> AccountCredentials {
        try AccountCredentials.derive(
            password: Array("simulated\(number == 0 ? "" : " \(number)")".utf8),
            accountKey: accountKey,
            cost: .simulation
        )
    }

    /// Signs up the first device and logs the others in.
    package static let shared: Result<AccountFixture, any Error> = Result { try AccountFixture() }

    private init() throws {
        let random = SimulationRandomSource(seed: 0xACC0)
        account = AccountID(validated: random.bytes(AccountID.byteCount))
        keyRing = KeyRing.random(from: random)
        identities = (0..<Self.devicesMax).map { _ in DeviceIdentity.random(from: random) }
        let unused = (0..<Self.sparesMax).map { _ in DeviceIdentity.random(from: random) }
        spares = unused.map(\.memberID)
        accountKey = AccountKey.random(from: random)
        credentials = try Self.credentials(number: 0, accountKey)
        let genesis = try CircleAuthoring.genesis(
            account: account,
            device: identities[0],
            deviceName: "device 1",
            credentials: credentials,
            keyRing: keyRing,
            random: random
        )
        var circle = try CircleChain(verifying: [genesis.entry])
        var changes = [genesis]
        for (index, identity) in (identities + unused).enumerated().dropFirst() {
            let change = try CircleAuthoring.addDevice(
                DeviceApplication(of: identity, name: "device \(index + 1)", to: circle),
                to: circle,
                keyRing: keyRing,
                by: .credentials(credentials),
                random: random
            )
            try circle.append(change.entry)
            changes.append(change)
        }
        joiners = (0..<Self.joinersMax).map { _ in DeviceIdentity.random(from: random) }
        self.circle = circle
        self.changes = changes
    }
}
