// DO NOT EDIT: scripts/generate-tables makes this from messages.table.
// swift-format-ignore-file

/// Which message it is, for scripts: docs/Messages.md has all. A code is never renamed.
package enum MessageCode: String, Sendable, CaseIterable {
    case unauthenticated
    case refused
    case accountUnknown = "account_unknown"
    case wrongOrigin = "wrong_origin"
    case originRefused = "origin_refused"
    case nameTaken = "name_taken"
    case accountSuspended = "account_suspended"
    case registrationClosed = "registration_closed"
    case invitationNeeded = "invitation_needed"
    case invitationUsed = "invitation_used"
    case actorForked = "actor_forked"
    case storeRestored = "store_restored"
    case unknownCursor = "unknown_cursor"
    case generationClosed = "generation_closed"
    case resyncRequired = "resync_required"
    case circleChanged = "circle_changed"
    case malformed
    case tooLarge = "too_large"
    case siblingsFull = "siblings_full"
    case quotaExceeded = "quota_exceeded"
    case preconditionRequired = "precondition_required"
    case notFound = "not_found"
    case tooManyRequests = "too_many_requests"
    case storageFailed = "storage_failed"
    case unavailable
    case internalError = "internal_error"
    case clientTooOld = "client_too_old"
    case serverTooOld = "server_too_old"
    case codeUnknown = "code_unknown"
    case featureMissing = "feature_missing"
    case answerContradictory = "answer_contradictory"
    case devicesUnverified = "devices_unverified"
    case keysFalse = "keys_false"
    case devicesOlder = "devices_older"
    case versionNewer = "version_newer"
    case proxyRefuses = "proxy_refuses"
    case notASyncServer = "not_a_sync_server"
    case outOfReach = "out_of_reach"
    case timedOut = "timed_out"
    case proxyWithoutServer = "proxy_without_server"
    case pinMismatch = "pin_mismatch"
    case chainUnverified = "chain_unverified"
    case wrongHost = "wrong_host"
    case certificateExpired = "certificate_expired"
    case pinMalformed = "pin_malformed"
    case authoritiesUnreadable = "authorities_unreadable"
    case answerTooLarge = "answer_too_large"
    case stopped
    case addressMalformed = "address_malformed"
    case addressPlaintext = "address_plaintext"
    case addressCharacter = "address_character"
    case eventsRefused = "events_refused"
    case connectionFailed = "connection_failed"
    case circleForked = "circle_forked"
    case deletionsHeld = "deletions_held"
    case restoredTooOften = "restored_too_often"
    case lockedSync = "locked_sync"
    case databaseUnusable = "database_unusable"
    case diskFullSync = "disk_full_sync"
    case recordsOpen = "records_open"
    case notSentTooLarge = "not_sent_too_large"
    case notSentProxyLimit = "not_sent_proxy_limit"
    case notSentMalformed = "not_sent_malformed"
    case notSentSiblingsFull = "not_sent_siblings_full"
    case notSentSiblingsUnreadable = "not_sent_siblings_unreadable"
    case notSentAccountFull = "not_sent_account_full"
    case notSentDamaged = "not_sent_damaged"
    case notSentTied = "not_sent_tied"
    case unreadableNewerFormat = "unreadable_newer_format"
    case unreadableRetired = "unreadable_retired"
    case unreadableKeyMissing = "unreadable_key_missing"
    case unreadableNotAuthentic = "unreadable_not_authentic"
    case unreadableMalformed = "unreadable_malformed"
    case unreadableWrongRecord = "unreadable_wrong_record"
    case unreadableWrongFlag = "unreadable_wrong_flag"
    case unreadableTooLarge = "unreadable_too_large"
    case falseKeys = "false_keys"
    case itemUnreadable = "item_unreadable"
    case notWell = "not_well"
    case noAccount = "no_account"
    case nothingToLeave = "nothing_to_leave"
    case alreadyEnrolled = "already_enrolled"
    case mayBeHereOnly = "may_be_here_only"
    case unsent
    case keptFromOther = "kept_from_other"
    case loginUnsaved = "login_unsaved"
    case isJoining = "is_joining"
    case isLeaving = "is_leaving"
    case isMoving = "is_moving"
    case credentialsRefused = "credentials_refused"
    case deletionOutOfReach = "deletion_out_of_reach"
    case deletionRefused = "deletion_refused"
    case accountNotAuthentic = "account_not_authentic"
    case accountFull = "account_full"
    case deviceSignedFalseKeys = "device_signed_false_keys"
    case circleBusy = "circle_busy"
    case nameUnusable = "name_unusable"
    case invitationUnknown = "invitation_unknown"
    case signupUnfinished = "signup_unfinished"
    case revokesItself = "revokes_itself"
    case passwordWrong = "password_wrong"
    case cannotChangePassword = "cannot_change_password"
    case mayHaveChanged = "may_have_changed"
    case cannotRevoke = "cannot_revoke"
    case mayHaveRevoked = "may_have_revoked"
    case revokingBusy = "revoking_busy"
    case falseDeviceRemains = "false_device_remains"
    case keysMissing = "keys_missing"
    case circleOlder = "circle_older"
    case removalNotFetched = "removal_not_fetched"
    case falsenessUnproven = "falseness_unproven"
    case pinUnknown = "pin_unknown"
    case pinOnly = "pin_only"
    case pinFirst = "pin_first"
    case pinInUse = "pin_in_use"
    case movedUnknownDevice = "moved_unknown_device"
    case movedNoAccount = "moved_no_account"
    case accountIsThere = "account_is_there"
    case circleIncomplete = "circle_incomplete"
    case rebuildNameTaken = "rebuild_name_taken"
    case movedOtherCircle = "moved_other_circle"
    case movedWrongOrigin = "moved_wrong_origin"
    case movedPinMismatch = "moved_pin_mismatch"
    case wouldBeLost = "would_be_lost"
    case nothingGivenUp = "nothing_given_up"
    case locked
    case accountKeyMistyped = "account_key_mistyped"
    case accountKeyGroupMistyped = "account_key_group_mistyped"
    case accountKeyVersion = "account_key_version"
    case passwordNotText = "password_not_text"
    case memoryMissing = "memory_missing"
    case wrongPassword = "wrong_password"
    case passcodeNeeded = "passcode_needed"
    case passcodeNotSet = "passcode_not_set"
    case passcodeAlreadySet = "passcode_already_set"
    case passcodeEmpty = "passcode_empty"
    case wrongPasscode = "wrong_passcode"
    case keyFileOpenToOthers = "key_file_open_to_others"
    case keyFileMissing = "key_file_missing"
    case keyFileUnavailable = "key_file_unavailable"
    case keyFileDamaged = "key_file_damaged"
    case deviceDataDamaged = "device_data_damaged"
    case accountDataDamaged = "account_data_damaged"
    case itemTooLarge = "item_too_large"
    case formatNewer = "format_newer"
    case formatRetired = "format_retired"
    case devicesUntrusted = "devices_untrusted"
    case notMember = "not_member"
    case noSuchItem = "no_such_item"
    case exportFindsNothing = "export_finds_nothing"
    case codeMalformed = "code_malformed"
    case codeAmbiguous = "code_ambiguous"
    case nothingToReplace = "nothing_to_replace"
    case nothingToDrop = "nothing_to_drop"
    case itemLocked = "item_locked"
    case accessGroupRefused = "access_group_refused"
    case itemNeedsPasscode = "item_needs_passcode"
    case itemDamaged = "item_damaged"
    case itemTooLargeForKeychain = "item_too_large_for_keychain"
    case itemCallFailed = "item_call_failed"
    case changeNotRecorded = "change_not_recorded"
    case diskFull = "disk_full"
    case diskFullImport = "disk_full_import"
    case fileReadOnly = "file_read_only"
    case diskFailed = "disk_failed"
    case fileDamaged = "file_damaged"
    case fileNewer = "file_newer"
    case keychainUnavailable = "keychain_unavailable"
    case databaseFailed = "database_failed"
    case databaseLost = "database_lost"
    case settingsUnwritable = "settings_unwritable"
    case filesUnusable = "files_unusable"
    case fileNotOrdinary = "file_not_ordinary"
    case fileExists = "file_exists"
    case fileUnusable = "file_unusable"
    case fileNotProtected = "file_not_protected"
    case fileAlreadyProtected = "file_already_protected"
    case fileNotAuthentic = "file_not_authentic"
    case fileOfOtherDevice = "file_of_other_device"
    case fileFormatNewer = "file_format_newer"
    case fileChangedMeanwhile = "file_changed_meanwhile"
    case fileHasLinks = "file_has_links"
    case backupWrongPassphrase = "backup_wrong_passphrase"
    case backupPassphraseEmpty = "backup_passphrase_empty"
    case backupPassphraseShort = "backup_passphrase_short"
    case backupPassphraseNotText = "backup_passphrase_not_text"
    case backupMemoryMissing = "backup_memory_missing"
    case notABackup = "not_a_backup"
    case backupNotAuthentic = "backup_not_authentic"
    case backupNewer = "backup_newer"
    case importFailed = "import_failed"
    case entitlementsWrong = "entitlements_wrong"
    case homeMoved = "home_moved"
    case callMalformed = "call_malformed"
    case callUnknown = "call_unknown"
    case daemonMalformed = "daemon_malformed"
    case callTooLarge = "call_too_large"
    case daemonOtherVersion = "daemon_other_version"
    case daemonLost = "daemon_lost"
    case daemonNotFound = "daemon_not_found"
    case daemonFailed = "daemon_failed"
    case daemonFailedOnDisk = "daemon_failed_on_disk"
    case daemonSilent = "daemon_silent"
    case daemonNotRunning = "daemon_not_running"
    case daemonOfOtherUser = "daemon_of_other_user"
    case homeInUse = "home_in_use"
    case homeUnknown = "home_unknown"
    case homeEmpty = "home_empty"
    case homeMissing = "home_missing"
    case socketPathTooLong = "socket_path_too_long"
    case directoryNotPrivate = "directory_not_private"
    case homeUnusable = "home_unusable"
    case unforeseen
    case failed
    case wrongUsage = "wrong_usage"
    case diskTrouble = "disk_trouble"
    case tryAgain = "try_again"
    case notAllowed = "not_allowed"
}

extension MessageCode {
    /// Its row of the table.
    package var message: Message {
        switch self {
        case .unauthenticated:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "The server has ended this device's session: try again."
            )
        case .refused:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server refuses this device, which may have been removed from the account: what it has stays here; to join again, run sync-client logout --keep-items and then sync-client login."
            )
        case .accountUnknown:
            Message(
                exit: .refused,
                command: "sync-client server rebuild",
                sentence: "The server does not have this account: it was emptied, or is another server; what you have stays here, and sync-client server rebuild makes the account there again."
            )
        case .wrongOrigin:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server does not accept the address that this device has for it (see sync-client status): ask the server's operator to name that address with --origin."
            )
        case .originRefused:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server does not accept the address {address}: give another --server, or ask the server's operator to name this one with --origin."
            )
        case .nameTaken:
            Message(
                exit: .refused,
                command: nil,
                sentence: "That account name is taken: choose another one, or log in to it."
            )
        case .accountSuspended:
            Message(
                exit: .refused,
                command: "sync-client sync",
                sentence: "The operator of this server has suspended the account: ask them."
            )
        case .registrationClosed:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This server accepts no new accounts: ask the server's operator."
            )
        case .invitationNeeded:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This server accepts new accounts by invitation only: ask its operator for an unused code, and give it with --invitation CODE."
            )
        case .invitationUsed:
            Message(
                exit: .refused,
                command: nil,
                sentence: "That invitation was used already, or revoked: ask the server's operator for another code, and give it with --invitation CODE."
            )
        case .actorForked:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "This device's files were copied or restored: it continues as a new writer; sync again."
            )
        case .storeRestored:
            Message(
                exit: .other,
                command: "sync-client sync",
                sentence: "The server was restored from a backup: your items here are kept, and this device puts right what the server lost; sync again in a moment."
            )
        case .unknownCursor:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "The server does not know the last state that it gave this device: sync again; your items here are kept."
            )
        case .generationClosed:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "The account's keys were changed: sync again to fetch them."
            )
        case .resyncRequired:
            Message(
                exit: .other,
                command: "sync-client sync",
                sentence: "This device was away for long and compares its items with the server's: sync again in a moment."
            )
        case .circleChanged:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "Another device has joined or left at this moment: try again."
            )
        case .malformed:
            Message(
                exit: .other,
                command: nil,
                sentence: "The server did not understand this program: update the older of the two."
            )
        case .tooLarge:
            Message(
                exit: .other,
                command: nil,
                sentence: "A change is too large for the server: see sync-client status."
            )
        case .siblingsFull:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "An item was changed on too many devices at once: sync again to join the changes."
            )
        case .quotaExceeded:
            Message(
                exit: .other,
                command: nil,
                sentence: "The account is full on the server, or has too little room for a change of this device: delete what you do not need, clear histories with removed files (keychain history NAME --clear), or ask for more room; nothing is lost here."
            )
        case .preconditionRequired:
            Message(
                exit: .other,
                command: nil,
                sentence: "The server is newer than this program: update this program."
            )
        case .notFound:
            Message(
                exit: .other,
                command: nil,
                sentence: "The server does not know that address: check --server, and which of the two needs an update."
            )
        case .tooManyRequests:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The server has too many requests: wait a minute and try again."
            )
        case .storageFailed:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The server's disk is full or broken and it kept nothing: tell the server's operator, and try again later."
            )
        case .unavailable:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The server is stopping or overloaded: try again in a minute."
            )
        case .internalError:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "Something went wrong on the server: try again later."
            )
        case .clientTooOld:
            Message(
                exit: .other,
                command: nil,
                sentence: "The server no longer speaks the protocol of this version of sync-client: update sync-client; what you have stays here, and what you change is sent then."
            )
        case .serverTooOld:
            Message(
                exit: .other,
                command: nil,
                sentence: "The server is too old for this version of sync-client: ask its operator to update sync-server; what you have stays here, and what you change is sent then."
            )
        case .codeUnknown:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server refused this with {code}, which this version of sync-client does not know: update sync-client; nothing is lost here."
            )
        case .featureMissing:
            Message(
                exit: .other,
                command: nil,
                sentence: "This server cannot {what}: ask its operator to update sync-server; nothing was changed."
            )
        case .answerContradictory:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The server's answer contradicts itself{fault}: this device ignores it, and asks again from time to time; tell the server's operator."
            )
        case .devicesUnverified:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server's newer list of devices does not verify: this device keeps the one it has and asks again with every sync; tell the server's operator."
            )
        case .keysFalse:
            Message(
                exit: .refused,
                command: "sync-client devices",
                sentence: "The account's newest keys do not open here, so changes wait on this device: your items are kept; if another device has stored false keys, sync-client devices marks it, and sync-client revoke removes it; otherwise tell the server's operator."
            )
        case .devicesOlder:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The server was restored from a backup in which the account has other devices than this one knows: another device of the account puts that right when it syncs; if there is none, log out with --keep-items and log in again."
            )
        case .versionNewer:
            Message(
                exit: .other,
                command: nil,
                sentence: "The account was changed by a newer version: update this program and try again."
            )
        case .proxyRefuses:
            Message(
                exit: .other,
                command: nil,
                sentence: "A proxy before the server refuses even small requests (status 413): ask its operator to let it accept 5 MB (nginx: client_max_body_size 5m)."
            )
        case .notASyncServer:
            Message(
                exit: .other,
                command: nil,
                sentence: "The answer from that address (status {status}) is not that of a sync server of this version: check the address."
            )
        case .outOfReach:
            Message(
                exit: .serverOutOfReach,
                command: nil,
                sentence: "The server is out of reach: check its address and your connection; what you change meanwhile is sent later."
            )
        case .timedOut:
            Message(
                exit: .serverOutOfReach,
                command: nil,
                sentence: "The server does not answer: check your connection and try again."
            )
        case .proxyWithoutServer:
            Message(
                exit: .serverOutOfReach,
                command: nil,
                sentence: "The proxy before the server does not reach it (status {status}): tell the server's operator if it stays; what you change meanwhile is sent later."
            )
        case .pinMismatch:
            Message(
                exit: .refused,
                command: "sync-client server",
                sentence: "The server's key is not the pinned one, and nothing was sent: ask the server's operator for the pin that sync-server prints when it starts, and if the key was replaced on purpose, run sync-client server pin add NEW."
            )
        case .chainUnverified:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server's certificate is signed by nobody this machine trusts: pass --pin with the pin that sync-server prints, or --ca FILE; nothing was sent."
            )
        case .wrongHost:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server's certificate is for another host: check the address, or pass --pin; nothing was sent."
            )
        case .certificateExpired:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server's certificate has expired or is not valid yet: renew it, or set this machine's clock; nothing was sent."
            )
        case .pinMalformed:
            Message(
                exit: .usage,
                command: nil,
                sentence: "A pin is sha256// and 44 characters of base64: copy the whole of what sync-server prints."
            )
        case .authoritiesUnreadable:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The file of certificate authorities (--ca) cannot be read: check its path."
            )
        case .answerTooLarge:
            Message(
                exit: .other,
                command: nil,
                sentence: "The server's answer is too large: check the address, or update this program."
            )
        case .stopped:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The daemon was stopped during the command: try again."
            )
        case .addressMalformed:
            Message(
                exit: .usage,
                command: nil,
                sentence: "A server's address looks like https://sync.example.org or https://host:8443."
            )
        case .addressPlaintext:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The server's address must begin with https://."
            )
        case .addressCharacter:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The server's address has an invalid character: correct it."
            )
        case .eventsRefused:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The server refused the event stream (status {status}): try again."
            )
        case .connectionFailed:
            Message(
                exit: .other,
                command: nil,
                sentence: "The connection could not be set up (curl error {number}): try again."
            )
        case .circleForked:
            Message(
                exit: .refused,
                command: "sync-client devices",
                sentence: "Sync is paused: the server shows another list of devices than this one knows; if it was restored from a backup, and a device was added or removed before this one came back, run sync-client logout --keep-items and sync-client login, else do not trust it."
            )
        case .deletionsHeld:
            Message(
                exit: .tryAgain,
                command: "sync-client deletions",
                sentence: "{what} deleted on others within a day, and what is still here stays until you decide: sync-client deletions lists them, sync-client deletions keep brings all of them back on all devices, and sync-client deletions accept deletes them here too."
            )
        case .restoredTooOften:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "The server said several times in a row that it was restored from a backup: your items here are kept, and this device asks it ever less often, at least once an hour; tell the server's operator."
            )
        case .lockedSync:
            Message(
                exit: .tryAgain,
                command: "sync-client unlock",
                sentence: "The keychain is locked: unsent changes are sent after sync-client unlock."
            )
        case .databaseUnusable:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "Sync could not use this device's database ({kind}): nothing is lost, and it tries again by itself; if this stays, run sync-client doctor."
            )
        case .diskFullSync:
            Message(
                exit: .diskTrouble,
                command: "sync-client sync",
                sentence: "The disk is full, so the keychain's file could not be written: nothing is lost; free some space and sync again."
            )
        case .recordsOpen:
            Message(
                exit: .other,
                command: "sync-client status",
                sentence: "All else is synced, but {what}: sync-client status says why and what to do."
            )
        case .notSentTooLarge:
            Message(
                exit: .other,
                command: nil,
                sentence: "the item is too large with its history; make it smaller, or delete it"
            )
        case .notSentProxyLimit:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "a proxy before the server refuses requests of {size}: let it accept 5 MB (nginx: client_max_body_size 5m), then run sync-client doctor; or make the item smaller"
            )
        case .notSentMalformed:
            Message(
                exit: .refused,
                command: "sync-client doctor",
                sentence: "the server refuses it; update the older of client and server, then run sync-client doctor"
            )
        case .notSentSiblingsFull:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "it was changed on too many devices at once; it is sent after the next sync has joined the changes"
            )
        case .notSentSiblingsUnreadable:
            Message(
                exit: .other,
                command: "sync-client doctor --replace {item}",
                sentence: "the server has too many versions of it that cannot be read here; update this program, or replace them with yours: sync-client doctor --replace {item}"
            )
        case .notSentAccountFull:
            Message(
                exit: .other,
                command: nil,
                sentence: "the account has no room for it on the server{room}, so it waits here; make it smaller, delete what you do not need, or ask the server's operator for more room"
            )
        case .notSentDamaged:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "its data on this device is damaged; see sync-client doctor"
            )
        case .notSentTied:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "it waits for a change that cannot be sent: one of its other name, or of the same transaction"
            )
        case .unreadableNewerFormat:
            Message(
                exit: .other,
                command: nil,
                sentence: "newerFormat"
            )
        case .unreadableRetired:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "retired"
            )
        case .unreadableKeyMissing:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "keyMissing"
            )
        case .unreadableNotAuthentic:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "notAuthentic"
            )
        case .unreadableMalformed:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "malformed"
            )
        case .unreadableWrongRecord:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "wrongRecord"
            )
        case .unreadableWrongFlag:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "wrongFlag"
            )
        case .unreadableTooLarge:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "tooLarge"
            )
        case .falseKeys:
            Message(
                exit: .refused,
                command: "sync-client devices",
                sentence: "device {device} has stored false keys: revoke it"
            )
        case .itemUnreadable:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "{count} on this device cannot be read"
            )
        case .notWell:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "Not all is well: {problems}."
            )
        case .noAccount:
            Message(
                exit: .other,
                command: "sync-client setup",
                sentence: "This device has no account yet: run sync-client signup or sync-client login first."
            )
        case .nothingToLeave:
            Message(
                exit: .other,
                command: nil,
                sentence: "This device has no account, so there is nothing to log out of."
            )
        case .alreadyEnrolled:
            Message(
                exit: .other,
                command: "sync-client status",
                sentence: "This device belongs to an account already: see sync-client status. To join another one, log out first (sync-client logout), or use another --home."
            )
        case .mayBeHereOnly:
            Message(
                exit: .refused,
                command: "sync-client logout --keep-items",
                sentence: "Sync does not work here (see sync-client status), so the server may not have all that is on this device: keep it with --keep-items, or lose it with --discard-unsent. Nothing was changed."
            )
        case .unsent:
            Message(
                exit: .other,
                command: nil,
                sentence: "{what} that are not on the server: {way} or lose them with --discard-unsent. Nothing was changed."
            )
        case .keptFromOther:
            Message(
                exit: .refused,
                command: nil,
                sentence: "{what} kept from another account will go into this one: give --into-other-account if they may. Nothing was changed."
            )
        case .loginUnsaved:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The account took this device in as {device}, but the disk is full or failed, so nothing of it could be kept here: free some space and log in again, and then remove {device} on any device, with sync-client revoke."
            )
        case .isJoining:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "A sign-up or login is under way on this device: wait until it has ended."
            )
        case .isLeaving:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "A logout is under way on this device: wait until it has ended."
            )
        case .isMoving:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The account's server is being changed on this device: try again."
            )
        case .credentialsRefused:
            Message(
                exit: .refused,
                command: nil,
                sentence: "Wrong account name, password or Account Key: check all three and try again."
            )
        case .deletionOutOfReach:
            Message(
                exit: .serverOutOfReach,
                command: nil,
                sentence: "The server is out of reach: check your connection, and delete the account again later. Nothing was changed."
            )
        case .deletionRefused:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The password is not the account's, or the account is gone already: nothing was deleted now."
            )
        case .accountNotAuthentic:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server's data about this account contradicts itself: nothing was kept; check that it is the right server."
            )
        case .accountFull:
            Message(
                exit: .refused,
                command: "sync-client devices",
                sentence: "The account has as many devices as it can have, also counting those that logged out: remove one with sync-client revoke on a device that is logged in, or name one here with --remove-device."
            )
        case .deviceSignedFalseKeys:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The device {name} of this account has stored false keys for the others, so nobody can log in. If it is not in your hands, log in with --remove-device {device}, which removes it and makes new keys. Nothing was changed."
            )
        case .circleBusy:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "Other devices are joining at this moment: try again."
            )
        case .nameUnusable:
            Message(
                exit: .usage,
                command: nil,
                sentence: "Account and device names must not be empty, nor longer than 128 bytes."
            )
        case .invitationUnknown:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server does not know that invitation: compare it with what its operator gave you, or ask for another code, and give it with --invitation CODE."
            )
        case .signupUnfinished:
            Message(
                exit: .refused,
                command: nil,
                sentence: "That account name is taken, perhaps by a sign-up from here that was cut off: sign up again with the password typed then, or choose another name."
            )
        case .revokesItself:
            Message(
                exit: .usage,
                command: "sync-client logout",
                sentence: "That is this device: it leaves with sync-client logout. To remove it for good, do so on another device."
            )
        case .passwordWrong:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The password is not the account's present one: nothing was changed."
            )
        case .cannotChangePassword:
            Message(
                exit: .serverOutOfReach,
                command: nil,
                sentence: "The server is out of reach, and the password or Account Key changes for all devices or for none: check your connection, and repeat the command. Nothing was changed."
            )
        case .mayHaveChanged:
            Message(
                exit: .serverOutOfReach,
                command: "sync-client sync",
                sentence: "The connection to the server was lost, so the password or Account Key may be changed or not: repeat the command when the server answers."
            )
        case .cannotRevoke:
            Message(
                exit: .serverOutOfReach,
                command: nil,
                sentence: "The server is out of reach, and only it can remove a device: check your connection, and repeat the command. Nothing was changed."
            )
        case .mayHaveRevoked:
            Message(
                exit: .serverOutOfReach,
                command: "sync-client devices",
                sentence: "The connection to the server was lost, so the device may be removed or not: repeat the command when the server answers, and see sync-client devices."
            )
        case .revokingBusy:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "Other devices keep writing at this moment: try again. Nothing was changed."
            )
        case .falseDeviceRemains:
            Message(
                exit: .usage,
                command: "sync-client devices",
                sentence: "A device has stored false keys, and must be among those you remove: sync-client devices shows which one it is. Nothing was changed."
            )
        case .keysMissing:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This device missed newer keys of the account before the false ones: remove the device that stored these on another device, or here with sync-client logout --keep-items and sync-client login --remove-device. Nothing was changed."
            )
        case .circleOlder:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server shows another or older list of devices than this device knows, so no device can be removed: if it was restored, log out with --keep-items, log in and revoke again, otherwise ask its operator. Nothing was changed."
            )
        case .removalNotFetched:
            Message(
                exit: .tryAgain,
                command: "sync-client sync",
                sentence: "The server accepted the removal, but this device could not fetch the newer list of devices: run sync-client sync, and see sync-client devices."
            )
        case .falsenessUnproven:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server's newest keys do not open, but nothing proves that a device has signed them: tell the server's operator. Nothing was changed."
            )
        case .pinUnknown:
            Message(
                exit: .usage,
                command: "sync-client server",
                sentence: "This device does not have that pin: sync-client server shows those that it has."
            )
        case .pinOnly:
            Message(
                exit: .refused,
                command: nil,
                sentence: "That is the only pin: add the next one first with sync-client server pin add, or go back to certificate authorities with sync-client server set URL --no-pin."
            )
        case .pinFirst:
            Message(
                exit: .refused,
                command: "sync-client server",
                sentence: "The server's key has another pin, and the first pin of a device must be that of the present key, which sync-server prints when it starts."
            )
        case .pinInUse:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server uses the key with that pin now: remove the pin when the server has switched."
            )
        case .movedUnknownDevice:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server at that address does not know this device, which may have been removed from the account."
            )
        case .movedNoAccount:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server at that address does not have this account: check the address, and if it is a new server of yours, run sync-client server rebuild with the address, which makes the account there again."
            )
        case .accountIsThere:
            Message(
                exit: .refused,
                command: "sync-client sync",
                sentence: "The server has the account, and it need not be made again: sync-client sync sends what it lacks, and sync-client server set follows it to a new address."
            )
        case .circleIncomplete:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server does not know this device, and this device does not have all that puts it right: try it on another device."
            )
        case .rebuildNameTaken:
            Message(
                exit: .refused,
                command: nil,
                sentence: "Somebody else has the account's name on that server: ask its operator to remove that account, or use another server."
            )
        case .movedOtherCircle:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server at that address has another list of the account's devices."
            )
        case .movedWrongOrigin:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server at that address does not accept the address: ask its operator to name it with --origin."
            )
        case .movedPinMismatch:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The key of the server at that address has none of the pins: give with --pin the one that sync-server prints when it starts."
            )
        case .wouldBeLost:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This would be lost: {what}. Nothing was changed: give --discard-unsent, or run the command on a terminal."
            )
        case .nothingGivenUp:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The keychain of this device stays as it is."
            )
        case .locked:
            Message(
                exit: .tryAgain,
                command: "sync-client unlock",
                sentence: "The keychain is locked: run sync-client unlock, and try again."
            )
        case .accountKeyMistyped:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The Account Key is mistyped: compare it with the kit, group by group; after K1 it has six of five letters and digits."
            )
        case .accountKeyGroupMistyped:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The Account Key is mistyped in group {groups} (counted after K1): compare it with the kit."
            )
        case .accountKeyVersion:
            Message(
                exit: .refused,
                command: nil,
                sentence: "An Account Key begins with K1: compare it with the kit, or update this program."
            )
        case .passwordNotText:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The password is not text in UTF-8: type another one."
            )
        case .memoryMissing:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "There is too little memory to work with the password (128 MiB are needed): close other programs and try again."
            )
        case .wrongPassword:
            Message(
                exit: .refused,
                command: nil,
                sentence: "Wrong password, or the Account Key of another account: check both."
            )
        case .passcodeNeeded:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This device has a passcode: type it, or give a file with it."
            )
        case .passcodeNotSet:
            Message(
                exit: .refused,
                command: "sync-client passcode set",
                sentence: "This device has no passcode: set one first."
            )
        case .passcodeAlreadySet:
            Message(
                exit: .refused,
                command: "sync-client passcode change",
                sentence: "This device already has a passcode: change or remove it."
            )
        case .passcodeEmpty:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The passcode is empty: type one, or give a file with it."
            )
        case .wrongPasscode:
            Message(
                exit: .refused,
                command: nil,
                sentence: "Wrong passcode: nothing was unlocked or changed."
            )
        case .keyFileOpenToOthers:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The file {file} in the home directory can be read by others: set its permissions to 600."
            )
        case .keyFileMissing:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The file {file} is missing from the home directory. Restore it from a backup: without it the keychain cannot be opened. If there is none, run sync-client reset, and then sync-client login."
            )
        case .keyFileUnavailable:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The file {file} in the home directory cannot be used ({reason}): check the disk and its permissions."
            )
        case .keyFileDamaged:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "A key file in the home directory is damaged or another device's. Restore it from a backup. If there is none, run sync-client reset, and then sync-client login."
            )
        case .deviceDataDamaged:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "Something sealed on this device was changed or damaged: restore its home from a backup, or log in again with another --home."
            )
        case .accountDataDamaged:
            Message(
                exit: .diskTrouble,
                command: "sync-client doctor",
                sentence: "This device's data about its account is damaged: restore its home from a backup, or log in again with another --home."
            )
        case .itemTooLarge:
            Message(
                exit: .other,
                command: nil,
                sentence: "The item or name is too large: make it smaller."
            )
        case .formatNewer:
            Message(
                exit: .other,
                command: nil,
                sentence: "A newer version has written this: update this program."
            )
        case .formatRetired:
            Message(
                exit: .other,
                command: nil,
                sentence: "Something is sealed in a way that the account no longer accepts: update the device that wrote it."
            )
        case .devicesUntrusted:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The server shows a list of devices that cannot be right: do not trust it before you know why; nothing was kept."
            )
        case .notMember:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This device no longer belongs to the account: log in again with another --home."
            )
        case .noSuchItem:
            Message(
                exit: .notFound,
                command: nil,
                sentence: "This account has no such item: only synchronized items have a history."
            )
        case .exportFindsNothing:
            Message(
                exit: .notFound,
                command: "sync-client export",
                sentence: "No item has these words, so nothing was written: try \"keychain search\" with other words."
            )
        case .codeMalformed:
            Message(
                exit: .usage,
                command: "sync-client conflicts",
                sentence: "An item's code is 8 letters from a to z and digits from 2 to 7, as conflicts prints it."
            )
        case .codeAmbiguous:
            Message(
                exit: .other,
                command: nil,
                sentence: "Several items have that code: name the item with -s and -a instead."
            )
        case .nothingToReplace:
            Message(
                exit: .other,
                command: "sync-client status",
                sentence: "No unsent change of that item waits for versions that cannot be read: change the item first, and see sync-client status."
            )
        case .nothingToDrop:
            Message(
                exit: .other,
                command: "sync-client status",
                sentence: "No unreadable record with that code can be dropped: see sync-client status; what a newer version has written stays until this program is updated."
            )
        case .itemLocked:
            Message(
                exit: .tryAgain,
                command: "sync-client unlock",
                sentence: "The keychain is locked: unlock it and try again."
            )
        case .accessGroupRefused:
            Message(
                exit: .refused,
                command: nil,
                sentence: "This program may not use that access group."
            )
        case .itemNeedsPasscode:
            Message(
                exit: .refused,
                command: "sync-client passcode set",
                sentence: "Such an item needs a passcode on this device: set one first."
            )
        case .itemDamaged:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "The stored item is damaged and could not be read."
            )
        case .itemTooLargeForKeychain:
            Message(
                exit: .other,
                command: nil,
                sentence: "The item is too large for the keychain."
            )
        case .itemCallFailed:
            Message(
                exit: .other,
                command: nil,
                sentence: "{message}"
            )
        case .changeNotRecorded:
            Message(
                exit: .other,
                command: "sync-client doctor",
                sentence: "The change could not be recorded for syncing; nothing was changed."
            )
        case .diskFull:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The disk is full: free some space and try again; nothing was changed."
            )
        case .diskFullImport:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The disk is full or failed after {count}, which are kept: free some space and import the same file again."
            )
        case .fileReadOnly:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The keychain file cannot be written: check its permissions."
            )
        case .diskFailed:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The disk reported an error; nothing was changed."
            )
        case .fileDamaged:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The keychain file is damaged or is not a keychain; it was left as it is. Restore the home from a backup, or run sync-client reset, and then sync-client login for what the server has."
            )
        case .fileNewer:
            Message(
                exit: .other,
                command: nil,
                sentence: "A newer version of this program wrote the keychain file: update this program."
            )
        case .keychainUnavailable:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The keychain is not available."
            )
        case .databaseFailed:
            Message(
                exit: .other,
                command: nil,
                sentence: "The keychain's database failed (SQLite code {number}): try again; nothing was changed."
            )
        case .databaseLost:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "keychain.db is missing or empty although this home was in use: put it back, with the files beside it as they are, or use another --home; nothing was changed."
            )
        case .settingsUnwritable:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The file settings.json in the home directory cannot be written: free some space."
            )
        case .filesUnusable:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The device's files could not be used: see its log."
            )
        case .fileNotOrdinary:
            Message(
                exit: .usage,
                command: nil,
                sentence: "That is a directory or a special file: name an ordinary file."
            )
        case .fileExists:
            Message(
                exit: .usage,
                command: nil,
                sentence: "A file of that name exists already: name another one."
            )
        case .fileUnusable:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The file cannot be read or written ({reason}): nothing was changed."
            )
        case .fileNotProtected:
            Message(
                exit: .other,
                command: nil,
                sentence: "That is not a protected file."
            )
        case .fileAlreadyProtected:
            Message(
                exit: .other,
                command: nil,
                sentence: "The file is protected already."
            )
        case .fileNotAuthentic:
            Message(
                exit: .other,
                command: nil,
                sentence: "The file was changed or cut short since it was protected."
            )
        case .fileOfOtherDevice:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The file was protected on another device or with another --home: it can be opened only there."
            )
        case .fileFormatNewer:
            Message(
                exit: .other,
                command: nil,
                sentence: "A newer version has protected the file: update this program."
            )
        case .fileChangedMeanwhile:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The file was changed in the meantime: nothing was done."
            )
        case .fileHasLinks:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The file has further names (hard links) that would stay as they are: use -o."
            )
        case .backupWrongPassphrase:
            Message(
                exit: .refused,
                command: nil,
                sentence: "Wrong passphrase: nothing was restored."
            )
        case .backupPassphraseEmpty:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The passphrase is empty: type one, or give a file with it."
            )
        case .backupPassphraseShort:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The passphrase has fewer than 8 characters: type a longer one."
            )
        case .backupPassphraseNotText:
            Message(
                exit: .refused,
                command: nil,
                sentence: "The passphrase is not text in UTF-8: type another one."
            )
        case .backupMemoryMissing:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "There is too little memory to work with the passphrase (128 MiB are needed): close other programs and try again."
            )
        case .notABackup:
            Message(
                exit: .other,
                command: nil,
                sentence: "That is not a backup: name a file that sync-client backup has written."
            )
        case .backupNotAuthentic:
            Message(
                exit: .other,
                command: nil,
                sentence: "The backup was changed or cut short: nothing was restored."
            )
        case .backupNewer:
            Message(
                exit: .other,
                command: nil,
                sentence: "A newer version has written the backup: update this program."
            )
        case .importFailed:
            Message(
                exit: .other,
                command: nil,
                sentence: "{message}"
            )
        case .entitlementsWrong:
            Message(
                exit: .other,
                command: nil,
                sentence: "{message}"
            )
        case .homeMoved:
            Message(
                exit: .tryAgain,
                command: "sync-client stop",
                sentence: "The home {path} was moved or removed while its daemon ran: run sync-client stop, with --home for where it is now, and try again."
            )
        case .callMalformed:
            Message(
                exit: .other,
                command: "sync-client stop",
                sentence: "The daemon did not understand the command: it may be another version; stop it first."
            )
        case .callUnknown:
            Message(
                exit: .other,
                command: "sync-client stop",
                sentence: "The running daemon does not know this command: stop it; the next command starts a new one."
            )
        case .daemonMalformed:
            Message(
                exit: .other,
                command: "sync-client stop",
                sentence: "The daemon sent something that is no message."
            )
        case .callTooLarge:
            Message(
                exit: .other,
                command: nil,
                sentence: "That is more than can be handed to the daemon in one piece (64 MiB)."
            )
        case .daemonOtherVersion:
            Message(
                exit: .tryAgain,
                command: "sync-client stop",
                sentence: "The running daemon is of another version: stop it, and the next command starts the new one."
            )
        case .daemonLost:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "The daemon went away in the middle of the call, which may be done: look, and try again if it is not."
            )
        case .daemonNotFound:
            Message(
                exit: .other,
                command: nil,
                sentence: "The daemon cannot be started: there is no sync-client beside this program or on PATH, and KEYCHAIN_SYNC_DAEMON does not give the full path of one."
            )
        case .daemonFailed:
            Message(
                exit: .other,
                command: nil,
                sentence: "The daemon could not start (exit code {number}): see run/daemon.log in the home directory."
            )
        case .daemonFailedOnDisk:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The daemon could not start because the disk may be full or broken: free some space, and see run/daemon.log in the home directory."
            )
        case .daemonSilent:
            Message(
                exit: .tryAgain,
                command: "sync-client stop",
                sentence: "The daemon takes no connection: see run/daemon.log in the home directory."
            )
        case .daemonNotRunning:
            Message(
                exit: .other,
                command: nil,
                sentence: "No daemon is running."
            )
        case .daemonOfOtherUser:
            Message(
                exit: .other,
                command: nil,
                sentence: "The daemon's socket belongs to another user: refused."
            )
        case .homeInUse:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "Another daemon holds this home directory."
            )
        case .homeUnknown:
            Message(
                exit: .other,
                command: nil,
                sentence: "There is no home directory: give --home DIR, or set KEYCHAIN_SYNC_HOME or HOME."
            )
        case .homeEmpty:
            Message(
                exit: .usage,
                command: nil,
                sentence: "The path of the home is empty: give --home a directory, or leave the option out."
            )
        case .homeMissing:
            Message(
                exit: .usage,
                command: nil,
                sentence: "There is no device at {path}: check the path. A new device begins with sync-client setup, signup or login; one without an account with sync-client daemon."
            )
        case .socketPathTooLong:
            Message(
                exit: .other,
                command: nil,
                sentence: "The home's path is too long for a socket: use a shorter one, or set XDG_RUNTIME_DIR."
            )
        case .directoryNotPrivate:
            Message(
                exit: .other,
                command: nil,
                sentence: "The directory {path} must belong to you, and others must not write to it: run chmod 700 {path}, or give another --home."
            )
        case .homeUnusable:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "The home directory or its socket cannot be used ({reason}): check its path and permissions, or give another --home."
            )
        case .unforeseen:
            Message(
                exit: .other,
                command: nil,
                sentence: "Something went wrong in the daemon: try again, and see run/daemon.log in the home directory."
            )
        case .failed:
            Message(
                exit: .other,
                command: nil,
                sentence: "{message}"
            )
        case .wrongUsage:
            Message(
                exit: .usage,
                command: nil,
                sentence: "{message}"
            )
        case .diskTrouble:
            Message(
                exit: .diskTrouble,
                command: nil,
                sentence: "{message}"
            )
        case .tryAgain:
            Message(
                exit: .tryAgain,
                command: nil,
                sentence: "{message}"
            )
        case .notAllowed:
            Message(
                exit: .refused,
                command: nil,
                sentence: "{message}"
            )
        }
    }
}
