/// The stable `code` of an error answer (RFC 9457).
///
/// Programs act on codes, so a code is never renamed or given another meaning. The client shows its
/// own text for a code, never the server's. An older client does not know a new code: it acts on
/// the status and on `retry`, and shows the code itself.
package enum ErrorCode: String, Error, Sendable, CaseIterable {
    /// The request could not be read.
    case malformed
    /// Something exceeds a limit of the protocol.
    case tooLarge = "too_large"
    /// A record has the most siblings allowed; join them first.
    case siblingsFull = "siblings_full"
    /// The account holds as much as its quota allows.
    case quotaExceeded = "quota_exceeded"
    /// No session, or one that has ended.
    case unauthenticated
    /// The signature is not valid, or the account does not exist; the answer is the same.
    case refused
    /// The server has no account of this id: it was emptied, or is another one.
    ///
    /// Only a request that puts a circle back is answered so; it has to know the id.
    case accountUnknown = "account_unknown"
    /// The server's operator has suspended the account.
    case accountSuspended = "account_suspended"
    /// The server does not have the origin that the client signs for.
    case wrongOrigin = "wrong_origin"
    /// The account name is taken.
    case nameTaken = "name_taken"
    /// This server accepts no new accounts.
    case registrationClosed = "registration_closed"
    /// This server accepts new accounts only with an unused invitation.
    case invitationNeeded = "invitation_needed"
    /// The invitation was used, or revoked.
    case invitationUsed = "invitation_used"
    /// The server has another batch of this actor at this place: a cloned or restored device.
    case actorForked = "actor_forked"
    /// The request is of another store epoch.
    case storeRestored = "store_restored"
    /// The server never gave this cursor in its present history.
    ///
    /// Either the sender is wrong, or the store went back unnoticed; a device's signed statement
    /// decides which.
    case unknownCursor = "unknown_cursor"
    /// The batch is sealed under a key generation that has ended.
    case generationClosed = "generation_closed"
    /// The cursor is older than what was removed since.
    case resyncRequired = "resync_required"
    /// The request lacks its precondition (If-Match).
    case preconditionRequired = "precondition_required"
    /// Another entry of the circle came first.
    case circleChanged = "circle_changed"
    /// The requested resource does not exist.
    case notFound = "not_found"
    /// Too many requests; see Retry-After.
    case tooManyRequests = "too_many_requests"
    /// The server's disk is full or broken; nothing was stored.
    case storageFailed = "storage_failed"
    /// The server is stopping or overloaded; see Retry-After.
    case unavailable
    /// Another error on the server.
    case internalError = "internal_error"
    /// The client speaks only protocols that this server speaks no more.
    case clientTooOld = "client_too_old"
    /// The client speaks only protocols that this server does not speak yet.
    case serverTooOld = "server_too_old"
}

extension ErrorCode {
    /// Whether the same request may succeed later by itself; the server's `retry` says the same to
    /// a client that does not know the code.
    package var isWorthRetrying: Bool {
        switch self {
        case .tooManyRequests, .storageFailed, .internalError, .unavailable, .unauthenticated,
            .accountSuspended:
            true
        default: false
        }
    }

    /// Whether it says nothing about the request but that the two programs do not fit together: a
    /// later version may accept it.
    package var isAboutVersions: Bool { self == .clientTooOld || self == .serverTooOld }
}
