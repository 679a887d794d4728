import KSRecords
import KSSealing
import Synchronization
import Testing
import KSWire

import KSSyncServer

@Suite(.serialized)
struct WaitingTests {
    /// Waits until somebody listens to the hub, so that no test needs to sleep.
    private static func whenListening(_ server: TestServer, count: Int = 1) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while server.service.hub.listenerCount < count {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private static func whenNobodyListens(_ server: TestServer) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while server.service.hub.listenerCount > 0 {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private static func startCursor(_ server: TestServer, token: String) async throws -> Cursor {
        let answer = try await server.get("/v1/changes?wait=60", token: token)
        return try answer.message(WireChangesResponse.self).cursor.value()
    }

    @Test
    func `a waiting pull is answered by a push, not by the end of its wait`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            for actor in 1...5 as ClosedRange<UInt64> {
                let page = try await server.get("/v1/changes", token: token)
                let cursor = try page.message(WireChangesResponse.self).cursor.value()
                let batch = try account.batch(actor: actor, epoch: epoch)
                let start = ContinuousClock.now
                async let pull = {
                    let answer = try await server.get(
                        "/v1/changes?after=\(cursor.text)&wait=60",
                        token: token
                    )
                    return (answer, ContinuousClock.now)
                }()
                try await Self.whenListening(server)
                #expect(try await server.push(batch, token: token).status == 200)
                let (answer, woken) = try await pull
                #expect(try answer.message(WireChangesResponse.self).records.count == 1)
                // The wait itself ends a minute after the request, at the earliest.
                #expect(woken - start < .seconds(60))
                #expect(server.service.hub.listenerCount == 0)
            }
        }
    }

    @Test
    func `a wait without news ends with an empty page`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let cursor = try await Self.startCursor(server, token: token)
            let start = ContinuousClock.now
            let answer = try await server.get(
                "/v1/changes?after=\(cursor.text)&wait=1",
                token: token
            )
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(answer.status == 200)
            #expect(try answer.message(WireChangesResponse.self).cursor.value() == cursor)
        }
    }

    @Test
    func `waiting pulls and event streams end when the server stops`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let cursor = try await Self.startCursor(server, token: token)
            async let pull = server.get("/v1/changes?after=\(cursor.text)&wait=60", token: token)
            async let events = server.get("/v1/events", token: token)
            try await Self.whenListening(server, count: 2)
            server.service.hub.stop()
            #expect(try await pull.status == 200)
            #expect(try await events.text.hasPrefix("event: changes\n"))
        }
    }

    @Test
    func `an event stream reports the present state, pushes and new members`() async throws {
        try await withServer(options: .init(heartbeat: .milliseconds(100))) { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let stream = try await EventStream(server: server, token: token)
            #expect(stream.head.contains("text/event-stream"))
            #expect(try await stream.next() == #"event: changes data: {"circleVersion":"1"}"#)
            #expect(try await stream.next() == ":")
            #expect(
                try await server.push(try account.batch(epoch: epoch), token: token).status == 200
            )
            let pushed = #"event: changes data: {"seq":"1","circleVersion":"1"}"#
            #expect(try await stream.nextEvent() == pushed)
            let change = try account.adding(DeviceIdentity.random(from: account.random))
            let answer = try await server.putCircle(
                change,
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(answer.status == 200)
            let joined = #"event: circle data: {"seq":"1","circleVersion":"2"}"#
            #expect(try await stream.nextEvent() == joined)
            stream.hangUp()
            try await Self.whenNobodyListens(server)
        }
    }

    @Test
    func `a stream ends when its client hangs up, before the next heartbeat`() async throws {
        try await withServer(options: .init(heartbeat: .seconds(3600))) { server in
            let account = try TestAccount()
            _ = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let stream = try await EventStream(server: server, token: token)
            #expect(try await stream.nextEvent() != nil)
            #expect(server.service.hub.listenerCount == 1)
            stream.hangUp()
            try await Self.whenNobodyListens(server)
        }
    }

    @Test
    func `a device that opens too many streams has to wait, and others need not`() async throws {
        // A heartbeat shows the server which clients have hung up.
        try await withServer(options: .init(heartbeat: .milliseconds(100))) { server in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            try await server.signUp(account)
            try await server.signUp(stranger)
            let token = try await server.deviceToken(account)
            let cursor = try await Self.startCursor(server, token: token)
            var streams: [EventStream] = []
            for _ in 0..<Limits.listenersPerMemberMax {
                streams.append(try await EventStream(server: server, token: token))
            }
            for path in ["/v1/events", "/v1/changes?after=\(cursor.text)&wait=60"] {
                let answer = try await server.get(path, token: token)
                #expect(answer.status == 429 && answer.code == .tooManyRequests)
                #expect(answer.headers["retry-after"] == "1")
            }
            let theirs = try await server.deviceToken(stranger)
            streams.append(try await EventStream(server: server, token: theirs))
            #expect(server.service.hub.listenerCount == streams.count)
            for stream in streams { stream.hangUp() }
            try await Self.whenNobodyListens(server)
            streams = [try await EventStream(server: server, token: token)]
            #expect(try await streams[0].next() != nil)
            streams[0].hangUp()
        }
    }

    @Test
    func `an event stream ends with its session's hour, and with its account`() async throws {
        try await withServer(options: .init(heartbeat: .milliseconds(20))) { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let stream = try await EventStream(
                server: server,
                token: try await server.deviceToken(account)
            )
            _ = try await stream.nextEvent()
            server.clock.advance(seconds: 3600)
            #expect(try await stream.nextEvent() == nil)

            let second = try await EventStream(
                server: server,
                token: try await server.deviceToken(account)
            )
            _ = try await second.nextEvent()
            let answer = try await server.deleteAccount(
                account,
                by: .device(account.device),
                and: .credentials(account.credentials)
            )
            #expect(answer.status == 204)
            #expect(try await second.nextEvent() == nil)
            try await Self.whenNobodyListens(server)
        }
    }
}
