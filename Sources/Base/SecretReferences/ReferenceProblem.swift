/// Why a text is not a reference.
package enum ReferenceError: Error, Hashable, Sendable {
    /// It does not start with `keychain://`.
    case noScheme
    case noSite
    /// A slash stands at the end, where a field's name should follow.
    case noField
    case tooManyParts
    /// `%` without two hexadecimal digits, or `%00`.
    case badPercent
    /// A question mark or number sign, which later versions may give a meaning.
    case reserved(UInt8)
    case controlCharacter
    case notUTF8
}

/// Why a well-formed reference has no value.
package enum ReferenceFailure: Error, Hashable, Sendable {
    /// There is no such item.
    case missing
    /// The item is there, without this field.
    case noSuchField
    /// The keychain is locked.
    case locked
    /// As many items as this match; the references each mean one of them alone.
    case ambiguous(count: Int, references: [String] = [])
    /// The value contains a zero byte, which a variable cannot hold.
    case zeroByte
}

/// Resolves references, each once, all together: one question to a daemon for many secrets.
///
/// - Returns: an answer for each reference, in the same order.
package typealias ReferenceResolver<Failure: Error> = (
    [SecretReference]
) throws(Failure) -> [Result<[UInt8], ReferenceFailure>]

/// One reference that cannot be used, and where it stands.
///
/// Its description is a sentence for users. It repeats the reference, never a secret.
package struct ReferenceProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Place: Hashable, Sendable {
        /// The value of a variable.
        case variable(String)
        /// Both count from 1; a column is a Unicode scalar.
        case position(line: Int, column: Int)

        package var text: String {
            switch self {
            case .variable(let name): name
            case .position(let line, let column): "line \(line), column \(column)"
            }
        }
    }

    package enum Reason: Hashable, Sendable {
        case malformed(ReferenceError)
        case failed(ReferenceFailure)
        /// `}}` is missing on the reference's line.
        case notClosed
    }

    package let place: Place
    /// The reference as it was written.
    package let reference: String
    package let reason: Reason

    package var description: String {
        "\(place.text): \(reference): \(explanation)"
    }

    /// References of one item each that may have been meant.
    package var references: [String] {
        if case .failed(let failure) = reason { failure.references } else { [] }
    }

    /// What is wrong and what to do, as the end of a sentence.
    package var explanation: String {
        switch reason {
        case .malformed(let error): error.explanation
        case .failed(let failure): failure.explanation
        case .notClosed: "close it with }} on the same line"
        }
    }
}

extension ReferenceError {
    /// What is wrong and what to do, as the end of a sentence.
    package var explanation: String {
        switch self {
        case .noScheme: "a reference starts with keychain://"
        case .noSite: "name a site or service after keychain://"
        case .noField: "name a field after the last slash, or leave the slash out"
        case .tooManyParts:
            "a reference has at most a site, an account and a field; write a slash in a name or an"
                + " address as %2F"
        case .badPercent: "two hexadecimal digits but 00 follow a percent sign; write % as %25"
        case .reserved(UInt8(ascii: "?")):
            "write a question mark in a name as %3F, and a realm behind the site as ,realm=NAME"
        case .reserved: "write a number sign in a name as %23"
        case .controlCharacter: "write a control character in a name as % and two digits"
        case .notUTF8: "its names must be UTF-8"
        }
    }
}

extension ReferenceFailure {
    /// What is wrong and what to do, as the end of a sentence.
    package var explanation: String {
        switch self {
        case .missing: "there is no such item; \"keychain list\" shows the names"
        case .noSuchField: "the item has no such field; \"keychain show\" shows its fields"
        case .locked: "the keychain is locked; run \"sync-client unlock\""
        case .ambiguous(let count, []): "\(count) items match; name the account too"
        case .ambiguous(let count, let references):
            "\(count) items match; give one of these in its place:"
                + references.map { "\n  " + $0 }.joined()
                + (count > references.count ? "\n  and \(count - references.count) more" : "")
        case .zeroByte: "its value contains a zero byte, which a variable cannot hold"
        }
    }

    /// References of one item each that may have been meant.
    package var references: [String] {
        if case .ambiguous(_, let references) = self { references } else { [] }
    }
}
