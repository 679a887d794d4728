import Testing

import Simulation

/// Stories that are searched for breaches of invariants.
struct ExploringTests {
    private let devices = ["laptop", "phone", "tablet"]

    /// An app that keeps a list, where somebody replaces the whole value.
    private static let noLoss = StoryInvariant.atRest("the first entry stays") { story in
        guard case let shown? = try story["laptop"].keyValues.value("todo") else { return false }
        return shown.description.contains("milk")
    }

    @Test
    func `an invariant that stories break is shown in the shortest one`() throws {
        let found = try Story.explore(
            devices: devices,
            beginning: ["laptop kv append todo milk", "sync"],
            actions: [
                "DEVICE kv append todo VALUE": 3, "DEVICE kv remove-element todo 0": 1,
                "DEVICE offline": 1, "DEVICE online": 1, "sync": 1,
            ],
            invariants: [.agreement, Self.noLoss]
        )
        let finding = try #require(found)
        #expect(finding.breach == "the first entry stays: does not hold")
        // The device, its beginning, one removal, and what brings all to rest.
        #expect(finding.lines.count == 5, "\(finding)")
        #expect(finding.lines[3].hasSuffix(" kv remove-element todo 0"))
        #expect(finding.file.hasPrefix("# seed \(finding.seed): the first entry stays"))
        #expect(finding.swift.contains(".keyValues.removeElement(0, of: \"todo\")\n"))
        // The file repeats it.
        let outcome = try StoryFile(parsing: finding.file + "expect agreement\n").run()
        #expect(outcome.isKept)
    }

    @Test
    func `invariants that hold are not broken by any seed`() throws {
        let found = try Story.explore(
            devices: devices,
            beginning: ["laptop add mail first", "sync"],
            actions: [
                "DEVICE set mail FIELD VALUE": 3, "DEVICE kv increment visits NUMBER": 2,
                "DEVICE offline": 1, "DEVICE lossy PERCENT": 1, "DEVICE online": 1,
                "DEVICE lock": 0.5, "DEVICE unlock": 0.5, "DEVICE kill": 0.3, "DEVICE start": 0.5,
                "advance DURATION": 1, "sync": 1,
            ],
            steps: 15,
            seeds: 1...8,
            invariants: [
                .agreement, .always("the mail is there") { try $0["laptop"].shows("mail") },
            ]
        )
        #expect(found == nil, "\(String(describing: found))")
    }

    @Test
    func `a planted bug is found and shrunk`() throws {
        let found = try Story.explore(
            devices: ["laptop", "phone"],
            beginning: ["laptop add mail first", "sync"],
            actions: [
                "DEVICE set mail password VALUE": 3, "DEVICE delete mail": 1, "sync": 1,
            ],
            steps: 12,
            seeds: 1...20,
            invariants: [.agreement],
            bug: .forgetsTombstones
        )
        let finding = try #require(found)
        #expect(finding.breach.hasPrefix("agreement: phone shows something else than laptop"))
        // One of them deletes it, and all sync.
        #expect(finding.lines.count == 5, "\(finding)")
    }

    @Test
    func `an action that is no line is said with its mistake`() throws {
        let error = #expect(throws: StorySyntaxError.self) {
            try Story.explore(devices: ["laptop"], actions: ["DEVICE flies": 1])
        }
        #expect(try #require(error).message.hasPrefix("laptop flies: expected a word such as"))
    }

    // MARK: Every small case

    @Test
    func `every story of three devices and one item agrees`() throws {
        let (found, count) = try Story.exploreAll(
            devices: devices,
            beginning: ["laptop add mail first", "sync"],
            actions: [
                "DEVICE set mail password VALUE", "DEVICE delete mail", "DEVICE offline", "sync",
            ],
            length: 2,
            invariants: [.agreement],
            bug: nil
        )
        #expect(found == nil, "\(String(describing: found))")
        // 7 of one line: the tablet is like the phone. After them, also the third device.
        #expect(count > 40 && count < 100, "\(count)")
    }

    @Test
    func `the shortest story of all with a planted bug is found`() throws {
        let (found, _) = try Story.exploreAll(
            devices: ["laptop", "phone"],
            beginning: ["laptop add mail first", "sync"],
            actions: ["sync", "DEVICE set mail password VALUE", "DEVICE delete mail"],
            length: 3,
            invariants: [.agreement],
            bug: .forgetsTombstones
        )
        let lines = ["devices laptop phone", "laptop add mail first", "sync", "laptop delete mail"]
        #expect(try #require(found).lines == lines + ["sync"], "\(String(describing: found))")
    }

    // MARK: Shrinking

    @Test
    func `no element of a shrunk list can be left out`() {
        var count = 0
        let left = shrunk(Array(1...100)) { part in
            count += 1
            return part.contains(17) && part.contains(64) && part.contains(65)
        }
        #expect(left == [17, 64, 65])
        #expect(count < 100)
        #expect(shrunk([1, 2, 3]) { _ in true }.isEmpty)
        #expect(shrunk([1, 2, 3]) { $0.count == 3 } == [1, 2, 3])
    }

    // MARK: In Swift

    @Test
    func `every form of a line has a statement`() {
        let forms = Set(StoryForm.all.map(\.pattern))
        #expect(Set(StorySwift.templates.keys) == forms)
    }

    @Test
    func `lines become the statements of a test`() {
        let lines = [
            "devices laptop my-phone", "laptop kv set a {b: [1, 2.5, \"x<KEY>\"]}",
            "my-phone lossy 40", "advance 90s", "laptop clone 2nd", "# note", "2nd lock",
            "expect laptop kv a is nothing", "expect my-phone mail password conflicts a \"b\\n\"",
            "expect laptop unsent because server-away", "expect laptop pause nothing",
        ]
        let expected = """
            let story = try Story(devices: ["laptop", "my-phone"], seed: 7)
            let laptop = try story["laptop"]
            let myPhone = try story["my-phone"]
            try laptop.keyValues.set("a", to: ["b": [1, 2.5, "x<KEY>"]])
            try myPhone.loseMessages(share: 0.4)
            try story.advance(by: .seconds(90))
            let device2nd = try laptop.clone(as: "2nd")
            // # note
            try device2nd.lock()
            #expect(try laptop.keyValues.value("a") == nil)
            #expect(try myPhone.conflicts("password", of: "mail").map(\\.value) == ["a", "b\\n"])
            #expect(try laptop.unsentReason() == .serverAway)
            #expect(try laptop.pauseReason() == nil)
            """
        #expect(StorySwift(seed: 7).text(of: lines).joined(separator: "\n") == expected)
    }
}
