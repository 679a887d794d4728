internal import KSSyncEngine
package import KSTransport
package import KSWire

extension CommandFailure {
    /// The server does not know this device as a member of the account.
    ///
    /// That may be a lie. For an address that it does not know, the server has another code.
    package static let serverRefusesDevice = CommandFailure(ErrorCode.refused)
    /// The server has no account of this id.
    package static let accountLost = CommandFailure(ErrorCode.accountUnknown)
    static let accountFullOnServer = CommandFailure(ErrorCode.quotaExceeded)
    package static let nameTaken = CommandFailure(ErrorCode.nameTaken)
    package static let invitationNeeded = CommandFailure(ErrorCode.invitationNeeded)
    /// The server asks for an invitation, and does not know the code that was given.
    package static let invitationUnknown = CommandFailure(code: .invitationUnknown)
    package static let invitationUsed = CommandFailure(ErrorCode.invitationUsed)
    /// No authority that this machine trusts has signed the server's certificate.
    package static let serverSignedByNobody = CommandFailure(
        TransportError.untrusted(.unverifiedChain)
    )

    /// The client's own text for a server's code; the server's is never shown.
    package init(_ code: ErrorCode) {
        // A test makes sure that each code has its row.
        self.init(code: MessageCode(rawValue: code.rawValue) ?? .internalError)
    }

    package init(_ error: TransportError) {
        switch error {
        case .outOfReach: self.init(code: .outOfReach)
        case .timedOut: self.init(code: .timedOut)
        case .untrusted(let problem): self.init(code: MessageCode(problem))
        case .tooLarge: self.init(code: .answerTooLarge)
        case .cancelled: self.init(code: .stopped)
        case .malformedOrigin: self.init(code: .addressMalformed)
        case .plaintextForbidden: self.init(code: .addressPlaintext)
        case .malformedRequest: self.init(code: .addressCharacter)
        case .unexpectedStatus(let status, _):
            self.init(code: .eventsRefused, ["status": "\(status)"])
        case .library(let number): self.init(code: .connectionFailed, ["number": "\(number)"])
        }
    }
}

extension MessageCode {
    fileprivate init(_ problem: TrustProblem) {
        self =
            switch problem {
            case .pinMismatch: .pinMismatch
            case .unverifiedChain: .chainUnverified
            case .wrongHost: .wrongHost
            case .expired: .certificateExpired
            case .malformedPin: .pinMalformed
            case .authorityFileUnreadable: .authoritiesUnreadable
            }
    }
}

extension SpokenProtocol.Feature {
    /// What a server without it cannot do, after "cannot".
    var words: String {
        switch self {
        case .deleteAccount: "delete an account at its owner's wish"
        case .events: "announce changes"
        case .rebuild: "make an account again that it has lost"
        }
    }
}
