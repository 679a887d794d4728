/// Why a file cannot be imported at all.
package enum ImportError: Error, Equatable {
    /// The first row has no known program's columns.
    case unknownLayout
    /// The requested layout lacks these columns.
    case missingColumns(format: ImportFormat, columns: [String])
    /// The file is not UTF-8, but has the mark of UTF-16.
    case notUTF8
    /// The file is empty.
    case empty

    /// One sentence for the user, with what to do.
    package var sentence: String {
        switch self {
        case .unknownLayout:
            let known = ImportFormat.allCases.map { format in
                "\(format.rawValue) (\(format.requiredColumns.joined(separator: ",")),…)"
            }
            return "The columns of this file are unknown; known are "
                + known.joined(separator: ", ") + ", with commas, semicolons or tabs between them"
                + ": export the passwords again, or name the layout with --format."
        case .missingColumns(let format, let columns):
            return "This is not the layout \(format.rawValue): it lacks the columns "
                + columns.joined(separator: ", ") + "; leave out --format or name another."
        case .notUTF8: return "This file is UTF-16: save it as UTF-8 and try again."
        case .empty: return "This file is empty: export the passwords again."
        }
    }
}
