internal import Foundation
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSSealing
internal import KSStore
internal import KSWire
internal import NIOCore
internal import SwiftProtobuf

/// Pulls that find nothing new.
enum QuietPulls {
    static func make(
        _ accounts: [MadeAccount],
        store: any Store,
        token: (MadeAccount) -> String
    ) throws -> [LoadRequest] {
        try accounts.map { account in
            guard let state = try store.account(account.id) else { throw StoreError.notFound }
            let page = try store.changes(
                ChangesRequest(
                    account: account.id,
                    member: account.devices[0].memberID,
                    after: state.cursor,
                    isOfMember: false
                )
            )
            let known = Base64URL.encode(page.vector.fingerprint)
            return LoadRequest(
                path: "/v1/changes?after=\(state.cursor.text)&known=\(known)",
                token: token(account)
            )
        }
    }

    static func measure(
        _ requests: [LoadRequest],
        _ server: ServerUnderLoad,
        perSecond: Int,
        isShort: Bool
    ) throws {
        let client = try LoadClient()
        let count = requests.count
        let connections = try client.connect(count, port: server.port)
        _ = try client.openLoop(connections, perSecond: perSecond / 2, for: .seconds(2)) {
            requests[$0 % count]
        }
        let before = server.processorSeconds
        let limit = TimeAmount.seconds(isShort ? 5 : 30)
        let outcome = try client.openLoop(connections, perSecond: perSecond, for: limit) {
            requests[$0 % count]
        }
        let used = server.processorSeconds - before
        let latencies = outcome.latencies
        Report.show(
            "nothing new, \(perSecond) a second, p99",
            latencies.milliseconds(atPercent: 99),
            "ms",
            atMost: 5
        )
        Report.show("  " + latencies.text, outcome.failureText)
        Report.show(
            "  processor a request",
            "\(Report.text(used / Double(max(latencies.count, 1)) * 1e6)) µs"
        )
        client.close(connections)
        try client.end()
    }
}

/// A device that opens one session after the other, as each does once an hour.
struct Sessions {
    /// Fewer than one address may open at once.
    private static let count = 100

    let server: ServerUnderLoad
    let account: MadeAccount

    func measure() throws {
        let client = try LoadClient()
        let connection = try client.connect(1, port: server.port)[0]
        let before = server.processorSeconds
        let start = ContinuousClock.now
        for _ in 0..<Self.count { try open(connection) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let used = server.processorSeconds - before
        client.close([connection])
        try client.end()
        Report.show(
            "a session, one after the other",
            "\(Report.text(seconds / Double(Self.count) * 1000)) ms, processor "
                + "\(Report.text(used / Double(Self.count) * 1e6)) µs"
        )
    }

    private func open(_ connection: LoadConnection) throws {
        let device = account.devices[0]
        let challenge = try WireChallengeResponse(
            serializedBytes: post("/v1/sessions/challenge", WireChallengeRequest(), connection)
        )
        let statement = SessionStatement(
            purpose: .session,
            origin: "https://127.0.0.1:\(server.port)",
            account: account.id.bytes,
            member: device.memberID,
            challenge: Challenge(
                nonce: Array(challenge.nonce),
                expirySeconds: challenge.expirySeconds
            ),
            bodyHash: Hash(validated: SHA256.hash([]))
        )
        var message = WireSessionRequest()
        message.proof.account = Data(account.id.bytes)
        message.proof.member = Data(device.memberID.bytes)
        message.proof.nonce = challenge.nonce
        message.proof.expirySeconds = challenge.expirySeconds
        message.proof.signature = Data(statement.signature(by: .device(device)))
        _ = try post("/v1/sessions", message, connection)
    }

    private func post(
        _ path: String,
        _ message: some SwiftProtobuf.Message,
        _ connection: LoadConnection
    ) throws -> [UInt8] {
        let answer = try connection.request(
            "POST",
            path,
            token: "",
            body: message.serializedBytes()
        ).wait()
        guard answer.status == 200 else {
            throw Command.Failed(text: String(buffer: answer.body))
        }
        return Array(answer.body.readableBytesView)
    }
}
