import Dispatch
import Glibc
import Synchronization

/// A port at which a server sends plain text to one caller and then ends.
final class KilledServer: Sendable {
    private let descriptor: Int32
    private let heardBytes = Mutex<[UInt8]>([])
    let port: Int

    /// The first bytes of the caller's request.
    var heard: String { heardBytes.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Without text there was never a server: the port is taken and nobody listens.
    init(saying words: String?) throws {
        (descriptor, port) = Self.socketOnFreePort()
        let descriptor = descriptor
        guard let words else { return }
        listen(descriptor, 1)
        DispatchQueue(label: "killed-server").async { [self] in
            let caller = accept(descriptor, nil, nil)
            var request = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(caller, &request, request.count)
            heardBytes.withLock { $0 = Array(request.prefix(max(0, count))) }
            let answer = Array(words.utf8)
            _ = unsafe send(caller, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(caller)
        }
    }

    /// A socket bound to a port that the system chose, not listening yet.
    static func socketOnFreePort() -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(descriptor, generic, length)
                _ = unsafe getsockname(descriptor, generic, &length)
            }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Begins to connect, without waiting for how that ends.
    static func call(_ port: Int) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        var address = loopback(port: port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe connect(descriptor, generic, length)
            }
        }
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    deinit {
        close(descriptor)
    }
}
