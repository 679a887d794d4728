internal import Glibc
internal import KSAgent

/// An open file, closed at the end of its owner's life or before.
final class OpenEnd {
    private(set) var number: Int32

    /// Higher than the number of any file that a child starts with, so that none of them is
    /// overwritten before it was copied.
    private static let numberMin: Int32 = 10

    /// Takes the result of a system call that opens a file.
    init(_ descriptor: Int32) throws(ClipboardError) {
        number = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, Self.numberMin)
        let code = errno
        if descriptor >= 0 { Glibc.close(descriptor) }
        guard number >= 0 else { throw .notStarted(errno: code) }
    }

    func close() {
        if number >= 0 { Glibc.close(number) }
        number = -1
    }

    deinit { close() }
}

extension OpenEnd {
    /// A pipe, whose ends no other program inherits.
    static func pipe() throws(ClipboardError) -> (output: OpenEnd, input: OpenEnd) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw .notStarted(errno: errno) }
        return (try OpenEnd(ends[0]), try OpenEnd(ends[1]))
    }

    /// Opens a file that no other program inherits.
    static func open(_ path: String, _ flags: Int32) throws(ClipboardError) -> OpenEnd {
        try OpenEnd(unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY))
    }
}

extension ChildProgram {
    static func start(
        _ words: [String],
        files: [OpenEnd],
        variables: [String: String] = [:],
        isDetached: Bool
    ) throws(ClipboardError) -> pid_t {
        do throws(NotStarted) {
            return try start(
                words,
                files: files.map { .descriptor($0.number) },
                variables: variables,
                isDetached: isDetached
            )
        } catch {
            throw .notStarted(errno: error.number)
        }
    }

    /// Waits for the end of a child.
    ///
    /// - Returns: whether it ended with the exit code 0.
    @discardableResult
    static func waitForEnd(of child: pid_t) -> Bool {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return false }
        }
        return status == 0
    }
}
