internal import GRDB
internal import KSKeyValueRecords
internal import KSKeychain
internal import KSKeychainRecords
package import KSRecords
internal import KSSealing
internal import KSTransport
internal import KSSyncEngine

// Devices that leave the account, and join it again.

extension World {
    /// Sometimes a device leaves the account and joins it again, with its items or without.
    ///
    /// Without items it leaves only if nothing would be lost.
    func returnSomebody() throws {
        guard returnRandom.chance(settings.returnProbability) else { return }
        let device = returnRandom.one(of: devices)
        let keepsItems = returnRandom.chance(0.6)
        // Only an answer tells whether the server took a batch that is on its way.
        guard !device.isLocked, try device.boxOnItsWay() == nil else { return }
        let unsent = try device.unsentCount()
        guard keepsItems || unsent == 0 else { return }
        trace("\(device.name) leaves, and returns \(keepsItems ? "with" : "without") its items")
        tell(device, keepsItems ? "leave" : "leave-empty")
        tell("# what device\(device.index + 1) does without the account")
        happenings[.returns] += 1
        if unsent > 0 { happenings[.returnsWithUnsent] += 1 }
        // Programs have read these values in a store that is empty now.
        if !keepsItems { oldViews = oldViews.filter { !$0.key.hasPrefix("\(device.index) ") } }
        try leaveAndReturn(device, keepsItems: keepsItems)
        tell(device, "return")
        try poll(device)
    }
}

extension SimulatedDevice {
    /// How many records have changes that are not on the server.
    func unsentCount() throws -> Int {
        try database.unsafeRead { try Departure.unsentCount(in: $0) }
    }

    /// Leaves the account as `logout` does.
    package func leave(keepsItems: Bool) throws {
        if keepsItems, try boxOnItsWay() != nil { try replica.takeNewActor() }
        let stores = stores
        try database.write { database in
            for store in stores {
                _ =
                    try keepsItems
                    ? store.keepWithoutAccount(in: database)
                    : store.removeEntries(in: database)
            }
            try Departure.forgetAccount(
                keepingRecordsOf: keepsItems ? stores : [],
                keyRing,
                in: database
            )
            if setting.bug == .returnsAsStranger {
                try database.execute(sql: "DELETE FROM departed_account")
            }
        }
        keychain.recorder = nil
        keyValues.recorder = nil
    }

    /// Joins the account that it left, as `login` does.
    ///
    /// The member stays the same, since the world's circle has a limit; the actor is a new one.
    package func joinAgain(epoch: StoreEpoch) throws {
        let (fixture, random) = (setting.fixture, setting.random)
        let enrollment = Enrollment(
            account: fixture.account,
            names: EnrolledNames(account: "simulated", device: name),
            server: try ServerEndpoint(origin: "https://simulated.invalid"),
            identity: setting.identity,
            accountKey: AccountKey.random(from: random),
            keyRing: try KeyRing(decoding: setting.circles.newestRing.encode()),
            circle: setting.circles.newest,
            epoch: epoch
        )
        let (clock, stores) = (clock, stores)
        try enrollment.save(
            in: database,
            stores: stores,
            rows: rows,
            clock: { clock.milliseconds },
            random: random
        )
        try restart()
    }
}
