package import KSImporting

/// Why a file cannot be read at all, or entries cannot be written.
///
/// No sentence has contents of the file.
package enum MovingError: Error, Equatable {
    case unknownFormat
    /// It is not the format that the user named.
    case otherFormat(String)
    /// JSON is broken here.
    case notJSON(line: Int, column: Int)
    case nameTwice(line: Int, column: Int)
    case tooDeep(max: Int)
    case tooManyEntries(max: Int)
    case entryTooLarge(number: Int)
    /// A member of the whole file has another type.
    case wrongShape(format: String, member: String)
    case newerVersion
    /// Encrypted with the keys of an account of Bitwarden.
    case encryptedForAccount
    case encryptedWithPassword
    case table(ImportError)

    /// One sentence for the user, with what to do.
    package var sentence: String {
        switch self {
        case .unknownFormat:
            "This file is JSON of a program that is not known here: known are keychain-sync's own"
                + " export and Bitwarden's; export a CSV file, or one of these."
        case .otherFormat(let name):
            "This file is not of the format \(name): leave out --format or name another."
        case .notJSON(let line, let column):
            "The JSON is not valid at line \(line), column \(column): export the file again, it may"
                + " be cut."
        case .nameTwice(let line, let column):
            "The JSON has a name twice at line \(line), column \(column): export the file again."
        case .tooDeep(let max):
            "The JSON nests more than \(max) lists and objects, as no export does: export the file"
                + " again."
        case .tooManyEntries(let max):
            "The file has more than \(max) entries: split it and import each part."
        case .entryTooLarge(let number):
            "Entry \(number) has more values than any program writes: remove it and try again."
        case .wrongShape(let format, let member):
            "This file is no export of \(format): its \"\(member)\" is of another type; export it"
                + " again."
        case .newerVersion:
            "A newer version has written this file: import it with that version."
        case .encryptedForAccount:
            "This export is encrypted for its Bitwarden account alone: export again as .json, or"
                + " as .json (encrypted) with a password of the file."
        case .encryptedWithPassword:
            "This export is encrypted with a password, which is not read here: export again as"
                + " .json."
        case .table(let error): error.sentence
        }
    }
}
