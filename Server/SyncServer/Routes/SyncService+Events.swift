internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import KSRecords
internal import KSStore
internal import SwiftProtobuf
internal import KSWire

extension SyncService {
    /// `GET /v1/events`.
    ///
    /// It ends with the session, the membership, the account or the server, whichever comes first.
    @Sendable
    func events(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let caller = try await gate.device(of: request)
        // It subscribes before it reads the state, so that no change between the two is missed.
        let subscription = try hub.subscribe(caller.member.id, to: caller.account)
        context.channel.closeFuture.whenComplete { _ in subscription.end() }
        guard let state = try await store.read({ try $0.account(caller.account) }) else {
            throw Problem(.unauthenticated)
        }
        let standing = Standing(seq: state.seq, circleVersion: state.circleVersion)
        let body = ResponseBody { writer in
            try await writer.write(Self.event("changes", standing))
            try await relay(subscription, after: standing, of: caller.session, to: &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    @concurrent
    private func relay(
        _ subscription: Subscription,
        after first: Standing,
        of session: Session,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        let heartbeat = subscription.heartbeat(every: options.heartbeat)
        defer {
            heartbeat.cancel()
            subscription.end()
        }
        var told = first
        for await news in subscription.standings {
            let standing = told.merged(with: news)
            guard tokens.isCurrent(session) else { return }
            if standing.circleVersion > told.circleVersion {
                guard try await gate.isOpen(session) else { return }
                try await writer.write(Self.event("circle", standing))
            }
            if standing.seq > told.seq { try await writer.write(Self.event("changes", standing)) }
            if standing == told { try await writer.write(ByteBuffer(string: ":\n\n")) }
            told = standing
        }
    }

    private static func event(_ name: String, _ standing: Standing) throws -> ByteBuffer {
        var event = WireEvent()
        event.seq = standing.seq
        event.circleVersion = standing.circleVersion
        return ByteBuffer(string: "event: \(name)\ndata: \(try event.jsonString())\n\n")
    }
}
