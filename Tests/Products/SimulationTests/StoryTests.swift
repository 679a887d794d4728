import Simulation
import Testing

/// Stories in Swift, as somebody tests an app with them.
struct StoryTests {
    private let story: Story
    private let laptop: Story.Device
    private let phone: Story.Device

    init() throws {
        story = try Story(devices: ["laptop", "phone"])
        (laptop, phone) = (try story["laptop"], try story["phone"])
        try laptop.add("ann@mail", password: "first")
        try story.sync()
    }

    @Test
    func `an edit on both devices is a conflict until somebody sets the field again`() throws {
        try laptop.set("password", of: "mail", to: "from the laptop")
        try phone.set("password", of: "mail", to: "from the phone")
        try story.sync()
        for device in [laptop, phone] {
            #expect(try device.value(of: "mail") == "from the phone")
            #expect(try device.writer(of: "mail") == "phone")
            #expect(
                try device.conflicts(of: "mail") == [
                    StoryVersion(value: "from the laptop", device: "laptop")
                ]
            )
            #expect(try device.history(of: "mail").map(\.value) == ["first"])
        }
        try laptop.set("password", of: "mail", to: "third")
        try story.sync()
        #expect(try phone.conflicts(of: "mail").isEmpty)
        #expect(try story.difference() == nil)
    }

    /// Time passes and messages travel only where the story says so.
    @Test
    func `nothing arrives between two lines`() throws {
        try laptop.keyValues.set("theme", to: "dark")
        try laptop.keyValues.set("sizes", to: ["small": 1, "large": [2.5, true]])
        #expect(try phone.keyValues.value("theme") == nil)
        #expect(try laptop.unsentReason() == .waiting)
        try story.advance(by: .seconds(5))
        #expect(try phone.keyValues.value("theme") == "dark")
        #expect(try phone.keyValues.value("sizes") == ["small": 1, "large": [2.5, true]])
        #expect(try laptop.unsentReason() == nil)
        #expect(try phone.keyValues.keys() == ["sizes", "theme"])
    }

    @Test
    func `a device says why its changes are not on the server`() throws {
        try laptop.goOffline()
        try laptop.set("note", of: "mail", to: "x")
        #expect(try laptop.unsentCount() == 1)
        #expect(try laptop.unsentReason() == .offline)
        try laptop.goOnline()
        story.server.goAway()
        #expect(try laptop.unsentReason() == .serverAway)
        try story.server.comeBack()
        try story.sync()
        #expect(try laptop.unsentReason() == nil)
        try laptop.loseAnswers()
        try laptop.set("note", of: "mail", to: "y")
        try story.advance(by: .seconds(5))
        // The server has it, and the laptop does not know.
        #expect(try phone.value("note", of: "mail") == "y")
        #expect(try laptop.unsentReason() == .oneWay)
        try laptop.goOnline()
        try laptop.kill()
        #expect(try laptop.unsentReason() == .killed)
        try laptop.start()
        try story.sync()
        #expect(try laptop.unsentCount() == 0)
    }

    @Test
    func `a locked device sends what was sealed, and nothing else`() throws {
        try laptop.set("note", of: "mail", to: "x")
        try laptop.lock()
        #expect(laptop.isLocked)
        #expect(throws: StoryError.locked(device: "laptop")) { try laptop.value(of: "mail") }
        try story.sync()
        try laptop.unlock()
        try story.sync()
        #expect(try phone.value("note", of: "mail") == "x")
        #expect(try laptop.value("note", of: "mail") == "x")
    }

    @Test
    func `the same seed goes the same way, and another one does not`() throws {
        func hash(seed: UInt64) throws -> String {
            let story = try Story(devices: ["a", "b"], seed: seed)
            try story["a"].add("mail", password: "x")
            try story.sync()
            return story.traceHash
        }
        #expect(try hash(seed: 5) == hash(seed: 5))
        #expect(try hash(seed: 5) != hash(seed: 6))
    }

    // MARK: Mistakes

    @Test
    func `devices have names, and not too many`() throws {
        #expect(throws: StoryError.noDevice("tablet", known: ["laptop", "phone"])) {
            try story["tablet"]
        }
        #expect(throws: StoryError.deviceExists("phone")) { try story.join("phone") }
        #expect(throws: StoryError.wrongName("my phone")) { try story.addDevices(["my phone"]) }
        #expect(throws: StoryError.wrongName("server")) { try story.join("server") }
        #expect(throws: StoryError.wrongName("")) { try laptop.clone(as: "") }
        try story.addDevices((3...Story.membersMax).map { "d\($0)" })
        #expect(throws: StoryError.tooManyDevices("devices", max: Story.membersMax)) {
            try story.addDevices(["more"])
        }
        for number in 1...Story.joinersMax { try story.join("j\(number)") }
        #expect(throws: StoryError.tooManyDevices("devices that join", max: Story.joinersMax)) {
            try story.join("more")
        }
        try story.sync()
        #expect(try story["j3"].value(of: "mail") == "first")
    }

    @Test
    func `an item that is not there, or twice, is said`() throws {
        #expect(throws: StoryError.noItem("bank", device: "phone", shown: ["ann@mail"])) {
            try phone.delete("bank")
        }
        #expect(throws: StoryError.itemExists("ann@mail", device: "laptop")) {
            try laptop.add("ann@mail", password: "x")
        }
        try laptop.add("bob@mail", password: "other")
        #expect(
            throws: StoryError.severalItems(
                "mail",
                device: "laptop",
                shown: ["ann@mail", "bob@mail"]
            )
        ) { try laptop.value(of: "mail") }
        #expect(try laptop.value(of: "bob@mail") == "other")
        #expect(throws: StoryError.itemExists("bob@mail", device: "laptop")) {
            try laptop.set("user", of: "ann@mail", to: "bob")
        }
        #expect(throws: StoryError.notDeleted("bank", device: "laptop")) {
            try laptop.restore("bank")
        }
    }

    @Test
    func `what the stores refuse is said in their words`() throws {
        try laptop.keyValues.increment("visits")
        #expect(throws: StoryError.refused("The key is a counter, not a set.")) {
            try laptop.keyValues.add(["x"], to: "visits")
        }
        #expect(throws: StoryError.refused("every item has a password; set it instead")) {
            try laptop.removeField("password", of: "mail")
        }
        let error = #expect(throws: StoryError.self) {
            try laptop.removeField("pin", of: "mail")
        }
        #expect("\(try #require(error))".hasPrefix("the item has no field pin"))
    }

    @Test
    func `a device must be able to do what a story asks of it`() throws {
        #expect(throws: StoryError.noCopy(device: "phone")) { try phone.putDatabaseBack() }
        #expect(throws: StoryError.noCopy(device: nil)) { try story.server.restore() }
        #expect(throws: StoryError.serverIsEmpty(false)) { try story.server.rebuild(from: phone) }
        #expect(throws: StoryError.hasNotLeft(device: "phone")) { try phone.returnToAccount() }
        try phone.kill()
        #expect(throws: StoryError.killed(device: "phone")) { try phone.delete("mail") }
        #expect(throws: StoryError.killed(device: "phone")) { try phone.items() }
        try phone.start()
        try phone.leave(keepingItems: true)
        #expect(throws: StoryError.hasLeft(device: "phone")) { try phone.kill() }
        try phone.returnToAccount()
        try phone.goOffline()
        #expect(throws: StoryError.offline(device: "phone")) { try phone.revoke(laptop) }
        try phone.goOnline()
        try story.sync()
        try laptop.set("note", of: "mail", to: "x")
        try story.advance(by: .milliseconds(1))
        try story.server.empty()
        #expect(throws: StoryError.serverIsEmpty(true)) { try story.join("tablet") }
    }
}
