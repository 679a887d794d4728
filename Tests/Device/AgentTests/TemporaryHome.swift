import KSAgent
import Dispatch
import Foundation
import Glibc
import KSTestSupport

/// A directory under /tmp that goes away with its owner; no daemon starts in its homes.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        TestDaemons.prepare()
        var template = Array("/tmp/keychain-sync-tests.XXXXXX".utf8CString)
        guard let made = unsafe mkdtemp(&template) else { preconditionFailure("no /tmp") }
        path = unsafe String(cString: made)
    }

    deinit {
        // What cannot be removed is left to /tmp.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A home in it whose socket does not depend on the machine's own environment.
    func home(_ name: String = "home", runtime: String? = nil) throws -> AgentHome {
        let environment = { (name: String) in name == "XDG_RUNTIME_DIR" ? runtime : nil }
        return try AgentHome(argument: path + "/" + name, environment: environment)
    }
}

/// Runs blocking code on a thread that no task needs.
func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "blocking").async {
            continuation.resume(with: Result { try body() })
        }
    }
}

extension AgentListener {
    /// Carries every call out in a task.
    convenience init(
        lock: AgentLock,
        connectionsMax: Int = 256,
        whenAnswered: @escaping AnsweredHandler = { _, _ in },
        handler:
            @escaping @Sendable (
                AgentRequest, AgentPeer, @escaping AgentAnswer.ReportProgress
            ) async -> AgentReply
    ) throws(AgentError) {
        try self.init(
            lock: lock,
            connectionsMax: connectionsMax,
            whenAnswered: whenAnswered
        ) { request, peer in
            .later { await handler(request, peer, $0) }
        }
    }
}

/// The permission bits of a file.
func mode(of path: String) -> UInt32? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

func makeFile(_ path: String, _ text: String, mode: mode_t = 0o600) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
    let bytes = Array(text.utf8)
    _ = unsafe write(file, bytes, bytes.count)
    close(file)
}

func contents(of path: String) -> String {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(file, &buffer, buffer.count)
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
}

/// A pipe with a name, through which a script says something to its test.
struct NamedPipe: Sendable {
    let path: String

    init(path: String) throws {
        self.path = path
        guard unsafe mkfifo(path, 0o600) == 0 else { throw AgentError.system(errno: errno) }
    }

    /// What one script writes into it at once; waits until it has.
    func read() async throws -> String {
        try await blocking { contents(of: path) }
    }
}
