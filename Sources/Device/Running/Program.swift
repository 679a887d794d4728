internal import Glibc

/// Why a program could not be started.
package enum RunError: Error, Hashable, CustomStringConvertible {
    case notFound(program: String)
    case notExecutable(program: String)
    /// The system refused, with this `errno`.
    case system(program: String, errno: Int32)

    /// What a shell answers too.
    package var exitCode: Int32 {
        if case .notFound = self { 127 } else { 126 }
    }

    package var description: String {
        switch self {
        case .notFound(let program):
            return "there is no program \(program); check its name, or give its path"
        case .notExecutable(let program):
            return "\(program) is no program; check its path, or make it executable with chmod +x"
        case .system(let program, let number):
            let reason = unsafe String(cString: strerror(number))
            return "cannot start \(program): \(reason)"
        }
    }
}

/// A program with its arguments and variables, ready to be started.
package struct Program {
    private let paths: CStrings
    let arguments: CStrings
    /// For a script that does not name its interpreter, which a shell runs by itself too.
    let shellArguments: CStrings
    let environment: CStrings
    let name: String

    /// Finds the program as a shell does: in the folders of the new environment's `PATH` unless its
    /// name contains a slash.
    ///
    /// - Parameters:
    ///   - arguments: the program's name first. No argument contains a zero byte.
    ///   - environment: all variables, as `NAME=value`.
    /// - Throws: ``RunError`` if there is no such program, or if it cannot be executed.
    package init(arguments: [[UInt8]], environment: [[UInt8]]) throws(RunError) {
        let program = arguments.first ?? []
        name = String(decoding: program, as: UTF8.self)
        let pathVariable = Array("PATH=".utf8)
        let folders = environment.first { $0.starts(with: pathVariable) }?
            .dropFirst(pathVariable.count)
        let found = try Self.find(program, in: folders ?? Self.defaultPath[...], name: name)
        paths = CStrings([found])
        self.arguments = CStrings(arguments)
        shellArguments = CStrings([Array("/bin/sh".utf8), found] + arguments.dropFirst())
        self.environment = CStrings(environment)
    }

    var path: UnsafeMutablePointer<CChar> { unsafe paths.first }

    /// Where the program's file is, without links; its path if that cannot be found out.
    package var realPath: String {
        let found = unsafe realpath(path, nil)
        defer { unsafe free(found) }
        return unsafe String(cString: found ?? path)
    }

    /// POSIX, `getconf PATH`.
    private static let defaultPath = Array("/usr/bin:/bin".utf8)

    private static func find(
        _ program: [UInt8],
        in folders: ArraySlice<UInt8>,
        name: String
    ) throws(RunError) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard !program.isEmpty else { throw .notFound(program: name) }
        var candidates = [program]
        if !program.contains(slash) {
            candidates = folders.split(
                separator: UInt8(ascii: ":"),
                omittingEmptySubsequences: false
            ).map { folder in
                // An empty folder is the current one.
                folder.isEmpty ? program : folder + [slash] + program
            }
        }
        var isThere = false
        for candidate in candidates {
            var status = stat()
            let path = candidate.map { CChar(bitPattern: $0) } + [0]
            guard unsafe stat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFREG, unsafe access(path, X_OK) == 0 {
                return candidate
            }
            isThere = true
        }
        throw isThere ? .notExecutable(program: name) : .notFound(program: name)
    }

    /// Starts the program in place of this one, which ends.
    package func replaceThisProcess() throws(RunError) -> Never {
        // Swift's threads block signals, which a program expects to be let in.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        unsafe execve(path, arguments.pointers, environment.pointers)
        if errno == ENOEXEC {
            unsafe execve("/bin/sh", shellArguments.pointers, environment.pointers)
        }
        throw .system(program: name, errno: errno)
    }

    /// This process's own variables, as `NAME=value`.
    package static var ownEnvironment: [[UInt8]] {
        var entries: [[UInt8]] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            unsafe entries.append(
                Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry)))
            )
            unsafe next += 1
        }
        return entries
    }
}

/// Strings as C takes them, with a null pointer after the last one; overwritten at their end, since
/// some contain secrets.
@safe
final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    /// The first string, or an empty one.
    let first: UnsafeMutablePointer<CChar>
    private let count: Int

    init(_ strings: [[UInt8]]) {
        // The last one is the empty string that `first` may need.
        let copies = unsafe (strings + [[]]).map { string in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
            for (offset, byte) in string.enumerated() {
                unsafe copy[offset] = CChar(bitPattern: byte)
            }
            unsafe copy[string.count] = 0
            return unsafe copy
        }
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: strings.count + 1
        )
        for index in strings.indices { unsafe pointers[index] = copies[index] }
        unsafe pointers[strings.count] = nil
        unsafe self.pointers = pointers
        unsafe first = copies[0]
        if let last = unsafe copies.last, !strings.isEmpty { unsafe last.deallocate() }
        count = strings.count
    }

    /// Overwrites the strings, once nobody needs them any more.
    func erase() {
        for index in 0..<count {
            guard let string = unsafe pointers[index] else { continue }
            unsafe explicit_bzero(string, strlen(string))
        }
    }

    deinit {
        erase()
        if count == 0 { unsafe first.deallocate() }
        for index in 0..<count {
            guard let string = unsafe pointers[index] else { continue }
            unsafe string.deallocate()
        }
        unsafe pointers.deallocate()
    }
}
