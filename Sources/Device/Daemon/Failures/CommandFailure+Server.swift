package import KSTransport
package import KSWire

extension CommandFailure {
    /// The server does not know this device as a member of the account.
    ///
    /// That may be a lie. For an address that it does not know, the server has another code.
    package static let serverRefusesDevice = CommandFailure(ErrorCode.refused)

    /// The server has no account of this id.
    package static let accountLost = CommandFailure(ErrorCode.accountUnknown)

    package init(_ code: ErrorCode) {
        let exit: Exit =
            switch code {
            case .unauthenticated, .actorForked, .unknownCursor, .generationClosed,
                .circleChanged, .siblingsFull, .tooManyRequests, .storageFailed, .unavailable,
                .internalError:
                .tryAgain
            case .refused, .accountUnknown, .wrongOrigin, .nameTaken, .registrationClosed,
                .invitationNeeded:
                .refused
            case .storeRestored, .resyncRequired, .malformed, .tooLarge, .quotaExceeded,
                .preconditionRequired, .notFound:
                .other
            }
        self.init(exit, code.sentence)
    }

    static let accountFullOnServer = CommandFailure(ErrorCode.quotaExceeded)
    package static let nameTaken = CommandFailure(ErrorCode.nameTaken)
    package static let invitationNeeded = CommandFailure(ErrorCode.invitationNeeded)
    /// No authority that this machine trusts has signed the server's certificate.
    package static let serverSignedByNobody = CommandFailure(
        TransportError.untrusted(.unverifiedChain)
    )

    package init(_ error: TransportError) {
        let exit: Exit =
            switch error {
            case .outOfReach, .timedOut: .serverOutOfReach
            case .untrusted(.malformedPin), .untrusted(.authorityFileUnreadable), .malformedOrigin,
                .plaintextForbidden, .malformedRequest:
                .usage
            case .untrusted: .refused
            case .cancelled, .unexpectedStatus: .tryAgain
            case .tooLarge, .library: .other
            }
        self.init(exit, error.sentence)
    }
}

extension TransportError {
    fileprivate var sentence: String {
        switch self {
        case .outOfReach:
            "The server is out of reach: check its address and your connection; what you change"
                + " meanwhile is sent later."
        case .timedOut: "The server does not answer: check your connection and try again."
        case .untrusted(let problem): problem.sentence
        case .tooLarge:
            "The server's answer is too large: check the address, or update this program."
        case .cancelled: CommandFailure.stopped.sentence
        case .malformedOrigin:
            "A server's address looks like https://sync.example.org or https://host:8443."
        case .plaintextForbidden: "The server's address must begin with https://."
        case .malformedRequest: "The server's address has an invalid character: correct it."
        case .unexpectedStatus(let status, _):
            "The server refused the event stream (status \(status)): try again."
        case .library(let code):
            "The connection could not be set up (curl error \(code)): try again."
        }
    }
}

extension TrustProblem {
    fileprivate var sentence: String {
        switch self {
        case .pinMismatch:
            "The server's key is not the pinned one, and nothing was sent: ask the server's"
                + " operator for the pin that sync-server prints when it starts, and if the key"
                + " was replaced on purpose, run sync-client server pin add NEW."
        case .unverifiedChain:
            "The server's certificate is signed by nobody this machine trusts: pass --pin with"
                + " the pin that sync-server prints, or --ca FILE; nothing was sent."
        case .wrongHost:
            "The server's certificate is for another host: check the address, or pass --pin;"
                + " nothing was sent."
        case .expired:
            "The server's certificate has expired or is not valid yet: renew it, or set this"
                + " machine's clock; nothing was sent."
        case .malformedPin:
            "A pin is sha256// and 44 characters of base64: copy the whole of what sync-server"
                + " prints."
        case .authorityFileUnreadable:
            "The file of certificate authorities (--ca) cannot be read: check its path."
        }
    }
}

extension ErrorCode {
    /// The client's own text for a server's code; the server's is never shown.
    fileprivate var sentence: String {
        switch self {
        case .unauthenticated: "The server has ended this device's session: try again."
        case .refused:
            "The server refuses this device, which may have been removed from the account: what it"
                + " has stays here; to join again, run sync-client logout --keep-items and then"
                + " sync-client login."
        case .accountUnknown:
            "The server does not have this account: it was emptied, or is another server; what you"
                + " have stays here, and sync-client server rebuild makes the account there again."
        case .wrongOrigin:
            "The server does not accept the address that this device has for it (see sync-client"
                + " status): ask the server's operator to name that address with --origin."
        case .nameTaken: "That account name is taken: choose another one, or log in to it."
        case .registrationClosed:
            "This server accepts no new accounts: ask the server's operator."
        case .invitationNeeded:
            "This server accepts new accounts by invitation only: ask its operator for an unused"
                + " code, and give it with --invitation CODE."
        case .actorForked:
            "This device's files were copied or restored: it continues as a new writer; sync"
                + " again."
        case .storeRestored:
            "The server was restored from a backup: your items here are kept, and this device puts"
                + " right what the server lost; sync again in a moment."
        case .unknownCursor:
            "The server does not know the last state that it gave this device: sync again; your"
                + " items here are kept."
        case .generationClosed: "The account's keys were changed: sync again to fetch them."
        case .resyncRequired:
            "This device was away for long and compares its items with the server's: sync again in"
                + " a moment."
        case .circleChanged: "Another device has joined or left at this moment: try again."
        case .malformed: "The server did not understand this program: update the older of the two."
        case .tooLarge: "A change is too large for the server: see sync-client status."
        case .siblingsFull:
            "An item was changed on too many devices at once: sync again to join the changes."
        case .quotaExceeded:
            // A deleted item of a keychain makes no room: its tombstone keeps it.
            "The account is full on the server: delete values of key-value stores or ask for more"
                + " room; nothing is lost here."
        case .preconditionRequired: "The server is newer than this program: update this program."
        case .notFound:
            "The server does not know that address: check --server, and which of the two needs"
                + " an update."
        case .tooManyRequests:
            "The server has too many requests: wait a minute and try again."
        case .storageFailed:
            "The server's disk is full or broken and it kept nothing: tell the server's operator,"
                + " and try again later."
        case .unavailable: "The server is stopping or overloaded: try again in a minute."
        case .internalError: "Something went wrong on the server: try again later."
        }
    }
}
