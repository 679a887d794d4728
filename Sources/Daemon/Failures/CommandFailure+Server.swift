package import KSTransport
package import KSWire

extension CommandFailure {
    /// The client's own text for a server's code; the server's is never shown.
    package init(_ code: ErrorCode) {
        switch code {
        case .unauthenticated, .refused, .wrongOrigin, .nameTaken, .registrationClosed,
            .invitationNeeded, .actorForked, .storeRestored, .unknownCursor, .generationClosed,
            .resyncRequired, .circleChanged:
            self.init(membership: code)
        case .malformed, .tooLarge, .siblingsFull, .quotaExceeded, .preconditionRequired,
            .notFound, .tooManyRequests, .storageFailed, .unavailable, .internalError:
            self.init(request: code)
        }
    }

    /// About the account, and this device as a part of it.
    private init(membership code: ErrorCode) {
        switch code {
        case .unauthenticated:
            self = .tryAgain("The server has ended this device's session: try again.")
        case .refused:
            self = .refused(
                "The server does not accept this device: it may have been removed from the account"
                    + " (log in again with another --home), or the server no longer goes by the"
                    + " address that sync-client status shows (ask who runs it)."
            )
        case .wrongOrigin:
            self = .refused(
                "The server does not go by the address that this device has for it (see sync-client"
                    + " status): ask who runs it to name that address with --origin."
            )
        case .nameTaken:
            self = .refused("That account name is taken: choose another one, or log in to it.")
        case .registrationClosed:
            self = .refused("This server takes no new accounts: ask who runs it.")
        case .invitationNeeded:
            self = .refused(
                "This server takes new accounts by invitation only: ask who runs it for a code that"
                    + " nobody has used, and give it with --invitation CODE."
            )
        case .actorForked:
            self = .tryAgain(
                "This device's files were copied or put back: it goes on under a new number; sync"
                    + " again."
            )
        case .storeRestored:
            self = .other(
                "The server was restored from a backup: sync is paused; your items here are kept."
            )
        case .unknownCursor:
            self = .tryAgain(
                "The server does not remember what it told this device: sync again; your items here"
                    + " are kept."
            )
        case .generationClosed:
            self = .tryAgain("The account's keys were changed: sync again to fetch them.")
        case .resyncRequired:
            self = .other(
                "This device was away for too long to catch up: log in again with another --home."
            )
        default: self = .tryAgain("Another device has joined or left at this moment: try again.")
        }
    }

    /// About what was asked of the server, and how it is.
    private init(request code: ErrorCode) {
        switch code {
        case .malformed:
            self = .other(
                "The server did not understand this program: update the older of the two."
            )
        case .tooLarge: self = .other("Something is larger than the server takes.")
        case .siblingsFull:
            self = .tryAgain(
                "An item was changed on too many devices at once: sync again to join the changes."
            )
        case .quotaExceeded:
            self = .other(
                "The account is full on the server: delete items or ask for more room; nothing is"
                    + " lost here."
            )
        case .preconditionRequired:
            self = .other("The server is newer than this program: update this program.")
        case .notFound:
            self = .other(
                "The server does not know that address: check --server, and which of the two needs"
                    + " an update."
            )
        case .tooManyRequests:
            self = .tryAgain("The server asks for patience: wait a minute and try again.")
        case .storageFailed:
            self = .tryAgain(
                "The server's disk is full or broken and it kept nothing: tell who runs it, and try"
                    + " again later."
            )
        case .unavailable:
            self = .tryAgain("The server is stopping or overloaded: try again in a minute.")
        default: self = .tryAgain("Something went wrong on the server: try again later.")
        }
    }

    package init(_ error: TransportError) {
        switch error {
        case .outOfReach:
            self = .serverOutOfReach(
                "The server is out of reach: check its address and your connection; what you change"
                    + " meanwhile is sent later."
            )
        case .timedOut:
            self = .serverOutOfReach(
                "The server does not answer: check your connection and try again."
            )
        case .untrusted(let problem): self.init(problem)
        case .tooLarge: self = .other("The server's answer is larger than any of this protocol.")
        case .cancelled: self = .stopped
        case .malformedOrigin:
            self = .usage(
                "A server's address looks like https://sync.example.org or https://host:8443."
            )
        case .plaintextForbidden: self = .usage("The server's address must begin with https://.")
        case .malformedRequest:
            self = .usage("The server's address holds a character that it may not.")
        case .unexpectedStatus(let status, _):
            self = .tryAgain(
                "The server refused the connection for news (status \(status)): try again."
            )
        case .library(let code):
            self = .other("The connection could not be set up (curl's number \(code)).")
        }
    }

    package init(_ problem: TrustProblem) {
        switch problem {
        case .pinMismatch:
            self = .refused(
                "The server's key is not the pinned one: compare --pin with what sync-server prints"
                    + " when it starts; nothing was sent."
            )
        case .unverifiedChain:
            self = .refused(
                "The server's certificate is signed by nobody this machine trusts: pass --pin with"
                    + " the pin that sync-server prints, or --ca FILE; nothing was sent."
            )
        case .wrongHost:
            self = .refused(
                "The server's certificate is for another host: check the address, or pass --pin;"
                    + " nothing was sent."
            )
        case .expired:
            self = .refused(
                "The server's certificate has expired or is not valid yet: renew it, or set this"
                    + " machine's clock; nothing was sent."
            )
        case .malformedPin:
            self = .usage(
                "A pin is sha256// and 44 characters of base64: copy the whole of what sync-server"
                    + " prints."
            )
        case .authorityFileUnreadable:
            self = .usage(
                "The file of certificate authorities (--ca) cannot be read: check its path."
            )
        }
    }
}
