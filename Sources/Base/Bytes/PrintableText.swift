extension String {
    /// The text with control characters escaped, so that none moves the terminal's cursor.
    package var printable: String {
        var printed = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                printed += "\\u{\(String(scalar.value, radix: 16))}"
            default: printed.unicodeScalars.append(scalar)
            }
        }
        return printed
    }
}
