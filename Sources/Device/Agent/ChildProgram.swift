internal import Glibc
internal import KSCLinux

/// Starts programs that run beside this one, with only the files that they are given.
package enum ChildProgram {
    /// What a program gets as one of its first files.
    package enum File {
        /// An open file of this process, or one that the program has got before this one.
        case descriptor(Int32)
        case path(String, flags: Int32)
    }

    /// Why a program could not be started.
    package struct NotStarted: Error {
        /// An `errno`.
        package let number: Int32
    }

    /// Starts the program of the first word, a path, with the other words as its arguments.
    ///
    /// It gets `files` as its files 0, 1, …, and `variables` in place of those of this process. A
    /// detached one gets a session of its own, and the root as its folder.
    /// - Returns: its process.
    package static func start(
        _ words: [String],
        files: [File],
        variables: [String: String] = [:],
        isDetached: Bool
    ) throws(NotStarted) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (file, number) in zip(files, Int32(0)...) {
            switch file {
            case .descriptor(let open):
                unsafe posix_spawn_file_actions_adddup2(&actions, open, number)
            case .path(let path, let flags):
                unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
            }
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

        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
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
        guard code == 0 else { throw NotStarted(number: code) }
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
}
