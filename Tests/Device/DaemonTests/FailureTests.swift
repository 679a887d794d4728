import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSMoving
import KSKeychain
import KSRecords
import KSSealing
import KSTransport
import KSWire
import KSSyncEngine
import Testing

/// Every error that a user can see has one sentence, and the exit code that scripts use.
struct FailureTests {
    static let trustProblems: [(TrustProblem, CommandFailure.Exit)] = [
        (.pinMismatch, .refused), (.unverifiedChain, .refused), (.wrongHost, .refused),
        (.expired, .refused), (.malformedPin, .usage), (.authorityFileUnreadable, .usage),
    ]

    static let transportErrors: [(TransportError, CommandFailure.Exit)] = [
        (.outOfReach(code: 7), .serverOutOfReach), (.timedOut, .serverOutOfReach),
        (.tooLarge, .other), (.cancelled, .tryAgain), (.malformedOrigin, .usage),
        (.plaintextForbidden, .usage), (.malformedRequest, .usage),
        (.unexpectedStatus(500), .tryAgain), (.library(code: 1), .other),
    ]

    static let codes: [(ErrorCode, CommandFailure.Exit)] = [
        (.malformed, .other), (.tooLarge, .other), (.siblingsFull, .tryAgain),
        (.quotaExceeded, .other), (.unauthenticated, .tryAgain), (.refused, .refused),
        (.accountUnknown, .refused), (.accountSuspended, .refused), (.wrongOrigin, .refused),
        (.nameTaken, .refused),
        (.registrationClosed, .refused),
        (.invitationNeeded, .refused), (.invitationUsed, .refused),
        (.actorForked, .tryAgain), (.storeRestored, .other), (.unknownCursor, .tryAgain),
        (.generationClosed, .tryAgain),
        (.resyncRequired, .other), (.preconditionRequired, .other), (.circleChanged, .tryAgain),
        (.notFound, .other), (.tooManyRequests, .tryAgain), (.storageFailed, .tryAgain),
        (.unavailable, .tryAgain), (.internalError, .tryAgain), (.clientTooOld, .other),
        (.serverTooOld, .other),
    ]

    static let setupErrors: [(AccountSetupError, CommandFailure.Exit)] = [
        (.credentialsRefused, .refused), (.accountNotAuthentic, .refused),
        (.updateThisClient, .other), (.circleBusy, .tryAgain), (.nameRefused, .usage),
        (.unfinishedSignUp, .refused), (.accountFull, .refused),
    ]

    static let sealingErrors: [(SealingError, CommandFailure.Exit)] = [
        (.notAuthentic, .other), (.malformed, .other), (.tooLarge, .other),
        (.updateThisClient(format: 2), .other), (.formatTooOld(format: 0), .other),
        (.generationUnknown(generation: 2), .other), (.generationRetired(generation: 1), .other),
        (.beyondClosingVector, .other), (.accountKeyMistyped(groups: [2, 5]), .refused),
        (.accountKeyMistyped(groups: []), .refused), (.accountKeyVersionUnknown, .refused),
        (.passwordNotText, .refused), (.memoryMissing, .tryAgain), (.wrongPassword, .refused),
        (.circleRolledBack, .refused), (.notMember, .refused),
        (.classLocked(.whenUnlocked), .tryAgain), (.keyFileOpenToOthers(.keyBag), .refused),
        (.keyFileDamaged(.devicePins), .diskTrouble),
        (.envelopesForged, .refused), (.keyFileMissing(.deviceSecret), .diskTrouble),
        (.keyFileUnavailable(.keyBag, systemError: 28), .diskTrouble),
    ]

    static let keychainErrors: [(ItemStoreError, CommandFailure.Exit)] = [
        (.diskFull, .diskTrouble), (.readOnly, .diskTrouble), (.inputOutput(code: 1), .diskTrouble),
        (.fileDamaged, .diskTrouble), (.unavailable(code: 14), .diskTrouble),
        (.unavailable(code: 270), .diskTrouble), (.unavailable(code: 5), .tryAgain),
        (.unavailable(code: 262), .tryAgain), (.unavailable(code: 1), .other),
        (.unavailable(code: 1555), .other),
        (.interactionNotAllowed, .tryAgain), (.missingEntitlement, .refused),
        (.newerFormat, .other), (.dataTooLarge, .other), (.refused, .other),
    ]

    /// Records that stay open for these reasons.
    private static func open(
        _ blocked: [BlockedReason],
        quarantined: [QuarantineReason] = []
    ) -> OpenRecords {
        let record = RecordID(validated: [UInt8](repeating: 7, count: RecordID.byteCount))
        return OpenRecords(
            blocked: blocked.map { .init(record: record, reason: $0) },
            quarantined: quarantined.map { .init(record: record, reason: $0) }
        )
    }

    static let outcomes: [(SyncOutcome, CommandFailure.Exit)] = [
        (.held(.circleForked), .refused), (.restoredTooOften, .tryAgain),
        (.failed(.transport(.timedOut)), .serverOutOfReach),
        (.databaseFailed(StepTrouble(ItemStoreError.diskFull)), .diskTrouble),
        (.databaseFailed(StepTrouble(DatabaseError(resultCode: .SQLITE_FULL))), .diskTrouble),
        (.databaseFailed(StepTrouble(DatabaseError(resultCode: .SQLITE_IOERR))), .diskTrouble),
        (.databaseFailed(StepTrouble(DatabaseError(resultCode: .SQLITE_BUSY))), .tryAgain),
        (.databaseFailed(StepTrouble(DatabaseError(resultCode: .SQLITE_CONSTRAINT))), .other),
        (.databaseFailed(StepTrouble(DatabaseError(resultCode: .SQLITE_ABORT))), .other),
        (.databaseFailed(StepTrouble(ItemStoreError.refused)), .other),
        (
            .databaseFailed(
                StepTrouble(SealingError.keyFileUnavailable(.devicePins, systemError: 28))
            ),
            .diskTrouble
        ),
        (.stopped, .tryAgain), (.failed(.contradictory()), .tryAgain),
        (.failed(.contradictory(.seqsDoNotRise)), .tryAgain),
        (.open(open([.siblingsFull, .tied])), .tryAgain),
        (.open(open([.malformed, .siblingsFull])), .refused), (.open(open([.tooLarge])), .other),
        (.open(open([.siblingsUnreadable])), .other), (.open(open([.damaged])), .other),
        (.open(open([], quarantined: [.notAuthentic])), .other),
        (.open(open([.siblingsFull], quarantined: [.keyMissing])), .other),
        (.failed(.circleRefused(.entryInvalid)), .refused),
        (.failed(.circleRefused(.envelopesForged)), .refused),
    ]

    /// Expects one sentence: it ends with a full stop, has none before, and is not a mere name.
    private func expectSentence(
        _ failure: CommandFailure,
        _ exit: CommandFailure.Exit,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = failure.sentence
        #expect(failure.exit == exit, "\(text)", sourceLocation: sourceLocation)
        #expect(text.hasSuffix("."), "\(text)", sourceLocation: sourceLocation)
        // What happened, what to do, and what to do if that does not help.
        #expect(
            text.components(separatedBy: ". ").count <= 3,
            "\(text)",
            sourceLocation: sourceLocation
        )
        #expect(text.first?.isUppercase == true, "\(text)", sourceLocation: sourceLocation)
        #expect(
            text.split(separator: " ").count >= 4,
            "\(text)",
            sourceLocation: sourceLocation
        )
    }

    @Test(arguments: trustProblems)
    func `each reason to distrust a certificate has a sentence`(
        problem: TrustProblem,
        exit: CommandFailure.Exit
    ) {
        expectSentence(CommandFailure(TransportError.untrusted(problem)), exit)
    }

    @Test(arguments: transportErrors)
    func `each connection error has a sentence`(
        error: TransportError,
        exit: CommandFailure.Exit
    ) {
        expectSentence(CommandFailure(ServerError.transport(error)), exit)
    }

    @Test(arguments: [(502, "proxy"), (503, "proxy"), (504, "proxy"), (500, "check the address")])
    func `a proxy that does not reach the server is no wrong address`(status: Int, words: String) {
        let failure = CommandFailure(ServerError.unreadable(status: status))
        #expect(failure.sentence.contains(words) && failure.sentence.contains("\(status)"))
        #expect(failure.exit == (status == 500 ? .tryAgain : .serverOutOfReach))
    }

    @Test
    func `each code of a server has a sentence and an exit code`() {
        #expect(Self.codes.map(\.0) == ErrorCode.allCases)
        for (code, exit) in Self.codes {
            expectSentence(CommandFailure(ServerError.refused(code)), exit)
        }
        let sentences = Set(ErrorCode.allCases.map { CommandFailure($0).sentence })
        #expect(sentences.count == ErrorCode.allCases.count)
    }

    @Test
    func `a code that this version does not know is shown, and never taken for another service`() {
        for (status, canPass, exit) in [
            (403, nil, .refused), (403, true, .tryAgain), (409, nil, .refused),
            (429, nil, .tryAgain), (500, nil, .tryAgain), (507, false, .refused),
        ] as [(Int, Bool?, CommandFailure.Exit)] {
            let refusal = UnknownRefusal(code: "of_tomorrow", status: status, canPass: canPass)
            let failure = CommandFailure(ServerError.unknown(refusal))
            expectSentence(failure, exit)
            #expect(failure.code == .codeUnknown)
            #expect(failure.sentence.contains("with of_tomorrow, which"))
            #expect(failure.sentence.contains("update sync-client"))
        }
    }

    @Test(arguments: SpokenProtocol.Feature.allCases)
    func `a part that the server lacks has a sentence`(feature: SpokenProtocol.Feature) {
        let failure = CommandFailure(ServerError.lacks(feature))
        expectSentence(failure, .other)
        #expect(failure.sentence.contains("update sync-server"))
    }

    @Test(arguments: setupErrors)
    func `each failure to join has a sentence`(
        error: AccountSetupError,
        exit: CommandFailure.Exit
    ) {
        expectSentence(CommandFailure(error), exit)
    }

    @Test(arguments: sealingErrors)
    func `each failure to open something has a sentence`(
        error: SealingError,
        exit: CommandFailure.Exit
    ) {
        expectSentence(CommandFailure(error as any Error), exit)
    }

    @Test(arguments: [28, 122] as [Int32])
    func `a full disk is called that, whichever file it stopped`(number: Int32) {
        let error = SealingError.keyFileUnavailable(.devicePins, systemError: number)
        #expect(CommandFailure(error).code == .diskFull)
        #expect(CommandFailure(StepTrouble(error)).code == .diskFullSync)
    }

    @Test(arguments: keychainErrors)
    func `each failure of the keychain has a sentence`(
        error: ItemStoreError,
        exit: CommandFailure.Exit
    ) {
        let failure = CommandFailure(error as any Error)
        #expect(failure.exit == exit)
        #expect(failure.sentence == error.message)
    }

    @Test(arguments: [ItemStoreError.interactionNotAllowed, .itemNotFound, .duplicateItem])
    func `an answer with one of Apple's statuses alone has its sentence`(error: ItemStoreError) {
        let answer = AgentFailure(code: error.status, status: "")
        let failure = CommandFailure(AgentError.failed(answer))
        #expect(failure.sentence == error.message)
        #expect((failure.code == .itemLocked) == (error == .interactionNotAllowed))
    }

    @Test(arguments: outcomes)
    func `each result of a sync but success has a sentence`(
        outcome: SyncOutcome,
        exit: CommandFailure.Exit
    ) throws {
        expectSentence(try #require(CommandFailure(outcome)), exit)
    }

    @Test
    func `a call that the stopping daemon cancels may be tried again`() {
        expectSentence(CommandFailure(CancellationError()), .tryAgain)
        expectSentence(CommandFailure(SyncOutcome.stopped) ?? .noAccount, .tryAgain)
    }

    @Test
    func `a successful sync is no failure`() {
        #expect(CommandFailure(SyncOutcome.synced) == nil)
    }

    @Test
    func `a typing error in the Account Key is reported with its group`() {
        let failure = CommandFailure(SealingError.accountKeyMistyped(groups: [2, 5]))
        #expect(failure.sentence.contains("group 2, 5"))
    }

    @Test
    func `an unverified certificate says how to pin it`() {
        let failure = CommandFailure(TransportError.untrusted(.unverifiedChain))
        #expect(failure.sentence.contains("--pin"))
    }

    @Test
    func `a command prints the daemon's sentence unchanged`() {
        let said = CommandFailure(ErrorCode.nameTaken)
        #expect(CommandFailure(AgentError.failed(said.agentFailure)) == said)
    }

    @Test
    func `a home in use is a reason to try again`() {
        #expect(CommandFailure(AgentError.alreadyRunning).exit.rawValue == 75)
    }

    @Test
    func `the advice to sync before a logout is given only to a device that can sync`() {
        let usual = CommandFailure.unsent(1, canSync: true)
        let refused = CommandFailure.unsent(1, canSync: false)
        #expect(usual.sentence.contains("sync-client sync first"))
        #expect(!refused.sentence.contains("sync-client sync"))
        for failure in [usual, refused] {
            #expect(failure.exit == .other)
            #expect(failure.sentence.hasPrefix("1 item or value of this device has changes"))
            #expect(failure.sentence.contains("--keep-items"))
        }
    }

    @Test
    func `a daemon that could not start on a full disk is reported`() {
        expectSentence(CommandFailure(AgentError.daemonFailed(exitCode: 74)), .diskTrouble)
    }

    @Test
    func `an unknown layout lists the known ones`() {
        for name in TableLayout.names {
            #expect(MovingError.unknownLayout.sentence.contains(name))
        }
    }

    @Test(arguments: [
        (" laptop\n", "laptop"), ("a  b", "a  b"), ("\u{A0}\u{2003}x\t", "x"), ("x", "x"),
        ("", nil), (" ", nil), ("\t\r\n\u{3000}", nil),
    ])
    func `a name has no blanks around it, and is not blank`(typed: String, name: String?) throws {
        guard let name else {
            let failure = try #require(throws: CommandFailure.self) {
                try CheckedAccountForm.name(typed)
            }
            return expectSentence(failure, .usage)
        }
        #expect(try CheckedAccountForm.name(typed) == name)
    }

    @Test
    func `an unexpected error has a sentence too`() {
        struct Unforeseen: Error {}
        expectSentence(CommandFailure(Unforeseen()), .other)
        expectSentence(CommandFailure(CocoaError(.fileWriteOutOfSpace)), .diskTrouble)
    }

    @Test
    func `only an error of the disk is called one`() {
        for (outcome, exit) in Self.outcomes where exit != .diskTrouble {
            #expect(CommandFailure(outcome)?.sentence.contains("disk") != true)
        }
        for (error, exit) in Self.keychainErrors where exit != .diskTrouble {
            #expect(!CommandFailure(error as any Error).sentence.contains("disk"))
        }
    }
}
