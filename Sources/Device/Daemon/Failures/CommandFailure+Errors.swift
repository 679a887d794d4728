internal import KSBytes
internal import Foundation
internal import GRDB
internal import KSAgent
internal import KSFiles
internal import KSKeyValueCalls
internal import KSKeychain
internal import KSRecords
internal import KSDeviceKeys
internal import KSSealing
package import KSSyncEngine
internal import KSTransport

extension CommandFailure {
    /// Describes any thrown error.
    package init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as AgentError: self.init(error)
        case let error as AccountSetupError: self.init(error)
        case let error as LoginAfterRemoval: self.init(error)
        case let error as ServerError: self.init(error)
        case let error as TransportError: self.init(error)
        case let error as SealingError: self.init(error)
        case let error as ItemStoreError: self.init(error)
        case let error as FileError: self.init(error)
        case let error as ProtectedFileError: self.init(error)
        case let error as BackupError: self.init(error)
        case let error as EntitlementsError:
            self.init(code: .entitlementsWrong, sentence: error.sentence)
        case let error as SyncEngineError: self.init(error)
        case let error as RevocationFailure: self.init(error)
        case let error as KeyValueCallError: self.init(error)
        case is CircleError: self.init(code: .accountDataDamaged, exit: .other)
        case is CancellationError: self = .stopped
        case is DatabaseError: self.init(ItemStoreError(error))
        case let error as StepTrouble: self.init(error)
        case is CocoaError, is POSIXError: self.init(code: .filesUnusable)
        default: self.init(code: .unforeseen)
        }
    }

    private init(_ error: KeyValueCallError) {
        switch error {
        case .malformed: self = .malformedCall
        case .wrongName: self = .usage(error.sentence)
        case .limitsAreNotWritten, .writeTooLarge: self = .refused(error.sentence)
        }
    }

    package init(_ error: SyncEngineError) {
        switch error {
        case .noAccount: self = .noAccount
        case .corruptDatabase: self.init(code: .accountDataDamaged)
        case .tooLarge: self.init(ItemStoreError.dataTooLarge)
        }
    }

    package static let credentialsRefused = CommandFailure(AccountSetupError.credentialsRefused)
    package static let nameRefused = CommandFailure(AccountSetupError.nameRefused)

    package init(_ error: AccountSetupError) {
        switch error {
        case .credentialsRefused: self.init(code: .credentialsRefused)
        case .accountNotAuthentic: self.init(code: .accountNotAuthentic)
        case .updateThisClient: self.init(code: .versionNewer)
        case .accountFull: self.init(code: .accountFull)
        case .falseKeys(let device): self = .falseKeys(of: device)
        case .circleBusy: self.init(code: .circleBusy)
        case .nameRefused: self.init(code: .nameUnusable)
        case .unfinishedSignUp: self.init(code: .signupUnfinished)
        }
    }

    package init(_ error: ServerError) {
        switch error {
        case .transport(let error): self.init(error)
        case .refused(let code, _, _): self.init(code)
        case .unknown(let refusal):
            self.init(
                code: .codeUnknown,
                ["code": refusal.code],
                exit: refusal.isWorthRetrying ? .tryAgain : .refused
            )
        case .lacks(let feature): self.init(code: .featureMissing, ["what": feature.words])
        case .contradictory(let fault):
            let what = fault.map { " (\($0.rawValue))" } ?? ""
            self.init(code: .answerContradictory, ["fault": what])
        case .circleRefused(.entryInvalid): self.init(code: .devicesUnverified)
        case .circleRefused(.envelopesForged): self = .envelopesForged
        case .circleRefused(.olderShown): self = .olderCircle
        case .circleRefused(.newerFormat): self.init(code: .versionNewer)
        case .unreadable(status: 413, _): self.init(code: .proxyRefuses)
        case .unreadable(let status, _) where (502...504).contains(status):
            self.init(code: .proxyWithoutServer, ["status": "\(status)"])
        case .unreadable(let status, _):
            self.init(
                code: .notASyncServer,
                ["status": "\(status)"],
                exit: status >= 500 ? .tryAgain : .other
            )
        }
    }
}

extension CommandFailure {
    /// The newest key envelopes do not hold the account's keys.
    package static let envelopesForged = CommandFailure(code: .keysFalse)

    /// The server lost entries of the circle, and this device cannot put them back.
    package static let olderCircle = CommandFailure(code: .devicesOlder)

    /// A login found false keys; the sentence says how to continue.
    static func falseKeys(of device: AccountDevice) -> CommandFailure {
        let code = ItemCode(device.id).text
        // Its author may have put a line break into the name, to pass for a sentence of ours.
        let isShown = device.name?.contains(where: \.isNewline) == false
        let name = isShown ? "\(device.name ?? "") (\(code))" : code
        return CommandFailure(code: .deviceSignedFalseKeys, ["name": name, "device": code])
    }

    /// A device was not revoked.
    init(_ error: RevocationFailure) {
        let code: MessageCode =
            switch error {
            case .busy: .revokingBusy
            case .falseEntryRemains: .falseDeviceRemains
            case .keysMissing: .keysMissing
            case .circleIsOlder: .circleOlder
            case .notFetched: .removalNotFetched
            case .falsenessUnproven: .falsenessUnproven
            }
        self.init(code: code)
    }

    /// Why sync is paused until the user acts.
    package init(_ hold: SyncState.Hold) {
        switch hold {
        case .circleForked: self.init(code: .circleForked)
        }
    }

    /// Other devices have deleted most of what is here.
    package static func deletionsHeld(_ count: Int) -> CommandFailure {
        let were = count == 1 ? "was" : "were"
        return CommandFailure(
            code: .deletionsHeld,
            ["what": "\(counted(count, "item")) of this device \(were)"]
        )
    }

    /// The server says again and again that it went back.
    static let restoredTooOften = CommandFailure(code: .restoredTooOften)

    /// The result of a sync; nil if everything is on the server.
    package init?(_ outcome: SyncOutcome) {
        switch outcome {
        case .synced: return nil
        case .open(let open): self.init(open)
        case .deletionsHeld(let count): self = .deletionsHeld(count)
        case .held(let hold): self.init(hold)
        case .failed(let error): self.init(error)
        case .databaseFailed(let trouble): self.init(trouble)
        case .locked: self = .lockedSync
        case .restoredTooOften: self = .restoredTooOften
        case .stopped: self = .stopped
        }
    }
}
