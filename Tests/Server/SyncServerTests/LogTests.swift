import Foundation
import HTTPTypes
import Hummingbird
import KSMerging
import NIOCore
import NIOEmbedded
import KSRecords
import KSSealing
import KSStore
import Testing
import KSWire

import KSSyncServer

/// Secrets that an operator's log must not have, and facts that it must.
@Suite(.serialized)
struct LogTests {
    /// The bytes in every notation.
    private func writings(of bytes: [UInt8]) -> [String] {
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        let base64 = Data(bytes).base64EncodedString()
        let base64URL = base64.replacing("+", with: "-").replacing("/", with: "_")
            .trimmingCharacters(in: ["="])
        return [digits, digits.uppercased(), base64, base64URL, "\(bytes)"]
    }

    /// Parts of the encoding of a long value: from its beginning, its
    /// middle and its end.
    private func writings(ofPartsOf bytes: [UInt8]) -> [String] {
        // Base64 writes three bytes at a time.
        let last = bytes.count / 3 * 3 - 9
        return [0, last / 6 * 3, last].flatMap { start in
            writings(of: Array(bytes[start..<start + 9])).map {
                $0.trimmingCharacters(in: ["[", "]"])
            }
        }
    }

    @Test
    func `the log has a line for each request, without the request's contents`() async throws {
        let log = TestLog()
        try await withServer(log: log) { server in
            let account = try TestAccount(name: "anna.the.customer")
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let batch = try account.batch(epoch: epoch)
            let pushed = try await server.push(batch, token: token)
            let cursor = try pushed.message(WirePushResponse.self).cursor.value().text
            #expect(
                try await server.get("/v1/changes?after=\(cursor)&limit=3", token: token).status
                    == 200
            )
            let stream = try await EventStream(server: server, token: token)
            _ = try await stream.next()
            stream.hangUp()
            #expect(try await server.get("/v1/changes", token: "wrong-token").status == 401)
            #expect(
                try await server.get("/typed-by-mistake?password=hunter2", token: nil).status == 404
            )
            #expect(
                try await server.get("/v1/changes?after=not-a-cursor", token: token).status == 400
            )
            let phone = DeviceIdentity.random(from: account.random)
            let change = try account.adding(phone)
            let joined = try await server.putCircle(
                change,
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(joined.status == 200)
            let ids = [
                account.id.bytes, account.device.memberID.bytes, phone.memberID.bytes,
                account.credentials.memberID.bytes, batch.envelopes[0].recordID.bytes,
            ]
            let names = [account.name, "laptop", "phone"]
            let contents =
                (account.genesis.envelopes + change.envelopes).map(\.sealed) + [
                    batch.envelopes[0].box, try #require(account.genesis.credentialsBox),
                ]
            for secret in [
                token, "wrong-token", cursor, "not-a-cursor", "typed-by-mistake", "hunter2",
                "limit=3",
            ] + names + ids.flatMap(writings(of:)) + contents.flatMap(writings(ofPartsOf:)) {
                #expect(!log.text.contains(secret), "\(secret.prefix(12))")
            }
            for route in ["/v1/accounts", "/v1/sessions", "/v1/batches", "/v1/changes"] {
                #expect(log.text.contains("route=\(route) "), "\(route)")
            }
            #expect(log.text.contains("info request code=unauthenticated "))
            #expect(log.text.contains("route=NotFound status=404"))
        }
    }

    @Test
    func `an unexpected error is logged by its type, not by its text`() async throws {
        struct Unforeseen: Error {
            let words = "hunter2"
        }
        let log = TestLog()
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/v1/changes")
        let answer = try await AnswerMiddleware(
            answers: AnswersUnderWay(),
            connections: OpenConnections()
        ).handle(
            Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            context: SyncRequestContext(
                source: ApplicationRequestContextSource(
                    channel: EmbeddedChannel(),
                    logger: log.logger()
                )
            )
        ) { _, _ in throw Unforeseen() }
        #expect(answer.status == .internalServerError)
        #expect(log.text.contains("error request failed error=Unforeseen"))
        #expect(!log.text.contains("hunter2"))
    }

    @Test
    func `a failing disk is an error in the log, a client's mistake is not`() async throws {
        let log = TestLog()
        try await withFaultyStore(log: log) { server, store in
            let slip = try await server.get("/v1/changes", token: nil)
            #expect(slip.status == 401)
            #expect(!log.text.contains("error "))
            store.fail(with: .storageFailed(code: 13))
            #expect(try await server.get("/healthz", token: nil).status == 503)
            #expect(log.text.contains("error request code=storage_failed "))
        }
    }
}
