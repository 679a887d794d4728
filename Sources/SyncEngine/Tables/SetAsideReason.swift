/// Why an edit is not sent until its item is changed or its record is pulled again: a name is never
/// given to anything else.
package enum SetAsideReason: String, Sendable, CaseIterable {
    /// The item has grown too large for one envelope.
    case tooLarge = "too_large"
    /// The server does not take the record's form.
    case malformed
    /// The record has as many concurrent writes on the server as are kept.
    case siblingsFull = "siblings_full"
    /// The same, and this program can open none of them: a write of it would replace none.
    case siblingsUnreadable = "siblings_unreadable"
    /// Something of the record cannot be read on this device.
    case damaged
    /// The other half of a rename waits, and the two go in one batch.
    case otherHalf = "other_half"
}
