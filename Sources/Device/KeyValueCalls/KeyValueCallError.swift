/// Why a key-value call is refused as a whole.
package enum KeyValueCallError: Error, Equatable {
    /// Programs do not write the limits of stores.
    case limitsAreNotWritten(store: String)
    /// One key's write has more bytes than this.
    case writeTooLarge(bytesMax: Int)
    case malformed
    /// A store's name has other bytes, or more of them.
    case wrongName(bytesMax: Int)

    /// The sentence for the program's user.
    package var sentence: String {
        switch self {
        case .limitsAreNotWritten(let store):
            "Only sync-client kv limits writes the store \(store)."
        case .writeTooLarge(let bytesMax):
            "A write is too large: one key's has at most \(bytesMax >> 20) MiB."
        case .malformed: "The call is malformed."
        case .wrongName(let bytesMax):
            "A store's name has 1 to \(bytesMax) bytes, and no control characters."
        }
    }
}
