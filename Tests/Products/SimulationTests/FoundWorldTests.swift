import Simulation
import Testing

/// Worlds that once broke a promise, among ten thousand others of their kind.
struct FoundWorldTests {
    /// Few devices and items, of which everything may happen to each.
    private static var crowded: WorldSettings {
        var settings = WorldSettings()
        settings.cloneProbability = 0.05
        settings.putBackProbability = 0.1
        settings.returnProbability = 0.05
        settings.revocationProbability = 0.05
        settings.mergeTypeCount = 4
        return settings
    }

    /// Many devices, items and steps.
    private static var long: WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = 5
        settings.steps = 120
        settings.itemCount = 12
        settings.cloneProbability = 0.02
        settings.putBackProbability = 0.05
        settings.returnProbability = 0.02
        settings.revocationProbability = 0.02
        settings.mergeTypeCount = 7
        return settings
    }

    /// - 8300087: a device asks for the keys of a new generation, is locked before the answer, and
    ///   unlocked while a page that needs these keys is on its way.
    /// - 8301756: an item is renamed before it is sent, and then its disk is put back.
    /// - 51000012: the oracle read "device 4" in the history of who wrote an item as its write 4.
    @Test(arguments: [8_300_087, 8_301_756, 51_000_012] as [UInt64])
    func `a crowded world keeps every promise`(seed: UInt64) throws {
        #expect(try World.run(seed: seed, settings: Self.crowded).failure == nil)
    }

    /// 9300346: as 8301756 above.
    @Test(arguments: [9_300_346] as [UInt64])
    func `a long world keeps every promise`(seed: UInt64) throws {
        #expect(try World.run(seed: seed, settings: Self.long).failure == nil)
    }

    /// The server is restored or loses everything, and devices are revoked.
    private static func losing(restores: Double = 0, empties: Double = 0) -> WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = 4
        settings.steps = 60
        settings.itemCount = 4
        settings.mergeTypeCount = 7
        settings.restoreProbability = restores
        settings.emptyProbability = empties
        settings.revocationProbability = 0.05
        return settings
    }

    /// - 520: a device that cannot open a lost write compares twice before its author sends it.
    /// - 812: a device knows more of a deleted item than its siblings say that open.
    /// - 955: what is left of a lost deletion is beside a sibling that does not open.
    /// - 700020297: a device has replaced a write that it could not open, another edits one value
    ///   of that write, and its author puts it up again.
    /// - 900000189: a device downloads all records from a server that went back and has grown
    ///   since, and knows later places of its records.
    /// - 940100245: a batch whose answer was lost is accepted, the server is put back, and a
    ///   generation ends before the batch is sent again.
    @Test(arguments: [520, 812, 955, 700_020_297, 900_000_189, 940_100_245] as [UInt64])
    func `a world with a restored server keeps every promise`(seed: UInt64) throws {
        #expect(try World.run(seed: seed, settings: Self.losing(restores: 0.1)).failure == nil)
    }

    /// - 55: a device that wants a new actor for new keys is restarted with a batch on its way.
    /// - 249: a device makes the account again with old keys, and hears of the new ones before its
    ///   batch is answered.
    /// - 414: as 812 above.
    @Test(arguments: [55, 249, 414] as [UInt64])
    func `a world with an emptied server keeps every promise`(seed: UInt64) throws {
        #expect(try World.run(seed: seed, settings: Self.losing(empties: 0.05)).failure == nil)
    }

    /// An item is deleted, removed from the server and made again, and the server goes back to
    /// before the deletion.
    @Test(arguments: [40_031] as [UInt64])
    func `a world with removed records and a restored server keeps every promise`(
        seed: UInt64
    ) throws {
        var settings = WorldSettings()
        settings.deviceCount = 3
        settings.steps = 120
        settings.itemCount = 4
        settings.restoreProbability = 0.05
        settings.removalProbability = 0.5
        #expect(try World.run(seed: seed, settings: settings).failure == nil)
    }

    /// Devices join, deleted records are removed, and the server loses something.
    private static func growing(restores: Double = 0, empties: Double = 0) -> WorldSettings {
        var settings = losing(restores: restores, empties: empties)
        settings.deviceCount = 3
        settings.steps = 120
        settings.joinProbability = 0.05
        settings.removalProbability = 0.5
        settings.silentProbability = 0.02
        return settings
    }

    /// A device hears of the ends of two generations at once, or of one end without having noticed
    /// that the server went back, and has written after the first end; 910000141: as 900000189
    /// above; 61000202: an item is edited that another device has deleted again over the older
    /// values of a server that went back.
    @Test(arguments: [904_000_154, 904_000_189, 910_000_141, 61_000_202] as [UInt64])
    func `a growing world with a restored server keeps every promise`(seed: UInt64) throws {
        #expect(try World.run(seed: seed, settings: Self.growing(restores: 0.03)).failure == nil)
    }

    /// A deletion that came while a device was locked waits when the server loses everything;
    /// 77100007: and the item is made again before that.
    @Test(arguments: [905_000_168, 77_100_007] as [UInt64])
    func `a growing world with an emptied server keeps every promise`(seed: UInt64) throws {
        #expect(try World.run(seed: seed, settings: Self.growing(empties: 0.02)).failure == nil)
    }

    /// - 906000023: a deletion that was made after the end of its generation goes up again.
    /// - 700021025: as 940100245 above.
    /// - 62000196: an item is deleted, the server goes back, and a device edits an older secret of
    ///   the item; a third device has the newer one, and not the deletion.
    @Test(arguments: [906_000_023, 700_021_025, 62_000_196] as [UInt64])
    func `a world with a moved server keeps every promise`(seed: UInt64) throws {
        var settings = Self.losing(restores: 0.05)
        settings.moveProbability = 0.1
        #expect(try World.run(seed: seed, settings: settings).failure == nil)
    }

    /// - 909000054: an item is changed while its deletion is a question, and the server removes the
    ///   deletion.
    /// - 909100103: a user deletes an item that is a question, and keeps the others.
    /// - 700035006: a device sends a batch again whose records the server has removed since.
    @Test(arguments: [909_000_054, 909_100_103, 700_035_006] as [UInt64])
    func `a world with swept and silent devices keeps every promise`(seed: UInt64) throws {
        var settings = WorldSettings()
        settings.deviceCount = 3
        settings.steps = 60
        settings.itemCount = 45
        settings.sweepProbability = 0.08
        settings.silentProbability = 0.08
        settings.removalProbability = 0.4
        #expect(try World.run(seed: seed, settings: settings).failure == nil)
    }
}
