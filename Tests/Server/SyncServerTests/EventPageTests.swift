import KSCausality
import KSRecords
import KSSealing
import SwiftProtobuf
import Testing
import KSWire

import KSSyncServer

/// An event stream carries other devices' writes, if they fit an event.
struct EventPageTests {
    /// An account with two devices; the second one writes.
    private struct World {
        let server: TestServer
        let account: TestAccount
        let epoch: StoreEpoch
        let writer: DeviceIdentity
        let listenerToken: String
        let writerToken: String

        init(_ server: TestServer) async throws {
            self.server = server
            account = try TestAccount()
            epoch = try await server.signUp(account)
            listenerToken = try await server.deviceToken(account)
            writer = DeviceIdentity.random(from: account.random)
            let answer = try await server.putCircle(
                try account.adding(writer),
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(answer.status == 200)
            writerToken = try await server.token(by: .device(writer), account: account.id.bytes)
        }

        /// The writer pushes new records.
        func write(_ count: UInt64 = 1, actor: UInt64) async throws {
            let batch = try account.batch(by: writer, actor: actor, count: count, epoch: epoch)
            #expect(try await server.push(batch, token: writerToken).status == 200)
        }

        /// The answer to a pull.
        func page(after cursor: Cursor? = nil) async throws -> PageAnswer {
            let query = cursor.map { "?after=" + $0.text } ?? ""
            let answer = try await server.get("/v1/changes" + query, token: listenerToken)
            return try PageAnswer(answer.message(WireChangesResponse.self))
        }
    }

    private static func nextEvent(_ stream: EventStream) async throws -> WireEvent {
        let block = try #require(try await stream.nextEvent())
        return try WireEvent(jsonString: String(block.drop { $0 != "{" }))
    }

    @Test
    func `a pull with nothing new is small with 250 actors, until something is new`()
        async throws
    {
        try await withServer { server in
            let world = try await World(server)
            // A member may have a few more open.
            for actor in 1...250 as ClosedRange<UInt64> { try await world.write(actor: actor) }
            var page = try await world.page()
            while page.hasMore { page = try await world.page(after: page.cursor) }
            #expect(page.vector.entries.count == 250)
            let after = page.cursor.text
            func path(known: String) -> String { "/v1/changes?after=\(after)&known=\(known)" }
            func pull(known: String) async throws -> HTTPAnswer {
                try await server.get(path(known: known), token: world.listenerToken)
            }
            let known = Base64URL.encode(page.vector.fingerprint)
            let small = try await pull(known: known)
            let message = try small.message(WireChangesResponse.self)
            #expect(message.vectorKnown && message.vector.isEmpty)
            #expect(path(known: known).utf8.count + small.body.count < 500)
            #expect(try PageAnswer(message, known: page.vector).vector == page.vector)
            for wrong in ["", "AAAA", "*", String(repeating: "A", count: 44)] {
                #expect(try await pull(known: wrong).code == .malformed, "\(wrong)")
            }
            try await world.write(actor: 2000)
            let news = try await pull(known: known).message(WireChangesResponse.self)
            #expect(!news.vectorKnown && news.vector.count == 251 && news.records.count == 1)
        }
    }

    @Test
    func `a write of another device comes with the page that a pull would bring`() async throws {
        try await withServer { server in
            let world = try await World(server)
            let stream = try await EventStream(server: server, token: world.listenerToken)
            #expect(try await Self.nextEvent(stream).announcedPage() == nil)
            var cursor = try await world.page().cursor
            for seq in 1...3 as ClosedRange<UInt64> {
                try await world.write(actor: seq)
                let event = try await Self.nextEvent(stream)
                #expect(event.seq == seq)
                let announced = try #require(try event.announcedPage())
                #expect(announced.after == cursor)
                #expect(announced.page == (try await world.page(after: cursor)))
                #expect(announced.page.records.count == 1)
                cursor = announced.page.cursor
            }
            stream.hangUp()
        }
    }

    @Test
    func `the listener's own write comes without a page, and the next one after it`() async throws {
        try await withServer { server in
            let world = try await World(server)
            let stream = try await EventStream(server: server, token: world.listenerToken)
            _ = try await Self.nextEvent(stream)
            let own = try world.account.batch(actor: 7, epoch: world.epoch)
            #expect(try await server.push(own, token: world.listenerToken).status == 200)
            let event = try await Self.nextEvent(stream)
            #expect(event.seq == 1 && event.page.isEmpty && !event.hasAfter)
            let cursor = try await world.page().cursor
            try await world.write(actor: 8)
            #expect(try await Self.nextEvent(stream).announcedPage()?.after == cursor)
            stream.hangUp()
        }
    }

    @Test
    func `writes that do not fit an event are only announced, and the next one is shown again`()
        async throws
    {
        try await withServer { server in
            let world = try await World(server)
            let stream = try await EventStream(server: server, token: world.listenerToken)
            _ = try await Self.nextEvent(stream)
            try await world.write(200, actor: 1)
            let event = try await Self.nextEvent(stream)
            #expect(event.seq == 200 && event.page.isEmpty)
            let cursor = try await world.page().cursor
            #expect(cursor.seq == 200)
            try await world.write(actor: 2)
            #expect(try await Self.nextEvent(stream).announcedPage()?.after == cursor)
            stream.hangUp()
        }
    }
}
