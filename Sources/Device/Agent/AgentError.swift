internal import Glibc
internal import KSSecurityNames

/// Why a program and the daemon cannot talk.
package enum AgentError: Error, Equatable, Sendable {
    /// The bytes are not a valid message.
    case malformedMessage
    /// A message is larger than a frame may be.
    case messageTooLarge
    /// The other end speaks another version of the protocol: the daemon has to be restarted.
    case otherVersion(UInt8)
    /// The other end went away in the middle of a call.
    case connectionLost
    /// `sync-client` is not at the variable's path, beside the program, or on `PATH`.
    case daemonNotFound
    /// The daemon ended before it took a connection; `reason` is its last log line, if any.
    case daemonFailed(exitCode: Int32, reason: String? = nil)
    /// The daemon runs but has taken no connection in time.
    case daemonSilent
    /// Nobody listens, and the caller wanted no daemon started.
    case daemonNotRunning
    /// The process at the other end belongs to another user.
    case foreignPeer(userID: UInt32)
    /// Another daemon holds this home.
    case alreadyRunning
    /// No home directory is given and none can be worked out.
    case homeUnknown
    /// The path that `--home` gives is empty.
    case homeEmpty
    /// There is no directory at the path that the user gave for the home.
    case homeMissing(path: String)
    /// The home's path is too long for a socket, and there is no runtime directory to use
    /// instead.
    case socketPathTooLong
    /// A directory that must be the user's alone is open to others, or belongs to another user.
    case directoryNotPrivate(path: String)
    /// The system refused; the number is errno's.
    case system(errno: Int32)
    /// The daemon's error reply.
    case failed(AgentFailure)
}

extension AgentError {
    /// The exit code of a daemon whose keychain may not be written to.
    package static let exitCodeWhenReadOnly: Int32 = 73

    /// One sentence that says what is wrong, and what to do where that helps.
    package var sentence: String {
        switch self {
        case .malformedMessage: "The daemon sent something that is no message."
        case .messageTooLarge:
            "That is more than can be handed to the daemon in one piece (64 MiB)."
        case .otherVersion:
            "The running daemon is of another version: stop it, and the next command starts"
                + " the new one."
        case .connectionLost:
            "The daemon went away in the middle of the call, which may be done: look, and try again"
                + " if it is not."
        case .daemonNotFound:
            "The daemon cannot be started: there is no sync-client beside this program or on PATH,"
                + " and KEYCHAIN_SYNC_DAEMON does not give the full path of one."
        case .daemonFailed(_, .some(let reason)): reason
        case .daemonFailed(let code, .none):
            "The daemon could not start (exit code \(code)): see run/daemon.log in the home"
                + " directory."
        case .daemonSilent:
            "The daemon takes no connection: see run/daemon.log in the home directory."
        case .daemonNotRunning: "No daemon is running."
        case .foreignPeer: "The daemon's socket belongs to another user: refused."
        case .alreadyRunning: "Another daemon holds this home directory."
        case .homeUnknown:
            "There is no home directory: give --home DIR, or set KEYCHAIN_SYNC_HOME or HOME."
        case .homeEmpty:
            "The path of the home is empty: give --home a directory, or leave the option out."
        case .homeMissing(let path):
            "There is no device at \(path): check the path. A new device begins with sync-client"
                + " setup, signup or login; one without an account with sync-client daemon."
        case .socketPathTooLong:
            "The home's path is too long for a socket: use a shorter one, or set XDG_RUNTIME_DIR."
        case .directoryNotPrivate(let path):
            "The directory \(path) must belong to you, and others must not write to it: run chmod"
                + " 700 \(path), or give another --home."
        case .system(let code):
            "The home directory or its socket cannot be used (\(Self.words(errno: code))): check"
                + " its path and permissions, or give another --home."
        case .failed(let failure):
            [failure.status, failure.hint].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    /// The code of its message in docs/Messages.md; empty if the daemon's reply names none.
    package var messageCode: String {
        switch self {
        case .malformedMessage: "daemon_malformed"
        case .messageTooLarge: "call_too_large"
        case .otherVersion: "daemon_other_version"
        case .connectionLost: "daemon_lost"
        case .daemonNotFound: "daemon_not_found"
        case .daemonFailed: "daemon_failed"
        case .daemonSilent: "daemon_silent"
        case .daemonNotRunning: "daemon_not_running"
        case .foreignPeer: "daemon_of_other_user"
        case .alreadyRunning: "home_in_use"
        case .homeUnknown: "home_unknown"
        case .homeEmpty: "home_empty"
        case .homeMissing: "home_missing"
        case .socketPathTooLong: "socket_path_too_long"
        case .directoryNotPrivate: "directory_not_private"
        case .system: "home_unusable"
        case .failed(let failure): failure.messageCode
        }
    }

    /// The system's message for an error number.
    package static func words(errno number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }

    /// The error as an OSStatus.
    package var status: Int32 {
        switch self {
        case .failed(let failure): failure.code
        case .messageTooLarge: SecStatus.errSecDataTooLarge
        case .daemonFailed(Self.exitCodeWhenReadOnly, _): SecStatus.errSecReadOnly
        default: SecStatus.errSecNotAvailable
        }
    }
}
