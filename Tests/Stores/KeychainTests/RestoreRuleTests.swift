import KSKeychain
import Testing

/// The version that a restore keeps, and its reference.
struct RestoreRuleTests {
    private let source: Fixture
    private let target: Fixture

    init() throws {
        source = try Fixture(seed: 1)
        target = try Fixture(seed: 2)
    }

    private func restore() throws -> [RestoredItem] {
        try target.keychain.restore(try source.keychain.backup())
    }

    private var found: Item {
        get throws { try #require(try target.find(target.query("a")).first) }
    }

    @Test(arguments: [("one", "two"), ("two", "one")])
    func `of two versions with one time the smaller digest wins`(
        there: String,
        here: String
    ) throws {
        let theirs = try source.add("a", secret: there)
        let ours = try target.add("a", secret: here)
        #expect(
            theirs.attributes[.modificationDate] == ours.attributes[.modificationDate]
        )
        let theirsWins = ItemDigest.of(theirs).lexicographicallyPrecedes(ItemDigest.of(ours))
        #expect(try restore() == [theirsWins ? .replaced : .newerHere])
        #expect(try found.secretText == (theirsWins ? there : here))
    }

    @Test
    func `a replaced item takes the reference of the backup's item`() throws {
        let before = try target.add("a", secret: "here")
        source.clock.seconds += 10
        let theirs = try source.add("a", secret: "there")
        #expect(theirs.persistentReference != before.persistentReference)
        #expect(try restore() == [.replaced])
        let after = try found
        #expect(after.secretText == "there")
        #expect(after.persistentReference == theirs.persistentReference)
        #expect(try target.count("genp") == 1)
    }

    @Test
    func `an item that stays keeps its own reference`() throws {
        try source.add("a", secret: "there")
        target.clock.seconds += 10
        let ours = try target.add("a", secret: "here")
        #expect(try restore() == [.newerHere])
        #expect(try found.persistentReference == ours.persistentReference)
    }
}
