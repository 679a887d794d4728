internal import Glibc
internal import KSCLinux
internal import KSSecrets

/// Starts programs, with only the files that they are given.
enum ChildProgram {
    /// Starts the program of the first word, a path, with the other words as its arguments.
    ///
    /// It gets `files` as its files 0, 1, …, and `variables` in place of those of this process. A
    /// detached one gets a session of its own, and the root as its folder.
    static func start(
        _ words: [String],
        files: [OpenEnd],
        variables: [String: String] = [:],
        isDetached: Bool
    ) throws(ClipboardError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, file.number, Int32(number))
        }
        unsafe keychain_spawn_close_from(&actions, Int32(files.count))
        // It must not keep a directory from being unmounted.
        if isDetached { unsafe keychain_spawn_change_directory(&actions, "/") }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        if isDetached { flags |= keychain_spawn_setsid }
        unsafe posix_spawnattr_setflags(&attributes, flags)

        var arguments: [UnsafeMutablePointer<CChar>?] =
            unsafe words.map { unsafe strdup($0) } + [
                nil
            ]
        var environment = unsafe Self.environment(variables)
        defer {
            unsafe arguments.forEach { unsafe free($0) }
            unsafe environment.forEach { unsafe free($0) }
        }
        var child: pid_t = 0
        let code = unsafe posix_spawn(
            &child,
            words[0],
            &actions,
            &attributes,
            &arguments,
            &environment
        )
        guard code == 0 else { throw .notStarted(errno: code) }
        return child
    }

    private static func environment(
        _ variables: [String: String]
    ) -> [UnsafeMutablePointer<CChar>?] {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe variables.map { name, value in
            unsafe strdup(name + "=" + value)
        }
        var next = unsafe environ
        while let word = unsafe next.pointee {
            let isReplaced = variables.keys.contains { name in
                unsafe strncmp(word, name + "=", name.utf8.count + 1) == 0
            }
            if !isReplaced { unsafe words.append(strdup(word)) }
            unsafe next += 1
        }
        unsafe words.append(nil)
        return unsafe words
    }

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
