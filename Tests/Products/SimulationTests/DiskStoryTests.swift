import KSTestSupport
import Simulation
import Testing

/// Disks whose power fails in the middle of a write, and full disks.
struct DiskStoryTests {
    /// Deep in a batch, in a page, and behind all that a story of one edit writes.
    private static let writesMax = isThorough ? 60 : 30

    private static func story(seed: UInt64 = 1) throws -> (Story, Story.Device, Story.Device) {
        let story = try Story(devices: ["laptop", "phone"], seed: seed)
        let (laptop, phone) = (try story["laptop"], try story["phone"])
        try laptop.add("mail", password: "first")
        try laptop.keyValues.increment("count")
        try story.sync()
        return (story, laptop, phone)
    }

    // MARK: Power failures

    /// At each write of the edit, and of the sync that follows.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a device whose power fails keeps what it said was done, and syncs`(
        seed: UInt64
    ) throws {
        var answers: Set<StoryAnswer> = []
        var values: Set<String?> = []
        for count in 1...Self.writesMax {
            let (story, laptop, phone) = try Self.story(seed: seed)
            try laptop.crash(atWrite: count)
            do {
                try laptop.set("password", of: "mail", to: "second")
                #expect(laptop.lastAnswer == .done)
            } catch StoryError.powerFailed(device: "laptop") {
                #expect(laptop.lastAnswer == .nothing)
            }
            answers.insert(laptop.lastAnswer)
            let value = try laptop.value(of: "mail")
            if laptop.lastAnswer == .done { #expect(value == "second") }
            values.insert(value)
            // The power may fail in this one.
            try? laptop.keyValues.increment("count")
            let counted = try laptop.keyValues.value("count")
            try story.sync()
            #expect(try phone.value(of: "mail") == value, "write \(count)")
            #expect(try phone.keyValues.value("count") == counted, "write \(count)")
            #expect(try story.difference() == nil)
            #expect(try laptop.unsentReason() == nil)
        }
        #expect(answers == [.done, .nothing])
        // A commit that was not reported may be there or not.
        #expect(values == ["first", "second"])
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a device whose power fails while it pulls has everything in the end`(
        seed: UInt64
    ) throws {
        for count in 1...Self.writesMax {
            let (story, laptop, phone) = try Self.story(seed: seed)
            for number in 1...5 { try laptop.add("site\(number)", password: "x") }
            try phone.crash(atWrite: count)
            try story.sync()
            #expect(try phone.items().count == 6, "write \(count)")
            #expect(try story.difference() == nil)
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a server whose power fails keeps what it accepted, and nothing goes there twice`(
        seed: UInt64
    ) throws {
        for count in 1...Self.writesMax {
            let (story, laptop, phone) = try Self.story(seed: seed)
            try story.server.crash(atWrite: count)
            try laptop.set("password", of: "mail", to: "second")
            for device in [laptop, phone] { try device.keyValues.increment("count") }
            try story.sync()
            #expect(try phone.value(of: "mail") == "second", "write \(count)")
            #expect(try laptop.keyValues.value("count") == 3, "write \(count)")
            #expect(try laptop.conflicts(of: "mail").isEmpty)
            #expect(try story.difference() == nil)
            #expect(try laptop.pauseReason() == nil)
        }
    }

    @Test
    func `a revocation survives a power failure of the server`() throws {
        for count in 1...12 {
            let (story, laptop, phone) = try Self.story()
            try story.server.crash(atWrite: count)
            try laptop.revoke(phone)
            try laptop.set("password", of: "mail", to: "second")
            try phone.set("note", of: "mail", to: "x")
            try story.sync()
            #expect(try phone.value(of: "mail") == "first")
            #expect(try phone.unsentReason() == .revoked)
            #expect(try laptop.unsentReason() == nil)
        }
    }

    @Test
    func `a crash at a write that never comes is no mistake, and one at write 0 is`() throws {
        let (story, laptop, _) = try Self.story()
        try laptop.crash(atWrite: 100_000)
        try laptop.set("password", of: "mail", to: "second")
        try story.sync()
        #expect(throws: StoryError.refused("writes are counted from 1; give a number above 0")) {
            try laptop.crash(atWrite: 0)
        }
        #expect(throws: StoryError.self) { try story.server.crash(atWrite: -1) }
    }

    // MARK: Full disks

    @Test
    func `a device with a full disk changes nothing, and syncs once there is room`() throws {
        let (story, laptop, phone) = try Self.story()
        try laptop.goOffline()
        try laptop.set("note", of: "mail", to: "unsent")
        try laptop.fillDisk()
        try laptop.goOnline()
        let full = StoryError.diskFull(device: "laptop")
        #expect(throws: full) { try laptop.set("password", of: "mail", to: "lost") }
        #expect(laptop.lastAnswer == .diskFull)
        #expect(throws: full) { try laptop.add("shop", password: "lost") }
        #expect(throws: full) { try laptop.delete("mail") }
        #expect(throws: full) { try laptop.keyValues.set("theme", to: "dark") }
        #expect(throws: full) { try laptop.leave(keepingItems: true) }
        #expect(
            full.description == "laptop: The disk is full: free some space and try again;"
                + " nothing was changed."
        )
        try phone.set("password", of: "mail", to: "from the phone")
        try story.sync()
        #expect(try laptop.value(of: "mail") == "first")
        #expect(try laptop.unsentReason() == .diskFull)
        #expect(try phone.value("note", of: "mail") == nil)
        // The others do not wait for it.
        #expect(try story.difference() == nil)
        // A day of tries that fail does no harm, and neither does a start.
        try story.advance(by: .seconds(86_400))
        try laptop.kill()
        try laptop.start()

        try laptop.freeDisk()
        #expect(laptop.lastAnswer == .done)
        try story.sync()
        for device in [laptop, phone] {
            #expect(try device.value(of: "mail") == "from the phone")
            #expect(try device.value("note", of: "mail") == "unsent")
            #expect(try device.items() == ["mail"])
        }
        #expect(try laptop.unsentReason() == nil)
    }

    @Test
    func `a server with a full disk takes no write, and shows what it has`() throws {
        let (story, laptop, phone) = try Self.story()
        try phone.goOffline()
        try laptop.set("password", of: "mail", to: "second")
        try story.sync()
        story.server.fillDisk()
        try phone.goOnline()
        try laptop.set("note", of: "mail", to: "unsent")
        try story.sync()
        #expect(try laptop.unsentReason() == .serverFull)
        #expect(try laptop.unsentCount() == 1)
        #expect(try phone.value(of: "mail") == "second")
        #expect(try phone.value("note", of: "mail") == nil)
        let full = StoryError.diskFull(device: nil)
        #expect(throws: full) { try story.join("tablet") }
        #expect(throws: full) { try story.server.empty() }
        #expect(throws: full) { try story.server.removeDeleted() }
        // Devices try again by themselves.
        try story.advance(by: .seconds(3600))
        #expect(try laptop.unsentReason() == .serverFull)
        story.server.freeDisk()
        try story.advance(by: .seconds(120))
        #expect(try phone.value("note", of: "mail") == "unsent")
        #expect(try laptop.unsentReason() == nil)
    }

    @Test
    func `power fails on a full disk too`() throws {
        let (story, laptop, phone) = try Self.story()
        try laptop.crash(atWrite: 2)
        try laptop.fillDisk()
        // A refused write does not count.
        #expect(throws: StoryError.self) { try laptop.set("note", of: "mail", to: "x") }
        try laptop.freeDisk()
        #expect(throws: StoryError.powerFailed(device: "laptop")) {
            for number in 1...9 { try laptop.set("note", of: "mail", to: "\(number)") }
        }
        try story.sync()
        #expect(try laptop.value("note", of: "mail") == phone.value("note", of: "mail"))
    }

    // MARK: Files

    @Test
    func `a refused line of a file is reported, and the story goes on`() throws {
        let file = try StoryFile(
            parsing: """
                devices laptop phone
                laptop add mail first
                laptop disk-full
                laptop set mail password second
                expect laptop answered disk-full
                laptop disk-free
                expect laptop answered done
                laptop crash-at-write 1
                laptop set mail password third
                expect laptop answered done
                sync
                expect agreement
                """
        )
        let outcome = try file.run()
        #expect(outcome.mistake == nil)
        #expect(outcome.failures.map(\.line) == [10])
        #expect(outcome.failures.map(\.shown) == ["nothing"])
        #expect(
            outcome.shown == [
                "laptop: The disk is full: free some space and try again; nothing was changed.",
                "laptop: no answer, since its power failed; the change is there, or it is not",
            ]
        )
    }

    @Test
    func `a recorded story has what a disk made of it`() throws {
        let recorder = try StoryRecorder()
        for line in ["devices laptop phone", "laptop add mail first", "sync", "laptop disk-full"] {
            guard case .done = try recorder.add(line) else {
                Issue.record("\(line)")
                return
            }
        }
        #expect(
            try recorder.add("laptop set mail password second")
                == .done(
                    news: [
                        "laptop: The disk is full: free some space and try again; nothing was"
                            + " changed."
                    ]
                )
        )
        let file = try recorder.file()
        #expect(file.contains("expect laptop answered disk-full\n"), "\(file)")
        #expect(file.contains("expect laptop mail password is \"first\"\n"))
        #expect(try StoryFile(parsing: file).run().isKept)
    }

    /// What a random story prints has to compile and run, although its user is refused something.
    @Test
    func `lines that a disk refuses do not end a story in Swift`() {
        let text = StorySwift(seed: 1).text(
            of: [
                "devices laptop phone", "laptop disk-full", "laptop add mail x",
                "phone add shop y", "laptop disk-free", "laptop add mail x",
                "expect laptop answered done",
            ]
        )
        #expect(
            text.suffix(6) == [
                "try laptop.fillDisk()", "try? laptop.add(\"mail\", password: \"x\")",
                "try phone.add(\"shop\", password: \"y\")", "try? laptop.freeDisk()",
                "try laptop.add(\"mail\", password: \"x\")",
                "#expect(laptop.lastAnswer == .done)",
            ]
        )
    }
}
