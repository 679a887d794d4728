/// Why a message is refused.
package enum WireError: Error, Equatable {
    case malformed
    /// A field is repeated too often.
    case tooLarge
    /// A batch holds records that this program cannot read; the others are well-formed.
    case records([RefusedRecord])
}
