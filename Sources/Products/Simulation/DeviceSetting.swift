package import KSDigests
package import KSSealing
package import KSSyncEngine

/// What a device keeps when it starts again, and shares with its clones.
package struct DeviceSetting {
    let identity: DeviceIdentity
    let fixture: AccountFixture
    let circles: AccountCircles
    let clock: VirtualClock
    let random: any RandomSource
    let writeBack: WriteBackRule
    var bug: PlantedBug?
    /// The name that other devices show; nil for one name of all devices.
    var deviceName: String?

    package init(
        identity: DeviceIdentity,
        fixture: AccountFixture,
        circles: AccountCircles,
        clock: VirtualClock,
        random: any RandomSource,
        writeBack: WriteBackRule,
        bug: PlantedBug? = nil,
        deviceName: String? = nil
    ) {
        self.identity = identity
        self.fixture = fixture
        self.circles = circles
        self.clock = clock
        self.random = random
        self.writeBack = writeBack
        self.bug = bug
        self.deviceName = deviceName
    }
}
