internal import Foundation
internal import Hummingbird
internal import KSMerging
internal import KSRecords
internal import KSStore
internal import SwiftProtobuf
internal import KSWire

extension SyncService {
    /// `GET /v1/circle?after=V`.
    @Sendable
    func circle(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let caller = try await gate.caller(of: request)
        let version = try request.queryInteger("after") ?? 0
        let state = try await store.read {
            try $0.circle(of: caller.account, after: version, for: caller.member.id)
        }
        var answer = WireCircleResponse()
        answer.account = Data(state.account.bytes)
        answer.epoch = Data(state.epoch.bytes)
        answer.entries = state.entries.map(WireSignedEntry.init)
        if let envelope = state.envelope { answer.envelope = WireKeyEnvelope(envelope) }
        answer.credentialsBox = Data(state.credentialsBox ?? [])
        return try request.response(answer)
    }

    /// `GET /v1/circle/entry`, or `GET /v1/circle/entry?generation=G`.
    ///
    /// With these a member proves that the author of the newest entry has stored false envelopes,
    /// and opens an earlier one of its own.
    @Sendable
    func circleEntry(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let caller = try await gate.caller(of: request)
        let generation = try request.queryInteger("generation")
        let shown = try await store.read {
            try $0.circleEntry(of: caller.account, generation: generation, for: caller.member.id)
        }
        guard let shown else { throw Problem(.notFound) }
        var answer = WireCircleEntryResponse()
        answer.entry = WireSignedEntry(shown.entry)
        answer.envelopes = shown.envelopes.map(WireKeyEnvelope.init)
        answer.vector = [WireVectorEntry](shown.vector)
        return try request.response(answer)
    }

    /// `PUT /v1/circle`.
    ///
    /// The session does not authorize the change; it only allows a larger body than a stranger's.
    @Sendable
    func extendCircle(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        try proofLimiter.admit(context)
        let version = try Self.versionToExtend(request)
        let caller = try await gate.caller(of: request)
        return try await membersUploads.withMessage(
            of: request,
            context,
            atMost: MessageBody.memberBytesMax
        ) { (message: WirePutCircleRequest) in
            guard message.hasProof else { throw Problem(.malformed) }
            let bytes = Array(message.update)
            let prover = try await proofs.prover(of: message.proof, purpose: .circle, body: bytes)
            guard prover.account == caller.account else { throw Problem(.refused) }
            let update = try WireCircleUpdate(counting: bytes)
            guard update.hasEntry else { throw Problem(.malformed) }
            let change = try CircleChange(update.entry, update.envelopes, update.credentialsBox)
            let newVersion = try await store.write {
                try Self.append(change, to: version, by: prover, in: $0)
            }
            let standing = Standing(circleVersion: newVersion)
            hub.publish(standing, by: caller.member.id, to: prover.account)
            var answer = WirePutCircleResponse()
            answer.version = newVersion
            return try request.response(answer)
        }
    }

    /// Checks the entry by the same rules as every client, and stores it.
    ///
    /// If it is the newest entry already, it gets the same answer: the first one may be lost.
    private static func append(
        _ change: CircleChange,
        to version: UInt64,
        by prover: ProofChecker.Prover,
        in store: any Store
    ) throws -> UInt64 {
        let entries = try store.circleEntries(of: prover.account)
        guard let newest = entries.last else { throw StoreError.notFound }
        let newestVersion = try newest.entry().version
        if newest == change.entry, newestVersion == version + 1 { return newestVersion }
        guard newestVersion == version else { throw Problem(.circleChanged) }
        let entry = try CircleRules.check(next: change.entry, after: entries)
        guard entry.account == prover.account, entry.author == prover.member.id,
            // A box without the credentials' signature would break every later login.
            CircleRules.bringsCredentialsBox(entry, signed: change.entry)
                == (change.credentialsBox != nil)
        else { throw Problem(.refused) }
        try CircleRules.checkEnvelopes(change.envelopes, of: entry)
        try store.appendEntry(change, to: prover.account, ifVersion: version)
        return entry.version
    }

    /// The version in If-Match, as a number or as an entity tag: `3` or `"3"`.
    private static func versionToExtend(_ request: Request) throws -> UInt64 {
        guard let header = request.headers[.ifMatch] else { throw Problem(.preconditionRequired) }
        let isQuoted = header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
        let text = isQuoted ? header.dropFirst().dropLast() : header[...]
        guard let version = UInt64(digits: text), version < .max else {
            throw Problem(.preconditionRequired)
        }
        return version
    }
}

extension CircleChange {
    /// Reads a message's entry, its key envelopes and its box, within the protocol's size limits.
    init(_ entry: WireSignedEntry, _ envelopes: [WireKeyEnvelope], _ box: Data) throws {
        func checkSize(_ sealed: Data) throws {
            guard sealed.count <= Limits.keyEnvelopeBytesMax else { throw Problem(.tooLarge) }
        }
        try checkSize(box)
        self.init(
            entry: try entry.value(),
            envelopes: try envelopes.map { envelope in
                try checkSize(envelope.sealed)
                return try envelope.value()
            },
            credentialsBox: box.isEmpty ? nil : Array(box)
        )
    }
}
