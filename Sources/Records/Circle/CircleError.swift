/// Why an entry is no next entry of a circle.
///
/// No case carries contents, so an error is always safe to log.
package enum CircleError: Error, Hashable {
    /// The bytes are no entry, or of one with more members than ``Limits`` allows.
    case malformed
    /// A chain has to begin with its genesis entry, and has only one.
    case notGenesis
    case otherAccount
    case wrongVersion(expected: UInt64)
    /// It follows another entry than the one before: a second history of the circle.
    case otherHistory
    /// The author is no member of the entry before, or of a kind that may not do this.
    case authorNotAllowed
    /// A signature is missing, superfluous, or not of these bytes.
    case signatureInvalid
    /// The operation has to be signed by a second member, which it is not.
    case secondSignatureMissing
    /// The two devices that signed may be one thief's: one added the other, or a third added both.
    case secondSignerNotIndependent
    /// The added member has not shown that it holds its keys.
    case possessionInvalid
    /// A member's id is not that of its signing key, or its keys are worthless or taken.
    case memberInvalid
    /// The members differ from those before in another way than the operation says.
    case membersChanged
    /// The generation, its check value or where the last one ended does not fit the operation.
    case generationInvalid
    /// The oldest generation or format is lowered, or above what there is, or not to be changed
    /// here.
    case floorInvalid
    /// The key envelopes are not those the entry speaks of, or not one for each member.
    case envelopesInvalid
}
