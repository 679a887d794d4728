internal import Simulation

extension StoryMapping {
    static func expectation(_ line: StoryLine) throws(Unplayable) -> Step {
        let pattern = String(line.pattern.dropFirst("expect ".count))
        if let step = serverExpectation(line, pattern) { return step }
        let device = line.text("DEVICE")
        if let step = keyExpectation(line, pattern) { return step }
        if let step = try itemExpectation(line, pattern) { return step }
        switch pattern {
        case "agreement": return .expect(.agreement, expected: "agreement")
        case "DEVICE unsent NUMBER":
            return .expect(.unsentCount(device: device), expected: "\(line.number())")
        case "DEVICE unsent because REASON":
            let reason = UnsentReason(rawValue: line.text("REASON")) ?? .waiting
            guard reason != .killed else {
                throw Unplayable("a device that does not run answers no question")
            }
            let asksServer = [.serverEmpty, .revoked, .paused, .blocked].contains(reason)
            let question = Question.unsentReason(device: device, asksServer: asksServer)
            return .expect(question, expected: reason.rawValue)
        case "DEVICE pause PAUSE":
            return .expect(.pause(device: device), expected: line.text("PAUSE"))
        default: throw Unplayable("no command of the real programs answers this")
        }
    }

    private static func serverExpectation(_ line: StoryLine, _ pattern: String) -> Step? {
        switch pattern {
        case "server records NUMBER":
            .expect(.records(areDeleted: false), expected: "\(line.number())")
        case "server deleted NUMBER":
            .expect(.records(areDeleted: true), expected: "\(line.number())")
        case "server cannot-read TEXT":
            .expect(.canRead(line.text("TEXT")), expected: Answers.nothingReadable)
        default: nil
        }
    }

    private static func keyExpectation(_ line: StoryLine, _ pattern: String) -> Step? {
        let (device, key) = (line.text("DEVICE"), line.text("KEY"))
        let expected = Answers.text(line.expected)
        switch pattern {
        case "DEVICE kv KEY is VALUE":
            let shown = Answers.text(Array(line.expected.prefix(1)))
            return .expect(.value(device: device, key: key), expected: shown)
        case "DEVICE kv KEY conflicts VALUE...":
            return .expect(.conflicts(device: device, key: key), expected: expected)
        case "DEVICE kv KEY history VALUE...":
            return .expect(.history(device: device, key: key), expected: expected)
        case "DEVICE kv KEY by OTHER":
            return .expect(.writer(device: device, key: key), expected: line.text("OTHER"))
        default: return nil
        }
    }

    private static func itemExpectation(
        _ line: StoryLine,
        _ pattern: String
    ) throws(Unplayable) -> Step? {
        let (device, item) = (line.text("DEVICE"), line.text("ITEM"))
        let field = line.text("FIELD")
        let expected = Answers.text(line.expectedTexts)
        switch pattern {
        case "DEVICE shows ITEM":
            return .expect(.shows(device: device, item: item), expected: item)
        case "DEVICE lacks ITEM":
            return .expect(.lacks(device: device, item: item), expected: "no \(item)")
        case "DEVICE ITEM FIELD is VALUE":
            let question = Question.fieldValue(device: device, item: item, field: field)
            return .expect(question, expected: Answers.text(Array(line.expectedTexts.prefix(1))))
        case "DEVICE ITEM FIELD conflicts VALUE...":
            let question = Question.fieldConflicts(device: device, item: item, field: field)
            return .expect(question, expected: expected)
        case "DEVICE ITEM FIELD history VALUE...":
            let question = Question.fieldHistory(device: device, item: item, field: field)
            return .expect(question, expected: expected)
        case "DEVICE ITEM FIELD by OTHER":
            guard field == "password" else {
                throw Unplayable("no command says which device set a \(field), only a password")
            }
            let question = Question.passwordWriter(device: device, item: item)
            return .expect(question, expected: line.text("OTHER"))
        case "DEVICE deleted-elsewhere ITEM":
            let question = Question.isDeletedElsewhere(device: device, item: item)
            return .expect(question, expected: Answers.deletedElsewhere)
        default: return nil
        }
    }
}
