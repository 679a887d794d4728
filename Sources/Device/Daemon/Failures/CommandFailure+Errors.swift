internal import Foundation
internal import KSBytes
internal import GRDB
internal import KSAgent
internal import KSFiles
internal import KSImporting
package import KSKeychain
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
        case let error as ImportError: self.init(.other, error.sentence)
        case let error as EntitlementsError: self.init(.other, error.sentence)
        case let error as SyncEngineError: self.init(error)
        case let error as RevocationFailure: self.init(error)
        case is CircleError: self.init(.other, Self.damagedSentence)
        case is CancellationError: self = .stopped
        case is DatabaseError: self.init(ItemStoreError(error))
        case let error as StepTrouble: self.init(error)
        case is CocoaError, is POSIXError:
            self = .diskTrouble("The device's files could not be used: see its log.")
        default:
            self = .other(
                "Something went wrong in the daemon: try again, and see run/daemon.log in the home"
                    + " directory."
            )
        }
    }

    private static let damagedSentence =
        "This device's data about its account is damaged: restore its home from a backup, or log"
        + " in again with another --home."

    package init(_ error: SyncEngineError) {
        switch error {
        case .noAccount: self = .noAccount
        case .corruptDatabase: self.init(.diskTrouble, Self.damagedSentence)
        case .tooLarge: self.init(ItemStoreError.dataTooLarge)
        }
    }

    package init(_ error: ItemStoreError) {
        let exit: Exit =
            switch error {
            case .diskFull, .readOnly, .inputOutput, .fileDamaged: .diskTrouble
            case .unavailable:
                error.isOfDisk ? .diskTrouble : error.isBusy ? .tryAgain : .other
            case .interactionNotAllowed: .tryAgain
            case .missingEntitlement, .passcodeNotSet: .refused
            case .parameter, .duplicateItem, .itemNotFound, .noSuchAttribute, .noSuchClass,
                .decode, .dataTooLarge, .newerFormat, .refused, .restricted, .unimplemented,
                .internalFailure:
                .other
            }
        self.init(exit, error.message)
    }

    /// An import that ended in the middle: what was done stays.
    package init(stoppedImport error: ItemStoreError, doneItems: Int) {
        let failure = CommandFailure(error)
        guard failure.exit == .diskTrouble else {
            self = failure
            return
        }
        self = .diskTrouble(
            "The disk is full or failed after \(counted(doneItems, "item")), which are kept: free"
                + " some space and import the same file again."
        )
    }

    package static let credentialsRefused = CommandFailure(AccountSetupError.credentialsRefused)
    package static let nameRefused = CommandFailure(AccountSetupError.nameRefused)

    package init(_ error: AccountSetupError) {
        switch error {
        case .credentialsRefused:
            self = .refused(
                "Wrong account name, password or Account Key: check all three and try again."
            )
        case .accountNotAuthentic:
            self = .refused(
                "The server's data about this account contradicts itself: nothing was kept;"
                    + " check that it is the right server."
            )
        case .updateThisClient:
            self = .other(
                "The account was changed by a newer version: update this program and try again."
            )
        case .accountFull:
            self = .refused(
                "The account has as many devices as it can have, also counting those that logged"
                    + " out: remove one with sync-client revoke on a device that is logged in, or"
                    + " name one here with --remove-device."
            )
        case .falseKeys(let device): self = .falseKeys(of: device)
        case .circleBusy: self = .tryAgain("Other devices are joining at this moment: try again.")
        case .nameRefused:
            self = .usage("Account and device names must not be empty, nor longer than 128 bytes.")
        case .unfinishedSignUp:
            self = .refused(
                "That account name is taken, perhaps by a sign-up from here that was cut off: sign"
                    + " up again with the password typed then, or choose another name."
            )
        }
    }

    package init(_ error: ServerError) {
        switch error {
        case .transport(let error): self.init(error)
        case .refused(let code, _, _): self.init(code)
        case .contradictory(let fault):
            let what = fault.map { " (\($0.rawValue))" } ?? ""
            self = .tryAgain(
                "The server's answer contradicts itself\(what): this device ignores it, and"
                    + " asks again from time to time; tell the server's operator."
            )
        case .circleRefused(.entryInvalid):
            self = .refused(
                "The server's newer list of devices does not verify: this device keeps the one it"
                    + " has and asks again with every sync; tell the server's operator."
            )
        case .circleRefused(.envelopesForged): self = .envelopesForged
        case .circleRefused(.olderShown): self = .olderCircle
        case .circleRefused(.newerFormat):
            self = .other(
                "The account was changed by a newer version: update this program and try again."
            )
        case .unreadable(status: 413, _):
            self = .other(
                "A proxy before the server refuses even small requests (status 413): ask its"
                    + " operator to let it accept 5 MB (nginx: client_max_body_size 5m)."
            )
        case .unreadable(let status, _):
            self.init(
                status >= 500 ? .tryAgain : .other,
                "The answer from that address (status \(status)) is not that of a sync server of"
                    + " this version: check the address."
            )
        }
    }
}

extension CommandFailure {
    /// The newest key envelopes do not hold the account's keys.
    package static let envelopesForged = CommandFailure.refused(
        "The account's newest keys do not open here, so changes wait on this device: your items are"
            + " kept; if another device has stored false keys, sync-client devices marks it, and"
            + " sync-client revoke removes it; otherwise tell the server's operator."
    )

    /// The server lost entries of the circle, and this device cannot put them back.
    package static let olderCircle = CommandFailure.tryAgain(
        "The server was restored from a backup in which the account has other devices than this one"
            + " knows: another device of the account puts that right when it syncs; if there is"
            + " none, log out with --keep-items and log in again."
    )

    /// A login found false keys; the sentence says how to continue.
    static func falseKeys(of device: AccountDevice) -> CommandFailure {
        let code = ItemCode(device.id).text
        // Its author may have put a line break into the name, to pass for a sentence of ours.
        let isShown = device.name?.contains(where: \.isNewline) == false
        let name = isShown ? "\(device.name ?? "") (\(code))" : code
        return .refused(
            "The device \(name) of this account has stored false keys for the others, so nobody"
                + " can log in. If it is not in your hands, log in with --remove-device \(code),"
                + " which removes it and makes new keys. Nothing was changed."
        )
    }

    /// A device was not revoked.
    init(_ error: RevocationFailure) {
        switch error {
        case .busy:
            self = .tryAgain(
                "Other devices keep writing at this moment: try again. Nothing was changed."
            )
        case .falseEntryRemains:
            self = .usage(
                "A device has stored false keys, and must be among those you remove: sync-client"
                    + " devices shows which one it is. Nothing was changed."
            )
        case .keysMissing:
            self = .refused(
                "This device missed newer keys of the account before the false ones: remove the"
                    + " device that stored these on another device, or here with sync-client logout"
                    + " --keep-items and sync-client login --remove-device. Nothing was changed."
            )
        case .circleIsOlder:
            self = .refused(
                "The server shows another or older list of devices than this device knows, so no"
                    + " device can be removed: if it was restored, log out with --keep-items, log"
                    + " in and revoke again, otherwise ask its operator. Nothing was changed."
            )
        case .notFetched:
            self = .tryAgain(
                "The server accepted the removal, but this device could not fetch the newer list"
                    + " of devices: run sync-client sync, and see sync-client devices."
            )
        case .falsenessUnproven:
            self = .refused(
                "The server's newest keys do not open, but nothing proves that a device has signed"
                    + " them: tell the server's operator. Nothing was changed."
            )
        }
    }
}

extension CommandFailure {
    /// The beginning of every sentence about a pause.
    package static let pausePrefix = "Sync is paused: "

    /// Why sync is paused until the user acts.
    package init(_ hold: SyncState.Hold) {
        switch hold {
        case .circleForked:
            self = .refused(
                Self.pausePrefix
                    + "the server shows a different list of devices than this one knows; do not"
                    + " trust it before you know why."
            )
        }
    }

    /// The server says again and again that it went back.
    static let restoredTooOften = CommandFailure.tryAgain(
        "The server said several times in a row that it was restored from a backup: your items here"
            + " are kept, and this device asks it ever less often, at least once an hour; tell the"
            + " server's operator."
    )

    /// The result of a sync; nil if everything is on the server.
    package init?(_ outcome: SyncOutcome) {
        switch outcome {
        case .synced: return nil
        case .open(let open): self.init(open)
        case .held(let hold): self.init(hold)
        case .failed(let error): self.init(error)
        case .databaseFailed(let trouble): self.init(trouble)
        case .locked: self = .lockedSync
        case .restoredTooOften: self = .restoredTooOften
        case .stopped: self = .stopped
        }
    }
}

extension CommandFailure {
    /// Describes the records that a sync could not finish.
    package init(_ open: OpenRecords) {
        let reasons = Set(open.blocked.map(\.reason))
        let exit: Exit =
            if !open.quarantined.isEmpty || reasons.contains(.damaged) {
                .other
            } else if reasons.isSubset(of: [.siblingsFull, .tied]) {
                .tryAgain
            } else if reasons.contains(.malformed) {
                .refused
            } else {
                .other
            }
        var parts: [String] = []
        if !open.blocked.isEmpty {
            let codes = Self.shown(open.blocked.map { ItemCode($0.record).text })
            parts.append("\(counted(open.blocked.count, "change")) could not be sent (\(codes))")
        }
        if !open.quarantined.isEmpty {
            let codes = open.quarantined.map { ItemCode($0.record).text }
            let count = Set(open.quarantined.map(\.record)).count
            parts.append("\(count) of the server's records cannot be read (\(Self.shown(codes)))")
        }
        self.init(
            exit,
            "All else is synced, but \(parts.joined(separator: ", and ")): sync-client status says"
                + " why and what to do."
        )
    }

    /// Further codes are only counted.
    private static let codesMax = 10

    /// The first codes, for a sentence.
    private static func shown(_ codes: [String]) -> String {
        var seen: Set<String> = []
        let codes = codes.filter { seen.insert($0).inserted }
        let first = codes.prefix(codesMax).joined(separator: ", ")
        return codes.count > codesMax ? "\(first) and \(codes.count - codesMax) more" : first
    }

    /// The failure for the open records that the answer to a sync reports; nil without any.
    package init?(openRecordsIn answer: SyncedCounts) {
        guard let sentence = answer.problem else { return nil }
        self.init(answer.exit.flatMap(Exit.init(rawValue:)) ?? .other, sentence)
    }
}
