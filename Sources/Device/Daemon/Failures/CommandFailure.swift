package import KSAgent
internal import KSKeychain

/// Why a command failed: one sentence and an exit code.
///
/// The sentence holds no secret and no item's contents.
package struct CommandFailure: Error, Equatable {
    /// The exit codes, which scripts rely on; numbers as in `sysexits.h`.
    package enum Exit: Int32 {
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
    package let sentence: String

    package init(_ exit: Exit, _ sentence: String) {
        self.exit = exit
        self.sentence = sentence
    }

    package static func other(_ sentence: String) -> Self { Self(.other, sentence) }
    package static func usage(_ sentence: String) -> Self { Self(.usage, sentence) }
    package static func diskTrouble(_ sentence: String) -> Self { Self(.diskTrouble, sentence) }
    package static func tryAgain(_ sentence: String) -> Self { Self(.tryAgain, sentence) }
    package static func refused(_ sentence: String) -> Self { Self(.refused, sentence) }

    /// The failure as the daemon sends it to a command.
    package var agentFailure: AgentFailure { AgentFailure(code: exit.rawValue, status: sentence) }

    /// A failure to reach the daemon, or the failure that it reported.
    package init(_ error: AgentError) {
        let exit: Exit =
            switch error {
            case .failed(let failure): Exit(rawValue: failure.code) ?? Exit(status: failure.code)
            case .daemonFailed(AgentError.exitCodeWhenReadOnly, _): .diskTrouble
            case .daemonFailed(let code, _): Exit(rawValue: code) ?? .other
            case .alreadyRunning, .connectionLost, .daemonSilent, .otherVersion: .tryAgain
            case .system: .diskTrouble
            case .homeEmpty, .homeMissing: .usage
            case .malformedMessage, .messageTooLarge, .daemonNotFound, .daemonNotRunning,
                .foreignPeer, .homeUnknown, .socketPathTooLong, .directoryNotPrivate:
                .other
            }
        if case .daemonFailed(_, .none) = error, exit == .diskTrouble {
            // The daemon's log is empty if the disk had no room for it.
            self.init(
                exit,
                "The daemon could not start because the disk may be full or broken: free some"
                    + " space, and see run/daemon.log in the home directory."
            )
        } else {
            // Hints are the ends of lines of `keychain`.
            let sentence = error.sentence
            self.init(exit, sentence.hasSuffix(".") ? sentence : sentence + ".")
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
    package static let noAccount = CommandFailure.other(
        "This device has no account yet: run sync-client signup or sync-client login first."
    )
    package static let nothingToLeave = CommandFailure.other(
        "This device has no account, so there is nothing to log out of."
    )
    package static let alreadyEnrolled = CommandFailure.other(
        "This device belongs to an account already: see sync-client status. To join another one,"
            + " log out first (sync-client logout), or use another --home."
    )
    /// Sync is paused, or the server refuses this device.
    package static let mayBeHereOnly = CommandFailure.refused(
        "Sync does not work here (see sync-client status), so the server may not have all that is"
            + " on this device: keep it with --keep-items, or lose it with --discard-unsent."
            + " Nothing was changed."
    )
    /// `canSync`: whether a sync may still send them.
    package static func unsent(_ count: Int, canSync: Bool) -> CommandFailure {
        let way =
            canSync
            ? "run sync-client sync first, keep them here with --keep-items,"
            : "this device cannot sync (see sync-client status), so keep them here with"
                + " --keep-items"
        let have = count == 1 ? "has" : "have"
        return CommandFailure.other(
            "\(countedEntries(count)) of this device \(have) changes that are not on the server:"
                + " \(way) or lose them with --discard-unsent. Nothing was changed."
        )
    }
    static func homeMoved(from path: String) -> CommandFailure {
        CommandFailure.tryAgain(
            "The home \(path) was moved or removed while its daemon ran: run sync-client stop, with"
                + " --home for where it is now, and try again."
        )
    }
    package static let isJoining = CommandFailure.tryAgain(
        "A sign-up or login is under way on this device: wait until it has ended."
    )
    package static let isLeaving = CommandFailure.tryAgain(
        "A logout is under way on this device: wait until it has ended."
    )
    package static func wrongOrigin(_ origin: String) -> CommandFailure {
        CommandFailure.refused(
            "The server does not accept the address \(origin): give another --server, or ask the"
                + " server's operator to name this one with --origin."
        )
    }
    package static let malformedCall = CommandFailure.other(
        "The daemon did not understand the command: it may be another version; stop it first."
    )
    package static let unknownCall = CommandFailure.other(
        "The running daemon does not know this command: stop it; the next command starts a new one."
    )
    package static let stopped = CommandFailure.tryAgain(
        "The daemon was stopped during the command: try again."
    )
    package static let locked = CommandFailure.tryAgain(
        "The keychain is locked: run sync-client unlock, and try again."
    )
    package static let lockedSync = CommandFailure.tryAgain(
        "The keychain is locked: unsent changes are sent after sync-client unlock."
    )
    package static let noSuchItem = CommandFailure(
        .notFound,
        "This account has no such item: only synchronized items have a history."
    )
    package static let malformedCode = CommandFailure.usage(
        "An item's code is 8 letters from a to z and digits from 2 to 7, as conflicts prints it."
    )
    package static let nothingToReplace = CommandFailure.other(
        "No unsent change of that item waits for versions that cannot be read: change the item"
            + " first, and see sync-client status."
    )
    package static let ambiguousCode = CommandFailure.other(
        "Several items have that code: name the item with -s and -a instead."
    )
}
