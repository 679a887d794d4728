package import KSAgent
internal import KSKeychain
internal import KSSecurityNames
internal import KSSyncEngine

/// Why a command failed: one sentence, an exit code, and the code of its message.
///
/// The sentence holds no secret and no item's contents.
package struct CommandFailure: Error, Equatable {
    /// The exit codes, which scripts rely on; numbers as in `sysexits.h`.
    package enum Exit: Int32, Sendable {
        case other = 1
        /// There is no such item: the low byte of Apple's status.
        case notFound = 44
        case usage = 64
        case serverOutOfReach = 69
        case diskTrouble = 74
        case tryAgain = 75
        case refused = 77
    }

    package let exit: Exit
    package let code: MessageCode
    package let sentence: String

    /// A failure whose message has no row of its own in the table.
    package init(_ exit: Exit, _ sentence: String) {
        self.init(code: MessageCode(anyWith: exit), exit: exit, sentence: sentence)
    }

    /// The failure of a message in the table, with another exit code if one is given.
    ///
    /// `values`: what is filled in for the sentence's words in braces.
    package init(code: MessageCode, _ values: [String: String] = [:], exit: Exit? = nil) {
        self.init(code: code, exit: exit, sentence: code.sentence(values))
    }

    /// The failure of a message whose sentence is written elsewhere, or continues.
    package init(code: MessageCode, exit: Exit? = nil, sentence: String) {
        self.exit = exit ?? code.message.exit
        self.code = code
        self.sentence = sentence
    }

    /// What to do about it.
    package var next: NextStep { code.next() }

    package static func other(_ sentence: String) -> Self { Self(.other, sentence) }
    package static func usage(_ sentence: String) -> Self { Self(.usage, sentence) }
    package static func diskTrouble(_ sentence: String) -> Self { Self(.diskTrouble, sentence) }
    package static func tryAgain(_ sentence: String) -> Self { Self(.tryAgain, sentence) }
    package static func refused(_ sentence: String) -> Self { Self(.refused, sentence) }

    /// The failure as the daemon sends it to a command.
    package var agentFailure: AgentFailure {
        AgentFailure(code: exit.rawValue, status: sentence, messageCode: code.rawValue)
    }

    /// A failure to reach the daemon, or the failure that it reported.
    package init(_ error: AgentError) {
        // Hints are the ends of lines of `keychain`.
        let sentence = error.sentence.hasSuffix(".") ? error.sentence : error.sentence + "."
        switch error {
        case .failed(let failure):
            let exit = Exit(rawValue: failure.code) ?? Exit(status: failure.code)
            let code = MessageCode(rawValue: failure.messageCode)
            let ofStatus = MessageCode(status: failure.code)
            // `keychain` has the text of Apple's statuses itself, so the answer may lack it.
            let text =
                ofStatus?.sentence() ?? SecStatus.message(of: failure.code)
                ?? "It failed (status \(failure.code))."
            self.init(
                code: code ?? ofStatus ?? MessageCode(anyWith: exit),
                exit: exit,
                sentence: sentence == "." ? text : sentence
            )
        case .daemonFailed(AgentError.exitCodeWhenReadOnly, .some):
            self.init(code: .fileReadOnly, sentence: sentence)
        case .daemonFailed(let number, let reason):
            let exit =
                number == AgentError.exitCodeWhenReadOnly
                ? .diskTrouble : Exit(rawValue: number) ?? .other
            guard exit == .diskTrouble, reason == nil else {
                self.init(code: .daemonFailed, exit: exit, sentence: sentence)
                return
            }
            // The daemon's log is empty if the disk had no room for it.
            self.init(code: .daemonFailedOnDisk)
        default:
            let code = MessageCode(rawValue: error.messageCode) ?? .daemonFailed
            self.init(code: code, sentence: sentence)
        }
    }
}

extension MessageCode {
    /// The code for one of Apple's statuses; nil for one that says nothing more than the exit code.
    fileprivate init?(status: Int32) {
        guard status == ItemStoreError.interactionNotAllowed.status else { return nil }
        self = .itemLocked
    }

    /// The code of a message without a row of its own.
    fileprivate init(anyWith exit: CommandFailure.Exit) {
        self =
            switch exit {
            case .other: .failed
            case .notFound: .noSuchItem
            case .usage: .wrongUsage
            case .serverOutOfReach: .outOfReach
            case .diskTrouble: .diskTrouble
            case .tryAgain: .tryAgain
            case .refused: .notAllowed
            }
    }
}

extension CommandFailure.Exit {
    /// The exit code for one of Apple's statuses, with which calls about items fail.
    fileprivate init(status: Int32) {
        self =
            switch status {
            case ItemStoreError.itemNotFound.status: .notFound
            case ItemStoreError.interactionNotAllowed.status: .tryAgain
            default: .other
            }
    }
}

extension CommandFailure {
    package static let noAccount = CommandFailure(code: .noAccount)
    package static let nothingToLeave = CommandFailure(code: .nothingToLeave)
    package static let alreadyEnrolled = CommandFailure(code: .alreadyEnrolled)
    /// The server has not confirmed that it has what is here.
    package static let mayBeHereOnly = CommandFailure(code: .mayBeHereOnly)
    /// `canSync`: whether a sync may still send them.
    package static func unsent(_ count: Int, canSync: Bool) -> CommandFailure {
        let way =
            canSync
            ? "run sync-client sync first, keep them here with --keep-items,"
            : "this device cannot sync (see sync-client status), so keep them here with"
                + " --keep-items"
        let have = count == 1 ? "has" : "have"
        let what = "\(countedEntries(count)) of this device \(have) changes"
        return CommandFailure(code: .unsent, ["what": what, "way": way])
    }
    /// A login whose account lists this device, which could not keep what it got.
    static func unsaved(_ why: CommandFailure, _ enrollment: Enrollment) -> CommandFailure {
        guard why.exit == .diskTrouble else { return why }
        return CommandFailure(code: .loginUnsaved, ["device": enrollment.names.device])
    }
    /// A device would put what it kept of another account into this one.
    static func keptFromOther(_ count: Int) -> CommandFailure {
        CommandFailure(code: .keptFromOther, ["what": countedEntries(count)])
    }
    static func homeMoved(from path: String) -> CommandFailure {
        CommandFailure(code: .homeMoved, ["path": path])
    }
    package static let isJoining = CommandFailure(code: .isJoining)
    package static let isLeaving = CommandFailure(code: .isLeaving)
    package static func wrongOrigin(_ origin: String) -> CommandFailure {
        CommandFailure(code: .originRefused, ["address": origin])
    }
    package static let malformedCall = CommandFailure(code: .callMalformed)
    package static let unknownCall = CommandFailure(code: .callUnknown)
    package static let stopped = CommandFailure(code: .stopped)
    package static let locked = CommandFailure(code: .locked)
    package static let lockedSync = CommandFailure(code: .lockedSync)
    package static let noSuchItem = CommandFailure(code: .noSuchItem)
    package static let malformedCode = CommandFailure(code: .codeMalformed)
    package static let nothingToReplace = CommandFailure(code: .nothingToReplace)
    package static let ambiguousCode = CommandFailure(code: .codeAmbiguous)
}
