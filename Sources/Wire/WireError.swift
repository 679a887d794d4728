/// A message does not hold what its place in the protocol requires.
package enum WireError: Error, Equatable {
    case malformed
    /// A message holds more of something than it may.
    case tooLarge
    /// A batch holds records that this program cannot read; the others are well-formed.
    case records([RefusedRecord])
}
