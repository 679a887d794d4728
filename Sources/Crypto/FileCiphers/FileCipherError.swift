/// Why a file's cipher or key derivation gave nothing.
///
/// No case carries contents or key bytes.
package enum FileCipherError: Error, Equatable {
    /// A key or a vector has another length than the cipher takes.
    case wrongLength
    /// The last block has no valid padding: another key, or changed bytes.
    case notPadded
    /// The derivation asks for more memory or time than any program does.
    case tooCostly
    /// The library refused: too little memory, or arguments that it does not take.
    case library
}
