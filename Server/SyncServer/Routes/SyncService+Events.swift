internal import Hummingbird
internal import NIOCore
internal import KSCausality
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
        let standing = Standing(cursor: state.cursor, circleVersion: state.circleVersion)
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
        var sent = first
        for await news in subscription.standings {
            var standing = sent.merged(with: news)
            guard tokens.isCurrent(session) else { return }
            if standing.circleVersion > sent.circleVersion {
                guard try await gate.isOpen(session) else { return }
                try await writer.write(Self.event("circle", standing))
            }
            if standing == sent { try await writer.write(ByteBuffer(string: ":\n\n")) }
            if standing.seq > sent.seq {
                let announced = await newPage(standing, after: sent, of: session)
                // A page may hold newer writes than those that were announced.
                standing.cursor = announced?.page.cursor ?? standing.cursor
                try await writer.write(Self.event("changes", standing, announced))
            }
            sent = standing
        }
    }

    /// The page of the new writes; nil if they are all the listener's own, or do not fit an event.
    private func newPage(
        _ standing: Standing,
        after sent: Standing,
        of session: Session
    ) async -> AnnouncedPage? {
        guard let after = sent.cursor, standing.seqOfOthers > sent.seq else { return nil }
        let request = ChangesRequest(
            account: session.account,
            member: session.member,
            after: after,
            bytesMax: Limits.eventPageBytesMax,
            isOfMember: false
        )
        // If this fails, the listener pulls, and that answer says why.
        guard let page = try? await store.read.short({ try $0.changes(request) }), !page.hasMore,
            page.byteCount <= Limits.eventPageBytesMax
        else { return nil }
        return AnnouncedPage(after: after, page: page)
    }

    /// Not inlined: what it needs for a moment would be part of what each waiting stream keeps.
    @inline(never)
    private static func event(
        _ name: String,
        _ standing: Standing,
        _ announced: AnnouncedPage? = nil
    ) throws -> ByteBuffer {
        let data = try WireEvent(
            seq: standing.seq,
            circleVersion: standing.circleVersion,
            announced
        ).jsonString()
        guard announced == nil || data.utf8.count <= Limits.eventBytesMax else {
            return try event(name, standing)
        }
        return ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
    }
}

extension PageAnswer {
    /// The size of its records and its vector, about.
    fileprivate var byteCount: Int {
        records.reduce(vector.entries.count * 16) { sum, record in
            record.siblings.reduce(sum + RecordID.byteCount) { $0 + $1.box.count + 64 }
        }
    }
}
