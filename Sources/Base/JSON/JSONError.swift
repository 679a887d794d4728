/// Why a text is no JSON, or too much of it; without any of its contents.
package struct JSONError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// It is not what the grammar has here.
        case syntax
        /// A text that begins here is not UTF-8.
        case notText
        /// The object has this name already.
        case nameTwice
        case tooDeep(max: Int)
        /// More than the reader takes: a text, a number, or the names of an object.
        case tooLarge
    }

    package let reason: Reason
    /// Of the byte that is wrong, from 1.
    package let line: Int
    /// In characters of Unicode's, from 1.
    package let column: Int
}
