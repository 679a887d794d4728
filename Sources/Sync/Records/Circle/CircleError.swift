/// Why an entry may not follow in a circle.
///
/// No case carries contents, so an error is always safe to log.
package enum CircleError: Error, Hashable {
    /// The bytes are not an entry, or it has more members than ``Limits`` allows.
    case malformed
    /// A chain has to begin with its genesis entry, and has only one.
    case notGenesis
    case otherAccount
    case wrongVersion(expected: UInt64)
    /// It follows a different previous entry: a second history of the circle.
    case otherHistory
    /// The author is not a member of the previous entry, or its kind may not do this.
    case authorNotAllowed
    /// A signature is missing, superfluous or wrong.
    case signatureInvalid
    /// The operation needs a second member's signature.
    case secondSignatureMissing
    /// One thief may have both signing devices: one added the other, or a third added both.
    case secondSignerNotIndependent
    /// The added member has not proved that it holds its keys.
    case possessionInvalid
    /// A member's id does not match its signing key, or its keys are weak or used by another.
    case memberInvalid
    /// The members changed in a way that the operation does not allow.
    case membersChanged
    /// The generation, its check value or the closing vector does not fit the operation.
    case generationInvalid
    /// The oldest generation or format is lowered, too high, or may not change here.
    case floorInvalid
    /// The key envelopes do not match the entry, or are not one for each member.
    case envelopesInvalid
}
