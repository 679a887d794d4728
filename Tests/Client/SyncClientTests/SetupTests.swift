import KSDaemon
import KSSyncClient
import Testing

/// How `setup` reads answers, and what it shows at the end.
struct SetupTests {
    @Test
    func `a way is chosen by its number or its word`() throws {
        #expect(try SetupWay(answer: "1") == .new)
        #expect(try SetupWay(answer: "3") == .local)
        #expect(try SetupWay(answer: "Login") == .login)
        for answer in ["", "0", "4", "-1", "one"] {
            let failure = #expect(throws: CommandFailure.self) { try SetupWay(answer: answer) }
            #expect(failure?.sentence == "Type 1, 2 or 3.")
        }
    }

    @Test
    func `a pin is accepted by a clear yes, or when it is pasted`() {
        let pin = "sha256//" + String(repeating: "B", count: 42) + "E="
        let other = "sha256//" + String(repeating: "B", count: 42) + "A="
        for answer in ["yes", " Y ", pin, " \(pin) "] {
            #expect(PinAnswer(answer, shown: pin) == .isSame)
        }
        for answer in ["no", "N", other] {
            #expect(PinAnswer(answer, shown: pin) == .isOther)
        }
        for answer in ["sha256//", pin.lowercased(), String(pin.dropLast())] {
            #expect(PinAnswer(answer, shown: pin) == .isMalformed)
        }
        for answer in ["", "ok", "yes please", "BBBB"] {
            #expect(PinAnswer(answer, shown: pin) == .isUnclear)
        }
    }

    @Test
    func `three commands that fit are shown`() {
        for way in SetupWay.allCases {
            let lines = way.nextCommands(kit: "kit.txt")
            #expect(lines.prefix(2) == ["", "Next:"] && lines.count == 5, "\(lines)")
        }
        let new = SetupWay.new.nextCommands(kit: "kit.txt", home: "a\u{1B}b")
        #expect(new[4] == "  sync-client setup login  on your next device, with kit.txt")
        #expect(new.last == "Each of them on this device with --home a\\u{1b}b.")
    }
}
