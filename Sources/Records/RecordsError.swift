/// Why bytes are not what they should be.
///
/// No case carries contents, so an error is always safe to log.
package enum RecordsError: Error, Equatable {
    /// The bytes end early, go on too long, or have a value that is not allowed in this place.
    case malformed
    /// The bytes are of a newer format: this program has to be updated.
    case formatTooNew(format: UInt64)
    /// Something is larger than ``Limits`` allows.
    case tooLarge
}
