import KSSealing
import KSKeychain
import KSResolution
import Testing

/// Which protection classes let an item leave its device.
struct AccessibilityTests {
    private static let leaving: [(ProtectionClass, Bool)] = [
        (.whenUnlocked, true), (.afterFirstUnlock, true), (.always, true),
        (.whenUnlockedThisDeviceOnly, false), (.afterFirstUnlockThisDeviceOnly, false),
        (.alwaysThisDeviceOnly, false), (.whenPasscodeSetThisDeviceOnly, false),
    ]

    @Test
    func `every protection class has a name of its own`() {
        #expect(Self.leaving.map(\.0) == ProtectionClass.allCases)
        #expect(
            Self.leaving.map(\.0.letters) == ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]
        )
    }

    @Test(arguments: leaving)
    func `an item syncs unless its class binds it to the device`(
        accessibility: ProtectionClass,
        leaves: Bool
    ) throws {
        let fixture = try Fixture()
        let attributes: [AttributeName: AttributeValue] = [
            .accessible: .string(accessibility.letters)
        ]
        let item = try fixture.add("s", sync: true, with: attributes)
        #expect(item.accessibility == accessibility)
        #expect(fixture.recorder.changes == (leaves ? [.added(item)] : []))
        #expect(item.isSynced == leaves)
        // An item that is not synchronizable is never recorded.
        try fixture.add("local", with: attributes)
        #expect(fixture.recorder.changes.count == (leaves ? 1 : 0))
    }

    /// A synchronizable item that may leave the device is in a backup as a record.
    @Test(arguments: leaving)
    func `an item is in a backup unless its class binds it to the device`(
        kind: (accessibility: ProtectionClass, leaves: Bool)
    ) throws {
        let fixture = try Fixture()
        let item = try fixture.add(
            "s",
            with: [.accessible: .string(kind.accessibility.letters)]
        )
        let backup = try fixture.keychain.backup()
        #expect(backup.map(\.item) == (kind.leaves ? [item] : []))
    }
}
