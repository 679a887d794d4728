import Foundation
import KSAgent
import Synchronization
import Testing

/// A socket between programs and a daemon that can lose the daemon's answers.
///
/// It has a home of its own, which programs take for the device's. A lost answer was sent by the
/// daemon, so the call was carried out; the program only sees that the connection has ended.
final class AnswerThief: Sendable {
    private struct State {
        /// Answers to these calls are lost; nil if none are.
        var call: String?
        /// How many further answers are lost at most.
        var countMax = Int.max
        var lostCount = 0
        var isStopped = false
    }

    let home: String
    private let socketPath: String
    private let listener: Int32
    private let state = Mutex(State())

    /// How many answers were lost.
    var lostCount: Int { state.withLock { $0.lostCount } }

    init(between home: String, and device: Device) throws {
        self.home = home
        socketPath = device.home + "/run/agent.sock"
        try FileManager.default.createDirectory(
            atPath: home + "/run",
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        listener = UnixSocket.make()
        try #require(UnixSocket.bind(listener, to: home + "/run/agent.sock"))
        try #require(listen(listener, 16) == 0)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Loses the next answers to calls of this name, at most `countMax`; nil lets all pass.
    func lose(answersTo call: String?, countMax: Int = .max) {
        state.withLock { ($0.call, $0.countMax) = (call, countMax) }
    }

    /// Lets the commands behind it use all stores of the device.
    ///
    /// The daemon takes them for the process that holds the socket, which is this one.
    func allowAllStores(of device: Device) throws {
        let program = try #require(AgentPeer.ownExecutable)
        let text = #"{"programs":{"\#(program)":{"keychain-access-groups":["*"]}}}"#
        let path = device.home + "/entitlements.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let program = Foundation.accept(listener, nil, nil)
            if state.withLock({ $0.isStopped }) || program < 0 { return }
            let daemon = UnixSocket.make()
            guard UnixSocket.connect(daemon, to: socketPath) else {
                // The program sees a daemon that has just ended.
                close(program)
                close(daemon)
                continue
            }
            let link = Link(program: program, daemon: daemon)
            Thread.detachNewThread { [self] in passRequests(on: link) }
            Thread.detachNewThread { [self] in passAnswers(on: link) }
        }
    }

    /// The two ends of one connection.
    private final class Link: Sendable {
        let program: Int32
        let daemon: Int32
        /// Whether the answer to the latest request is to be lost.
        let isMarked = Mutex(false)

        init(program: Int32, daemon: Int32) {
            (self.program, self.daemon) = (program, daemon)
        }

        deinit {
            close(program)
            close(daemon)
        }

        func end() {
            shutdown(program, Int32(SHUT_RDWR))
            shutdown(daemon, Int32(SHUT_RDWR))
        }
    }

    private func passRequests(on link: Link) {
        while let bytes = UnixSocket.read(link.program) {
            let call = state.withLock { $0.call }
            // The name of a call is at the start of its request.
            if let call, bytes.range(of: Data(call.utf8)) != nil {
                link.isMarked.withLock { $0 = true }
            }
            guard UnixSocket.write(bytes, to: link.daemon) else { break }
        }
        link.end()
    }

    private func passAnswers(on link: Link) {
        while let bytes = UnixSocket.read(link.daemon) {
            if link.isMarked.withLock({ $0 }) {
                state.withLock { state in
                    state.lostCount += 1
                    state.countMax -= 1
                    if state.countMax == 0 { state.call = nil }
                }
                break
            }
            guard UnixSocket.write(bytes, to: link.program) else { break }
        }
        link.end()
    }
}

/// Blocking sockets under the name of a file.
enum UnixSocket {
    static func make() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

    static func connect(_ descriptor: Int32, to path: String) -> Bool {
        unsafe withAddress(path) { unsafe Foundation.connect(descriptor, $0, $1) == 0 }
    }

    static func bind(_ descriptor: Int32, to path: String) -> Bool {
        unsafe withAddress(path) { unsafe Foundation.bind(descriptor, $0, $1) == 0 }
    }

    private static func withAddress<Result>(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: Array(path.utf8))
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, length)
            }
        }
    }

    /// What has arrived; nil at the end.
    static func read(_ descriptor: Int32) -> Data? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Data(bytes[..<count]) : nil
    }

    static func write(_ data: Data, to descriptor: Int32) -> Bool {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
