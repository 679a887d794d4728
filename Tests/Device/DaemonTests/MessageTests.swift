import Foundation
import KSAgent
import KSDaemon
import KSKeychain
import KSSyncEngine
import KSWire
import Testing

/// Each message has a row in `messages.table`, from which the page docs/Messages.md is made too.
struct MessageTests {
    private static let page =
        // Without the page every comparison fails.
        (try? String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../docs/Messages.md"),
            encoding: .utf8
        )) ?? ""

    /// The rows of the page: sentence, code and exit status, meaning, step.
    private static let rows = page.split(separator: "\n")
        .filter { $0.hasPrefix("| ") && $0.contains("`, ") }
        .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }

    @Test
    func `the page has a row for each code, with its exit status and all that it needs`() {
        #expect(Self.rows.count == MessageCode.allCases.count)
        for (code, row) in zip(MessageCode.allCases, Self.rows) {
            #expect(row.count == 4 && row.allSatisfy { $0.count > 3 }, "\(row)")
            #expect(row[1] == "`\(code.rawValue)`, \(code.message.exit.rawValue)")
            let isShown = code.message.sentence == "{message}"
            #expect(row[0] == (isShown ? "another sentence" : code.message.sentence))
            for column in row.dropFirst(2) { #expect(column.hasSuffix("."), "\(column)") }
            if let command = code.message.command {
                #expect(row[3].hasPrefix("`\(command)`<br>"), "\(row)")
            }
        }
    }

    @Test
    func `each code of a server is the code of its message`() {
        for code in ErrorCode.allCases {
            #expect(CommandFailure(code).code.rawValue == code.rawValue)
        }
    }

    @Test
    func `each error of the agent has its message`() {
        let errors: [AgentError] = [
            .malformedMessage, .messageTooLarge, .otherVersion(2), .connectionLost, .daemonNotFound,
            .daemonFailed(exitCode: 1), .daemonSilent, .daemonNotRunning, .foreignPeer(userID: 1),
            .alreadyRunning, .homeUnknown, .homeEmpty, .homeMissing(path: "/"),
            .socketPathTooLong, .directoryNotPrivate(path: "/"), .system(errno: 1),
        ]
        for error in errors {
            #expect(CommandFailure(error).code.rawValue == error.messageCode, "\(error)")
        }
        #expect(Set(errors.map(\.messageCode)).count == errors.count)
    }

    @Test
    func `each reason why a record waits has its message, with another code each`() {
        let sent = BlockedReason.allCases.map { MessageCode($0) }
        #expect(Set(sent).count == BlockedReason.allCases.count)
        for (code, reason) in zip(sent, BlockedReason.allCases) {
            #expect(code.rawValue == "not_sent_" + reason.rawValue)
        }
        let read = QuarantineReason.allCases.map { MessageCode($0) }
        #expect(Set(read).count == QuarantineReason.allCases.count)
        for (code, reason) in zip(read, QuarantineReason.allCases) {
            // `status` shows the reason itself.
            #expect(code.sentence() == reason.rawValue)
        }
    }

    @Test(
        arguments: [
            .malformedMessage, .messageTooLarge, .otherVersion(2), .connectionLost,
            .daemonNotFound, .daemonFailed(exitCode: 9), .daemonSilent, .daemonNotRunning,
            .foreignPeer(userID: 1), .alreadyRunning, .homeUnknown, .homeEmpty,
            .homeMissing(path: "/x"), .socketPathTooLong, .directoryNotPrivate(path: "/x"),
            .system(errno: 2),
        ] as [AgentError]
    )
    func `the page has the sentences of the agent too`(error: AgentError) {
        let failure = CommandFailure(error)
        let values = [
            "path": "/x", "number": "9", "reason": AgentError.words(errno: 2),
        ]
        #expect(failure.sentence == failure.code.sentence(values))
    }

    @Test(
        arguments: [
            .diskFull, .readOnly, .inputOutput(code: 1), .fileDamaged, .unavailable(code: 14),
            .unavailable(code: 1), .interactionNotAllowed, .missingEntitlement, .passcodeNotSet,
            .decode, .dataTooLarge, .newerFormat, .refused,
        ] as [ItemStoreError]
    )
    func `the page has the sentences of the keychain too`(error: ItemStoreError) {
        let failure = CommandFailure(error)
        #expect(failure.sentence == failure.code.sentence(["number": "1"]))
    }

    @Test
    func `a failure keeps its code on the way from the daemon`() {
        for code in MessageCode.allCases where code.message.sentence.hasSuffix(".") {
            let failure = CommandFailure(code: code)
            #expect(CommandFailure(AgentError.failed(failure.agentFailure)) == failure)
        }
        // Of a daemon that knows other codes.
        let other = AgentFailure(code: 77, status: "No.", messageCode: "not_of_this_version")
        #expect(CommandFailure(AgentError.failed(other)) == CommandFailure(.refused, "No."))
    }

    @Test
    func `what is filled into a sentence is not filled in again`() {
        let values = ["name": "{device}", "device": "abcdefgh"]
        let text = Message.filled("The device {name} ({device}).", values)
        #expect(text == "The device {device} (abcdefgh).")
        #expect(Message.filled("{fault}", [:]) == "" && Message.filled("", values) == "")
    }

    @Test
    func `a next command names commands of sync-client and leaves nothing to fill in`() {
        for code in MessageCode.allCases {
            guard let command = code.next(["item": "abcdefgh"]).command else { continue }
            #expect(command.hasPrefix("sync-client ") && !command.hasSuffix(" "), "\(command)")
            #expect(!command.contains("{"), "\(command)")
        }
    }
}
