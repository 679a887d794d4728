internal import Glibc

/// The home directory of a device, and the socket of its daemon.
package struct AgentHome: Sendable, Equatable {
    /// Absolute, without symbolic links, so that one home has one socket whatever it is called.
    package let path: String
    package let socketPath: String

    package var runDirectory: String { path + "/run" }
    package var lockPath: String { runDirectory + "/agent.lock" }
    package var logPath: String { runDirectory + "/daemon.log" }

    /// The variable of the environment that names a home.
    private static let variable = "KEYCHAIN_SYNC_HOME"
    /// Room in sockaddr_un, without the closing zero.
    static let socketPathBytesMax = 107

    /// Finds the home, and makes the directory if it does not exist.
    ///
    /// It is what `argument` (`--home`) says; else KEYCHAIN_SYNC_HOME, else
    /// XDG_DATA_HOME/keychain-sync, else HOME/.local/share/keychain-sync.
    /// `makesNamed`: whether it is also made where one of the first two names it. A wrong path
    /// would begin another device.
    package init(
        argument: String? = nil,
        makesNamed: Bool = true,
        environment: (String) -> String? = Environment.value
    ) throws(AgentError) {
        guard argument != "" else { throw .homeEmpty }
        if !makesNamed, let named = argument ?? environment(Self.variable),
            !Self.exists(argument: named)
        {
            throw .homeMissing(path: named)
        }
        guard let wanted = Self.wantedPath(argument: argument, environment: environment) else {
            throw .homeUnknown
        }
        path = try PrivateDirectory.make(wanted)
        _ = try PrivateDirectory.make(path + "/run")
        socketPath = try Self.socketPath(home: path, environment: environment)
    }

    /// Whether the directory exists that ``init(argument:environment:)`` finds or makes.
    package static func exists(
        argument: String?,
        environment: (String) -> String? = Environment.value
    ) -> Bool {
        guard let path = wantedPath(argument: argument, environment: environment) else {
            return false
        }
        var status = stat()
        return unsafe stat(path, &status) == 0
    }

    /// The path that `--home` or KEYCHAIN_SYNC_HOME names, if nothing is there: a mistyped one
    /// begins another device, so the program that makes it says so.
    package static func missing(
        argument: String?,
        environment: (String) -> String? = Environment.value
    ) -> String? {
        guard let named = argument ?? environment(variable), !named.isEmpty,
            !exists(argument: named)
        else { return nil }
        return named
    }

    /// The path of a directory in which no device has begun: it is missing, or has nothing but the
    /// folder of a socket; nil for any other.
    package static func unused(
        argument: String?,
        environment: (String) -> String? = Environment.value
    ) -> String? {
        guard let path = wantedPath(argument: argument, environment: environment), path != ""
        else { return nil }
        guard let folder = unsafe opendir(path) else { return errno == ENOENT ? path : nil }
        defer { unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard [".", "..", "run"].contains(name) else { return nil }
        }
        return path
    }

    static func wantedPath(argument: String?, environment: (String) -> String?) -> String? {
        if let argument { return argument }
        if let home = environment(Self.variable) { return home }
        // The XDG rule: a path that is not absolute is to be ignored.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            return data + "/keychain-sync"
        }
        return environment("HOME").map { $0 + "/.local/share/keychain-sync" }
    }

    /// What a program says when it has made a home that was named.
    package var sentenceWhenNew: String {
        "There was no device at \(path): a new one begins there. If you meant another, run"
            + " sync-client stop with that home, remove the directory, and correct --home or"
            + " KEYCHAIN_SYNC_HOME."
    }

    private static func socketPath(
        home: String,
        environment: (String) -> String?
    ) throws(AgentError) -> String {
        let inHome = home + "/run/agent.sock"
        guard inHome.utf8.count > socketPathBytesMax else { return inHome }
        // The default is the path that a login puts into XDG_RUNTIME_DIR: a program started
        // without the variable must find the same socket.
        let runtime = environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
        guard runtime.hasPrefix("/"), unsafe access(runtime, W_OK) == 0 else {
            throw .socketPathTooLong
        }
        let directory = try PrivateDirectory.make(runtime + "/keychain-sync")
        let path = "\(directory)/\(hash(home)).sock"
        guard path.utf8.count <= socketPathBytesMax else { throw .socketPathTooLong }
        return path
    }

    /// 64 bits of FNV-1a in hexadecimal: it distinguishes homes and protects nothing.
    static func hash(_ text: String) -> String {
        let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The environment; an empty variable counts as missing.
package enum Environment {
    package static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        let value = unsafe String(cString: text)
        return value.isEmpty ? nil : value
    }
}

/// Directories that belong to the user alone.
enum PrivateDirectory {
    /// Makes the directory, and those above it, unless they exist.
    ///
    /// - Returns: its absolute path without symbolic links.
    /// - Throws: ``AgentError/directoryNotPrivate(path:)`` when it is somebody else's or others may
    /// write to it.
    static func make(_ path: String) throws(AgentError) -> String {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            // A directory above that exists need not be writable.
            var status = stat()
            guard unsafe stat(made, &status) == 0 else { throw .system(errno: errno) }
        }
        guard let resolved = unsafe realpath(path, nil) else { throw .system(errno: errno) }
        defer { unsafe free(resolved) }
        var status = stat()
        guard unsafe stat(resolved, &status) == 0 else { throw .system(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .system(errno: ENOTDIR) }
        guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
            throw .directoryNotPrivate(path: path)
        }
        // Others must not read it either: the permissions of one made by hand are corrected.
        if status.st_mode & 0o077 != 0 {
            guard unsafe chmod(resolved, 0o700) == 0 else { throw .system(errno: errno) }
        }
        return unsafe String(cString: resolved)
    }
}
