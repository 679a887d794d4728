internal import KSPrompting

/// Ends a command: a message for standard error, and the exit status.
package struct Failure: Error, Equatable {
    /// Bytes, because it may repeat what was typed, which need not be UTF-8.
    package let message: [UInt8]
    package var status: Int32 = 1

    package init(message: [UInt8]) {
        self.message = message
    }

    /// `sentence`: without the program's name before it and the line break after it.
    package init(_ sentence: String) {
        message = Array("security: \(sentence)\n".utf8)
    }

    package static let noTerminal = Failure("there is no terminal to ask for the password on")

    package static let passwordsDiffer = Failure("the passwords differ")

    /// Of a pasted key only the first line would be kept.
    package static let severalLines = Failure(
        "several lines were pasted where one is asked for, and nothing was taken: give them in a"
            + " file"
    )

    /// A line is longer than any command or password.
    package static let lineTooLong = Failure(
        "a line of more than \(LineBuffer.lineBytesMax) bytes is too long, and was ignored"
    )

    /// A terminal silently cuts such a line.
    package static let lineMayBeCut = Failure(
        "a line of \(TypedLine.terminalBytesMax) bytes or more cannot be typed here, and was"
            + " ignored: give a file of commands as standard input"
    )
}
