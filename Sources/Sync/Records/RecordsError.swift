/// Why bytes cannot be decoded.
///
/// No case carries contents, so an error is always safe to log.
package enum RecordsError: Error, Equatable {
    /// The bytes are too short or too long, or a value is not allowed.
    case malformed
    /// The bytes are of a newer format: this program has to be updated.
    case formatTooNew(format: UInt64)
    /// Something is larger than ``Limits`` allows.
    case tooLarge
}
