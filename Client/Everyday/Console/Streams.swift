package import KSFiles
internal import Glibc

/// A stream that the tool writes to.
package enum OutputStream: Int32 {
    case output = 1
    case error = 2
}

/// What the tool needs from its process: streams, files, the terminal, the working directory.
package protocol Surroundings {
    /// Whether standard input is a terminal.
    var isInteractive: Bool { get }
    /// Whether standard output is a terminal.
    var isShown: Bool { get }
    var workingDirectory: String? { get }
    /// Why something could not be written to standard output.
    var outputError: FileError? { get }
    /// Whether standard error is a terminal.
    var isErrorShown: Bool { get }
    /// Whether standard output is a terminal with colors that its user wants.
    var hasColors: Bool { get }
    /// The columns of the terminal of standard output.
    var width: Int { get }

    func write(_ bytes: [UInt8], to stream: OutputStream)
    func askPassword(_ prompt: String) throws(Failure) -> [UInt8]
    /// Asks for a line that everybody may see.
    func askLine(_ prompt: String) throws(Failure) -> String
    /// Asks for lines up to the end of input, each with its line break.
    func askText(_ prompt: String, isHidden: Bool) throws(Failure) -> [UInt8]
    /// Forgets what was typed or pasted on the terminal and not read: a shell would run it.
    func dropTypedAhead()
    /// The next line of standard input without its line break; nil at its end.
    func readLine() throws(Failure) -> [UInt8]?
    /// All of standard input.
    func readAll() throws(Failure) -> [UInt8]
    func read(_ path: String) throws(FileError) -> [UInt8]
    func write(_ bytes: [UInt8], toFile path: String) throws(FileError)
    /// A path without symbolic links; nil if no file has it.
    func resolve(_ path: String) -> String?
}

extension FileError {
    package var text: String { unsafe String(cString: strerror(number)) }
}
