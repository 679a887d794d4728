internal import Glibc

/// TCP sockets of this machine that never wait.
enum Sockets {
    /// A socket that listens at a port that the system chooses.
    static func listener() -> (descriptor: Int32, port: UInt16)? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withGeneric(&address) { pointer in
            unsafe (bind(descriptor, pointer, length) == 0
                && getsockname(descriptor, pointer, &length) == 0)
        }
        guard isBound, listen(descriptor, 64) == 0 else {
            close(descriptor)
            return nil
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection at a listener, and the port of its other end.
    static func accept(_ listener: Int32) -> (descriptor: Int32, port: UInt16)? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = unsafe withGeneric(&address) { pointer in
            unsafe Glibc.accept(listener, pointer, &length)
        }
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        disableDelay(descriptor)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A connection to a port of this machine; nil if nobody listens there.
    static func connect(to port: UInt16) -> Int32? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        var address = loopback(port: port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withGeneric(&address) { unsafe Glibc.connect(descriptor, $0, length) }
        // On loopback a connection that is not refused at once is there with the next poll.
        guard result == 0 || errno == EINPROGRESS else {
            close(descriptor)
            return nil
        }
        disableDelay(descriptor)
        return descriptor
    }

    enum Reading {
        case bytes([UInt8])
        case nothingYet
        case end
    }

    static func read(_ descriptor: Int32) -> Reading {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { return .bytes(Array(bytes[..<count])) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingYet : .end
    }

    /// How many bytes were taken; nil at a connection that has ended.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int? {
        let count = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    private static func make() -> Int32 {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return socket(AF_INET, Int32(flags), 0)
    }

    private static func disableDelay(_ descriptor: Int32) {
        var isOn: Int32 = 1
        // Without it a message only takes longer.
        _ = unsafe setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &isOn,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withGeneric<Result>(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}
