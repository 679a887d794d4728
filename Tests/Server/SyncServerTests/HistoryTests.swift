import Foundation
import KSRecords
import KSSealing
import KSStore
import KSWire
import Testing

import KSSyncServer

/// Only a device's signed statement makes the server conclude that its store went back.
struct HistoryTests {
    private let wrong = CommitTag(validated: [UInt8](repeating: 7, count: 8))

    private func evidence(
        of cursor: Cursor,
        for account: TestAccount,
        by signer: CircleSigner,
        challenge: WireChallengeResponse
    ) -> WireHistoryRequest {
        let statement = HistoryStatement(
            account: account.id,
            member: signer.memberID,
            cursor: cursor,
            challenge: Challenge(
                nonce: Array(challenge.nonce),
                expirySeconds: challenge.expirySeconds
            )
        )
        var message = WireHistoryRequest()
        message.account = Data(account.id.bytes)
        message.member = Data(signer.memberID.bytes)
        message.cursor = WireCursor(cursor)
        message.nonce = challenge.nonce
        message.expirySeconds = challenge.expirySeconds
        message.signature = Data(signer.sign(statement.encoded))
        return message
    }

    @Test
    func `a wrong tag leaves the epoch and the other devices alone`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let cursor = try await server.push(try account.batch(epoch: epoch), token: token)
                .message(WirePushResponse.self).cursor.value()
            for seq in [0, 1, 2, 1000] as [UInt64] {
                let forged = Cursor(epoch: epoch, seq: seq, tag: wrong)
                let answer = try await server.get("/v1/changes?after=\(forged.text)", token: token)
                #expect(answer.status == 409 && answer.code == .unknownCursor)
                let pushed = try await server.push(
                    try account.batch(actor: 9, epoch: epoch),
                    token: token,
                    applied: forged
                )
                #expect(pushed.status == 409 && pushed.code == .unknownCursor)
            }
            #expect(try server.store.account(account.id)?.epoch == epoch)
            let answer = try await server.get("/v1/changes?after=\(cursor.text)", token: token)
            #expect(answer.status == 200)
        }
    }

    @Test
    func `evidence that is forged, foreign, replayed or expired changes nothing`() async throws {
        try await withServer { server in
            let (account, stranger) = (try TestAccount(), try TestAccount(seed: 2))
            let epoch = try await server.signUp(account)
            try await server.signUp(stranger)
            let ahead = Cursor(epoch: epoch, seq: 9, tag: wrong)
            let device = CircleSigner.device(account.device)
            func expectRefusal(
                of message: WireHistoryRequest,
                _ comment: Comment,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let answer = try await server.post("/v1/history", message)
                #expect(answer.code == .refused, comment, sourceLocation: sourceLocation)
                let now = try server.store.account(account.id)?.epoch
                #expect(now == epoch, comment, sourceLocation: sourceLocation)
            }
            func good() async throws -> WireHistoryRequest {
                evidence(
                    of: ahead,
                    for: account,
                    by: device,
                    challenge: try await server.challenge()
                )
            }

            var message = try await good()
            message.signature[0] ^= 1
            try await expectRefusal(of: message, "another signature")
            message = try await good()
            message.cursor.seq += 1
            try await expectRefusal(of: message, "another seq than was signed")
            message = try await good()
            message.expirySeconds += 1
            try await expectRefusal(of: message, "another expiry than was given")
            for signer in [
                CircleSigner.device(stranger.device), .credentials(account.credentials),
            ] {
                message = evidence(
                    of: ahead,
                    for: account,
                    by: signer,
                    challenge: try await server.challenge()
                )
                try await expectRefusal(of: message, "not one of the account's devices")
            }
            message = try await good()
            message.member = Data(account.credentials.memberID.bytes)
            try await expectRefusal(of: message, "in another's name")
            var own = WireChallengeResponse()
            own.nonce = Data(repeating: 1, count: 48)
            own.expirySeconds = server.clock.wallClock.seconds() + 60
            message = evidence(of: ahead, for: account, by: device, challenge: own)
            try await expectRefusal(of: message, "a nonce that nobody gave")

            // A known cursor changes nothing, but its nonce is used.
            let start = Cursor(epoch: epoch, seq: 0, tag: .start)
            let challenge = try await server.challenge()
            message = evidence(of: start, for: account, by: device, challenge: challenge)
            let known = try await server.post("/v1/history", message)
            #expect(try known.message(WireHistoryResponse.self).known)
            message = evidence(of: ahead, for: account, by: device, challenge: challenge)
            try await expectRefusal(of: message, "a nonce that was used")

            message = try await good()
            server.clock.advance(seconds: Limits.challengeSeconds)
            try await expectRefusal(of: message, "after its time")
        }
    }

    @Test
    func `a device's evidence begins a new epoch, and all its devices notice`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let cursor = try await server.push(try account.batch(epoch: epoch), token: token)
                .message(WirePushResponse.self).cursor.value()
            let message = evidence(
                of: Cursor(epoch: epoch, seq: 2, tag: wrong),
                for: account,
                by: .device(account.device),
                challenge: try await server.challenge()
            )
            let answer = try await server.post("/v1/history", message)
                .message(WireHistoryResponse.self)
            #expect(!answer.known)
            let now = try #require(try server.store.account(account.id)?.epoch)
            #expect(now != epoch && Data(now.bytes) == answer.epoch)
            let next = try await server.get("/v1/changes?after=\(cursor.text)", token: token)
            #expect(next.code == .storeRestored)
            #expect(try await server.post("/v1/history", message).code == .refused)
        }
    }

    @Test
    func `evidence that cannot be read is malformed`() async throws {
        try await withServer { server in
            let answer = try await server.post("/v1/history", WireHistoryRequest())
            #expect(answer.status == 400 && answer.code == .malformed)
        }
    }

    @Test
    func `a refused batch names each record that cannot be taken`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let good = try account.batch(count: 3, epoch: epoch)
            // The second claims to replace itself, the third is too large.
            let envelopes = good.envelopes.enumerated().map { index, envelope in
                Envelope(
                    recordID: envelope.recordID,
                    dot: envelope.dot,
                    replaced: index == 1 ? [envelope.dot] : [],
                    generation: envelope.generation,
                    isTombstone: false,
                    kind: .keychain,
                    box: index == 2
                        ? [UInt8](repeating: 1, count: RecordKind.keychain.boxBytesMax + 1)
                        : envelope.box
                )
            }
            let batch = BatchSigner(identity: account.device, account: account.id).batch(
                of: envelopes,
                epoch: epoch,
                circleVersion: 1,
                generation: 1,
                previousChain: .zero
            )
            let answer = try await server.push(batch, token: token)
            #expect(answer.status == 400 && answer.code == .malformed)
            let refused = """
                "refused":[{"counter":2,"code":"malformed"},{"counter":3,"code":"too_large"}]
                """
            #expect(answer.text.contains(refused))
            #expect(try server.count(of: "record") == 0)
            let without = try account.batch(epoch: epoch)
            #expect(try await server.push(without, token: token).status == 200)
        }
    }

    /// A newer program sends kinds of records that an older server has never heard of.
    @Test
    func `records that the server cannot read are named, and the others can be sent`()
        async throws
    {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            var message = WirePushRequest(try account.batch(count: 4, epoch: epoch), applied: nil)
            message.envelopes[1].kind = 99
            message.envelopes[3].recordID = Data([1, 2, 3])
            let answer = try await server.post("/v1/batches", message, token: token)
            #expect(answer.status == 400 && answer.code == .malformed)
            let refused = """
                "refused":[{"counter":2,"code":"malformed"},{"counter":4,"code":"malformed"}]
                """
            #expect(answer.text.contains(refused), "\(answer.text)")
            #expect(try server.count(of: "record") == 0)
            message.envelopes[1].clearDot()
            let nameless = try await server.post("/v1/batches", message, token: token)
            #expect(nameless.code == .malformed && !nameless.text.contains("refused"))
            let without = try account.batch(count: 2, epoch: epoch)
            #expect(try await server.push(without, token: token).status == 200)
        }
    }
}
