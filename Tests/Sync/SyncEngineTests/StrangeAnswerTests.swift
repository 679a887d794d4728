import KSCausality
import Foundation
import KSRecords
import SwiftProtobuf
import KSTestSupport
import Testing
import KSWire

import KSSyncEngine

/// Answers of a dishonest server, with random numbers and bytes.
struct StrangeAnswerTests {
    private static let strangeNumbers: [UInt64] = [
        0, 1, 2, 3, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, .max,
    ]

    private let account: ReplicaAccount
    private let envelopes: [Envelope]

    init() throws {
        account = try ReplicaAccount()
        let writer = try ReplicaHome(account)
        try writer.pull(account.page(to: 0))
        var envelopes: [Envelope] = []
        for (seq, secret) in ["one", "two", "three"].enumerated() {
            try writer.save(seq == 1 ? "bank" : "wifi", secret)
            envelopes += try writer.pushTaken(from: UInt64(seq) + 1).envelopes
        }
        self.envelopes = envelopes
    }

    private func page(_ random: inout SeededGenerator) throws -> WireChangesResponse {
        func strange(_ number: UInt64) -> UInt64 {
            Bool.random(using: &random)
                ? number : Self.strangeNumbers.randomElement(using: &random) ?? number
        }
        var message = WireChangesResponse()
        message.cursor = WireCursor(account.cursor(3))
        message.cursor.seq = strange(3)
        message.more = Bool.random(using: &random)
        message.circleVersion = strange(1)
        message.records = envelopes.enumerated().map { seq, envelope in
            var record = WireRecord()
            record.recordID = Data(envelope.recordID.bytes)
            record.seq = strange(UInt64(seq) + 1)
            var sibling = WireEnvelope(envelope)
            sibling.format = strange(sibling.format)
            sibling.generation = strange(sibling.generation)
            sibling.dot.counter = strange(sibling.dot.counter)
            sibling.replaced = sibling.replaced.map { dot in
                var dot = dot
                dot.counter = strange(dot.counter)
                return dot
            }
            record.siblings = [sibling]
            return record
        }
        message.vector = envelopes.map { envelope in
            var entry = WireVectorEntry()
            entry.actor = strange(envelope.dot.actor.rawValue)
            entry.counter = strange(3)
            return entry
        }
        return message
    }

    /// The message with some bytes changed, as long as it can still be read.
    private func damaged<Message: SwiftProtobuf.Message>(
        _ message: Message,
        _ random: inout SeededGenerator
    ) throws -> Message? {
        var bytes: [UInt8] = try message.serializedBytes()
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            let index = bytes.indices.randomElement(using: &random) ?? 0
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        // Unreadable messages are refused earlier.
        return try? Message(serializedBytes: bytes)
    }

    @Test(arguments: (0..<4).map { $0 * 60 } as [UInt64])
    func `a page with random numbers is applied or refused`(first: UInt64) throws {
        for seed in first..<first + 60 {
            var random = SeededGenerator(seed: seed)
            let home = try ReplicaHome(account)
            for _ in 0..<3 {
                guard case .send(let request) = try home.replica.nextRequest() else { break }
                var answer = SyncAnswer.failed
                if let message = try damaged(page(&random), &random) {
                    // As the engine does with an answer that contradicts itself.
                    answer = (try? .page(PageAnswer(message))) ?? .failed
                }
                try home.replica.receive(
                    answer,
                    to: request,
                    serverMilliseconds: Self.strangeNumbers.randomElement(using: &random)
                )
                home.clock.advance(seconds: 100)
                try home.save("mail", "\(seed)")
            }
        }
    }

    @Test(arguments: (0..<2).map { $0 * 60 } as [UInt64])
    func `a push answer with random numbers is applied or refused`(first: UInt64) throws {
        for seed in first..<first + 60 {
            var random = SeededGenerator(seed: seed)
            let home = try ReplicaHome(account)
            try home.pull(account.page(to: 0))
            try home.save("mail", "one")
            let (request, batch) = try home.push()
            var message = WirePushResponse()
            message.cursor = WireCursor(account.cursor(1))
            message.cursor.seq = Self.strangeNumbers.randomElement(using: &random) ?? 1
            message.circleVersion = Self.strangeNumbers.randomElement(using: &random) ?? 1
            message.records = batch.envelopes.map { envelope in
                var record = WirePushedRecord()
                record.seq = Self.strangeNumbers.randomElement(using: &random) ?? 1
                var dot = WireDot(envelope.dot)
                dot.counter = Self.strangeNumbers.randomElement(using: &random) ?? 1
                record.dots = [dot]
                return record
            }
            // As the engine does with an answer that contradicts itself.
            let answer = (try? .pushed(PushAnswer(message))) ?? SyncAnswer.failed
            try home.replica.receive(answer, to: request)
            home.clock.advance(seconds: 100)
            _ = try home.replica.nextRequest()
        }
    }

    @Test
    func `numbers that no database can keep are refused when they are read`() throws {
        var message = WireChangesResponse()
        message.cursor = WireCursor(account.cursor(1))
        _ = try PageAnswer(message)
        message.cursor.seq = 1 << 63
        #expect(throws: WireError.malformed) { try PageAnswer(message) }
        message.cursor.seq = 1
        var entry = WireVectorEntry()
        entry.counter = 1 << 63
        message.vector = [entry]
        #expect(throws: WireError.malformed) { try PageAnswer(message) }
        message.vector = []
        message.records = [WireRecord(.of([envelopes[0]], seq: 1 << 63))]
        #expect(throws: WireError.malformed) { try PageAnswer(message) }
        message.records = [WireRecord(.of([envelopes[0]], seq: 1))]
        message.records[0].siblings[0].dot.counter = 1 << 63
        #expect(throws: WireError.malformed) { try PageAnswer(message) }
    }

    @Test
    func `a page with a record beyond its cursor is refused`() throws {
        let home = try ReplicaHome(account)
        try home.pull(account.page([.of([envelopes[0]], seq: 2)], to: 1))
        #expect(try home.replica.state().cursor == nil)
    }

    @Test
    func `a page that promises more without progress is refused`() throws {
        let home = try ReplicaHome(account)
        try home.pull(account.page(to: 1, hasMore: true))
        let request = try home.next()
        let same = account.page(to: 1, hasMore: true)
        #expect(try !home.replica.receive(.page(same), to: request))
        guard case .waitUntil = try home.replica.nextRequest() else {
            Issue.record("it does not wait")
            return
        }
    }
}
