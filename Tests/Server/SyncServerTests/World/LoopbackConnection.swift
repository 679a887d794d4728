import Foundation
import Glibc

/// A plain TCP connection to a server on this machine, read and written as bytes.
///
/// It sends exactly the test's bytes, even those that no HTTP library would send.
final class LoopbackConnection: Sendable {
    /// Nothing arrived in time, and the server has not closed the connection.
    struct Silence: Error {}

    /// Longer than any loaded machine needs: only a fault takes so long.
    static let patienceMilliseconds: Int32 = 120_000

    private let descriptor: Int32

    init?(port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7f00_0001).bigEndian)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Shuts the connection down both ways; the descriptor stays until nobody uses it.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends the bytes; fewer if the server hangs up.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// The next bytes; nil at the end.
    func receive() throws(Silence) -> [UInt8]? {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&watched, 1, Self.patienceMilliseconds) > 0 else { throw Silence() }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Whether the server hangs up without a byte within this time.
    func ends(withinMilliseconds limit: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&watched, 1, limit) > 0 else { return false }
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, 0) <= 0
    }

    /// All bytes until the server closes.
    func receiveAll() throws(Silence) -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try receive() { bytes += more }
        return bytes
    }
}

/// Runs blocking work on its own thread, because Swift's shared threads must not block.
func onThread<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
}
