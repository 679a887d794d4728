package import KSArchives

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
    case valueTooLarge(line: Int)
    case tooManyNotes(max: Int)
    case fileTooLarge(format: String, max: Int)
    /// A member of the whole file has another type.
    case wrongShape(format: String, member: String)
    case newerVersion
    /// Encrypted with the keys of an account of Bitwarden.
    case encryptedForAccount
    /// The file is encrypted, and neither a password nor a key file was given.
    case passwordNeeded
    /// The password or the key file does not open the file.
    case wrongPassword
    /// The file to write is encrypted, and an empty password protects nothing.
    case emptyPassword
    /// The file was changed after it was encrypted, or is cut.
    case damaged
    /// Its key derivation would take more memory or time than any program asks for.
    case tooCostly
    case unknownCipher
    /// It becomes far larger than any file of entries when it is unpacked.
    case tooLarge
    /// A database of KeePass 1.
    case firstKeePass
    /// The XML is broken in this line.
    case notXML(line: Int)
    /// The XML nests or declares what no program writes.
    case hostileXML
    case noKeyFile(format: String)
    /// The first row has no known program's columns.
    case unknownLayout
    /// The layout lacks these columns.
    case missingColumns(format: String, columns: [String])
    /// The user gives both a layout and columns.
    case mapWithFormat
    /// The user says what columns hold, but the file has none.
    case mapOfOther
    case emptyFile
    /// It begins with bytes that no text has.
    case notText
    /// Encrypted, and only this program opens it.
    case encryptedForProgram(String)
    /// A ZIP archive of a program that is not known here.
    case unknownArchive
    /// The file is a ZIP archive that cannot be unpacked.
    case archive(ArchiveError)

    /// One sentence for the user, with what to do.
    package var sentence: String {
        switch self {
        case .unknownFormat:
            "This file is JSON of a program that is not known here: known are CXF and the exports"
                + " of keychain-sync and Bitwarden; export a CSV file, or one of these."
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
        case .valueTooLarge(let line):
            "Line \(line) has a value larger than any program writes: remove it and try again."
        case .tooManyNotes(let max):
            "The file has more than \(max) parts that are not known here: export it again, or split"
                + " it and import each part."
        case .fileTooLarge(let format, let max):
            "This \(format) file has more than \(max >> 20) MiB, which no program writes: split it"
                + " and import each part."
        case .wrongShape(let format, let member):
            "This file is no export of \(format): its \"\(member)\" is of another type; export it"
                + " again."
        case .newerVersion:
            "A newer version has written this file: import it with that version."
        case .encryptedForAccount:
            "This export is encrypted for its Bitwarden account alone: export again as .json, or"
                + " as .json (encrypted) with a password of the file."
        case .passwordNeeded:
            "This file is encrypted: give its password with --password-file, and its key file with"
                + " --key-file if it has one."
        case .wrongPassword:
            "The password or the key file is wrong: this file does not open with them."
        case .emptyPassword:
            "The new file is encrypted with a password, which cannot be empty: give another one."
        case .damaged:
            "The file is damaged, or was changed after it was encrypted: export it again."
        case .tooCostly:
            "This file asks for more memory or time to check its password than any program needs:"
                + " lower its key derivation in the program that made it, and export it again."
        case .unknownCipher:
            "This file has a cipher or a key derivation that is not known here: choose AES-256 and"
                + " Argon2 in the security settings of its program, and save it again."
        case .tooLarge:
            "The file becomes far larger than any database when it is unpacked, so it is not read:"
                + " export it again."
        case .firstKeePass:
            "KeePass 1 has made this file: open it with KeePassXC, which saves it in its new form,"
                + " and import that."
        case .notXML(let line):
            "The XML is not valid in line \(line): export the file again, it may be cut."
        case .hostileXML:
            "The XML has a document type, or tags longer or deeper than any program writes: export"
                + " the file again."
        case .noKeyFile(let format):
            "The format \(format) has no key files: leave out the key file."
        case .notText:
            "This file is neither a table nor of another format that is known here;"
                + " \"sync-client help import\" lists them."
        case .unknownLayout:
            "The columns of this file are unknown; known are those of "
                + TableLayout.names.joined(separator: ", ")
                + ", with commas, semicolons or tabs between them: export the passwords again,"
                + " name the layout with --format, or say with --map what each column holds."
        case .missingColumns("other", let columns):
            "The table lacks the columns \(columns.joined(separator: ", ")): name its own with"
                + " --map."
        case .missingColumns(let format, let columns):
            "This is not the layout \(format): it lacks the columns "
                + columns.joined(separator: ", ") + "; leave out --format or name another."
        case .mapWithFormat: "Give --format or --map, not both."
        case .mapOfOther: "This file is no table: leave out --map."
        case .emptyFile: "This file is empty: export the passwords again."
        case .encryptedForProgram(let program):
            "This export is encrypted, which only \(program) opens: export again without"
                + " encryption."
        case .unknownArchive:
            "This ZIP archive is of a program that is not known here: known are 1Password's (1PUX)"
                + " and Proton Pass's."
        case .archive(.notReadable):
            "The ZIP archive is damaged: export the file again, it may be cut."
        case .archive(.encrypted):
            "The ZIP archive is encrypted: unpack it and make one that is not."
        case .archive(.tooManyFiles):
            "The ZIP archive has more files than any export: export again, in parts."
        case .archive(.tooLarge):
            "The ZIP archive unpacks to far more than its size, as no export does: export the file"
                + " again."
        }
    }
}
