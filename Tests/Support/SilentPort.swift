internal import Dispatch
internal import Glibc
internal import Synchronization

/// A port of this machine at which the system takes connections and nobody says anything.
package final class SilentPort: Sendable {
    private let descriptor: Int32
    /// They stay open, so that their callers go on waiting.
    private let connections = Mutex<[Int32]>([])
    package let number: Int
    package var origin: String { "https://127.0.0.1:\(number)" }

    package init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(descriptor, generic, length)
                _ = unsafe getsockname(descriptor, generic, &length)
            }
        }
        listen(descriptor, 8)
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        for connection in connections.withLock(\.self) { close(connection) }
        close(descriptor)
    }

    /// Waits until a caller has sent the first byte, such as that of a TLS handshake.
    package func waitForCaller() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "silent-port").async { [self] in
                let caller = accept(descriptor, nil, nil)
                connections.withLock { $0.append(caller) }
                var byte: UInt8 = 0
                _ = unsafe recv(caller, &byte, 1, Int32(MSG_PEEK))
                continuation.resume()
            }
        }
    }
}
