/// The stable `code` of an error answer (RFC 9457).
///
/// Programs act on these: a code is never renamed and never used for anything else. The client
/// shows its own text for a code, never the server's.
package enum ErrorCode: String, Error, Sendable, CaseIterable {
    /// The request could not be read.
    case malformed
    /// Something is over a limit of the protocol.
    case tooLarge = "too_large"
    /// One record has as many siblings as are kept; join them first.
    case siblingsFull = "siblings_full"
    /// The account holds as much as its quota allows.
    case quotaExceeded = "quota_exceeded"
    /// No session, or one that has ended.
    case unauthenticated
    /// The signature does not verify, or the account does not exist: the two are not told apart.
    case refused
    /// The server does not go by the origin that the client signs for.
    case wrongOrigin = "wrong_origin"
    /// The account name is taken.
    case nameTaken = "name_taken"
    /// This server takes no new accounts.
    case registrationClosed = "registration_closed"
    /// This server takes new accounts only with an invitation that has not been used yet.
    case invitationNeeded = "invitation_needed"
    /// Another batch of this actor stands there already: a clone or a restored device.
    case actorForked = "actor_forked"
    /// The request is of another life of the server's store.
    case storeRestored = "store_restored"
    /// The cursor was never given in the history that the server has.
    ///
    /// Either its sender is wrong, or the store went back unnoticed: a device shows with its
    /// signature which of the two.
    case unknownCursor = "unknown_cursor"
    /// The batch is sealed under a key generation that has ended.
    case generationClosed = "generation_closed"
    /// The cursor is older than what was removed since.
    case resyncRequired = "resync_required"
    /// The request must say what it starts from (If-Match), and does not.
    case preconditionRequired = "precondition_required"
    /// Another entry of the circle came first.
    case circleChanged = "circle_changed"
    /// No such thing.
    case notFound = "not_found"
    /// Too many requests; see Retry-After.
    case tooManyRequests = "too_many_requests"
    /// The server's disk is full or broken; nothing was stored.
    case storageFailed = "storage_failed"
    /// The server is stopping or has too much to do; see Retry-After.
    case unavailable
    /// Anything else went wrong on the server.
    case internalError = "internal_error"
}
