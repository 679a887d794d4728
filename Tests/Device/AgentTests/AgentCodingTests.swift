import KSAgent
import Testing
import KSTestSupport

/// Programs and the daemon pass messages that are read strictly.
@Suite(.timeLimit(.minutes(10)))
struct AgentCodingTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `every message decodes to what was encoded`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let message = AgentMessage.random(using: &random)
        let frame = try #require(message.frame)
        #expect(try AgentMessage(decoding: Array(frame.dropFirst(4))) == message)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `every truncation is refused`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let contents = Array(try #require(AgentMessage.random(using: &random).frame).dropFirst(4))
        for count in 0..<contents.count {
            #expect(throws: AgentError.self) {
                try AgentMessage(decoding: Array(contents[..<count]))
            }
        }
        #expect(throws: AgentError.self) { try AgentMessage(decoding: contents + [0]) }
    }

    /// Either a changed message is refused or it has this one encoding.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a decoded message encodes to the same bytes`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var contents = Array(try #require(AgentMessage.random(using: &random).frame).dropFirst(4))
        for _ in 0..<20 {
            let index = Int.random(in: contents.indices, using: &random)
            contents[index] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            // A refusal is a good outcome too.
            if let message = try? AgentMessage(decoding: contents) {
                #expect(message.frame.map { Array($0.dropFirst(4)) } == contents, "seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `random bytes are refused`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0..<64, using: &random)
        // Begins with the version and a kind, so that later fields are reached.
        let bytes = [1, UInt8.random(in: 0..<6, using: &random)] + random.bytes(count)
        // A refusal is a good outcome; so are bytes that happen to be a message.
        if let message = try? AgentMessage(decoding: bytes) {
            #expect(message.frame.map { Array($0.dropFirst(4)) } == bytes)
        }
    }

    @Test
    func `keys out of order are refused`() throws {
        let request = AgentRequest(id: 1, call: "c", arguments: ["a": 1, "b": 2])
        var contents = Array(try #require(AgentMessage.request(request).frame).dropFirst(4))
        let index = try #require(contents.lastIndex(of: UInt8(ascii: "b")))
        contents[index] = UInt8(ascii: "a")
        #expect(throws: AgentError.malformedMessage) { try AgentMessage(decoding: contents) }
    }

    @Test
    func `deep nesting is refused instead of exhausting the stack`() throws {
        func nested(_ depth: Int) -> AgentValue {
            (0..<depth).reduce(.null) { inner, _ in .array([inner]) }
        }
        let fine = AgentMessage.reply(id: 1, .result(nested(32)))
        #expect(try AgentMessage(decoding: Array(try #require(fine.frame).dropFirst(4))) == fine)
        let deep = Array(
            try #require(AgentMessage.reply(id: 1, .result(nested(33))).frame).dropFirst(4)
        )
        #expect(throws: AgentError.malformedMessage) { try AgentMessage(decoding: deep) }
        let bomb = deep[..<10] + Array(repeating: [8, 0, 0, 0, 1], count: 200_000).joined()
        #expect(throws: AgentError.malformedMessage) { try AgentMessage(decoding: Array(bomb)) }
    }

    @Test
    func `a request with too many values is refused, an answer is not`() throws {
        let values = AgentValue.array(Array(repeating: .null, count: 1_000_000))
        let request = AgentMessage.request(AgentRequest(id: 1, call: "c", arguments: ["a": values]))
        let reply = AgentMessage.reply(id: 1, .result(values))
        #expect(throws: AgentError.malformedMessage) {
            try AgentMessage(decoding: Array(try #require(request.frame).dropFirst(4)))
        }
        #expect(try AgentMessage(decoding: Array(try #require(reply.frame).dropFirst(4))) == reply)
    }

    @Test
    func `another version is not reported as malformed bytes`() {
        #expect(throws: AgentError.otherVersion(2)) { try AgentMessage(decoding: [2, 1, 0]) }
    }

    /// The bytes of version 1 never change: a daemon of any version must be able to report
    /// "other version".
    @Test
    func `the encoding is frozen`() {
        let request = AgentRequest(
            id: 7,
            call: "x",
            arguments: ["b": true, "a": [.null, "é", -1]]
        )
        let expected: [UInt8] =
            [0, 0, 0, 58, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0x78, 0, 0, 0, 2]
            + [0, 0, 0, 1, 0x61, 8, 0, 0, 0, 3, 0, 6, 0, 0, 0, 2, 0xC3, 0xA9]
            + [3, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 1, 0x62, 2]
        #expect(
            AgentMessage.request(request).frame == [0, 0, 0, UInt8(expected.count - 4)]
                + expected.dropFirst(4)
        )
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `frames are found wherever the stream is split`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let messages = (0..<5).map { _ in AgentMessage.random(using: &random) }
        var stream = messages.flatMap { $0.frame ?? [] }[...]
        var parser = AgentFrameParser()
        var found: [AgentMessage] = []
        while !stream.isEmpty {
            let count = Int.random(in: 1...min(40, stream.count), using: &random)
            parser.receive(stream.prefix(count))
            stream = stream.dropFirst(count)
            while let contents = try parser.next() {
                found.append(try AgentMessage(decoding: contents))
            }
        }
        #expect(found == messages)
        #expect(parser.pendingBytes == 0)
    }

    @Test
    func `a frame that is too long is refused by its length alone`() {
        var parser = AgentFrameParser()
        parser.receive([0x04, 0x00, 0x00, 0x01])
        #expect(throws: AgentError.messageTooLarge) { try parser.next() }
        let request = AgentRequest(
            id: 1,
            call: "c",
            arguments: ["d": .data([UInt8](repeating: 0, count: AgentMessage.bytesMax))]
        )
        #expect(AgentMessage.request(request).frame == nil)
        #expect(AgentError.messageTooLarge.status == -25302)
    }

    @Test
    func `a dictionary keeps its order and compares keys by their bytes`() {
        var dictionary: AgentDictionary = ["b": 1, "a": 2, "b": 3]
        #expect(dictionary.entries.map(\.key) == ["a", "b"])
        #expect(dictionary["b"] == 3)
        dictionary["e\u{301}"] = 4
        dictionary["é"] = 5
        #expect(dictionary.count == 4)
        dictionary["a"] = nil
        #expect(dictionary["a"] == nil)
        #expect(dictionary.count == 3)
    }
}

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    mutating func text() -> String {
        let letters = Array("ab é\u{0}😀\n")
        return String(
            (0..<Int.random(in: 0..<5, using: &self)).map { _ in
                letters[Int.random(in: letters.indices, using: &self)]
            }
        )
    }
}

extension AgentMessage {
    static func random(using random: inout SeededGenerator) -> AgentMessage {
        let id = random.next()
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return .request(
                AgentRequest(id: id, call: random.text(), arguments: .random(3, using: &random))
            )
        case 1:
            return .progress(
                id: id,
                AgentProgress(
                    done: random.next(),
                    total: random.next(),
                    text: random.text(),
                    details: .random(2, using: &random)
                )
            )
        case 2: return .reply(id: id, .result(.random(3, using: &random)))
        default:
            let code = Int32(truncatingIfNeeded: random.next())
            return .reply(
                id: id,
                .failure(AgentFailure(code: code, status: random.text(), hint: random.text()))
            )
        }
    }
}

extension AgentDictionary {
    static func random(_ depth: Int, using random: inout SeededGenerator) -> AgentDictionary {
        var dictionary: AgentDictionary = [:]
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            dictionary[random.text()] = .random(depth - 1, using: &random)
        }
        return dictionary
    }
}

extension AgentValue {
    static func random(_ depth: Int, using random: inout SeededGenerator) -> AgentValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .integer(Int64(bitPattern: random.next()))
        case 3: .double(Double.random(in: -1e9...1e9, using: &random))
        case 4: .date(Double.random(in: 0...1e9, using: &random))
        case 5: .string(random.text())
        case 6: .data(random.bytes(Int.random(in: 0..<6, using: &random)))
        case 7:
            .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    .random(depth - 1, using: &random)
                }
            )
        default: .dictionary(.random(depth, using: &random))
        }
    }
}
