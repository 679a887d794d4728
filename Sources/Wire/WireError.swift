/// A message does not hold what its place in the protocol requires.
package enum WireError: Error, Equatable {
    case malformed
}
