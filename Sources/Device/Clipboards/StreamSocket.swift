internal import Glibc
internal import KSCLinux
internal import KSSecrets

/// A connection to a display; every wait has a limit, so that a broken display blocks nobody.
final class StreamSocket {
    let descriptor: Int32
    private let limitMilliseconds: Int32

    /// A display has lost the connection, or has not answered in time.
    struct Lost: Error {}

    init(path: String, limitMilliseconds: Int32) throws(Lost) {
        self.limitMilliseconds = limitMilliseconds
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0, unsafe keychain_connect_unix(descriptor, path) == 0 else {
            throw Lost()
        }
    }

    init(host: String, port: Int, limitMilliseconds: Int32) throws(Lost) {
        self.limitMilliseconds = limitMilliseconds
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0 else { throw Lost() }
        defer { unsafe freeaddrinfo(found) }
        var next = unsafe found
        var connected: Int32 = -1
        while connected < 0, let address = unsafe next?.pointee {
            let kind =
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                | Int32(SOCK_NONBLOCK.rawValue)
            let attempt = unsafe socket(address.ai_family, kind, address.ai_protocol)
            let result = unsafe connect(attempt, address.ai_addr, address.ai_addrlen)
            if result == 0 || errno == EINPROGRESS && Self.connects(attempt, limitMilliseconds) {
                connected = attempt
            } else if attempt >= 0 {
                close(attempt)
            }
            unsafe next = address.ai_next
        }
        descriptor = connected
        guard connected >= 0 else { throw Lost() }
    }

    /// Waits until a connection is made or refused.
    private static func connects(_ descriptor: Int32, _ limitMilliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe poll(&wait, 1, limitMilliseconds) > 0
            && getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == 0
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ bytes: [UInt8]) throws(Lost) {
        try unsafe write(bytes.span.bytes)
    }

    func write(_ secret: SharedSecret) throws(Lost) {
        try secret.withBytes { bytes throws(Lost) in try write(bytes) }
    }

    private func write(_ bytes: RawSpan) throws(Lost) {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        var offset = 0
        while offset < bytes.byteCount {
            try wait(for: POLLOUT)
            let count = unsafe bytes.extracting(offset...).withUnsafeBytes { rest in
                unsafe send(descriptor, rest.baseAddress, rest.count, flags)
            }
            guard count >= 0 || errno == EINTR || errno == EAGAIN else { throw Lost() }
            offset += max(0, count)
        }
    }

    func read(_ count: Int) throws(Lost) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var offset = 0
        while offset < count {
            try wait(for: POLLIN)
            let got = unsafe bytes.withUnsafeMutableBytes { target in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...])
                return unsafe recv(
                    descriptor,
                    rest.baseAddress,
                    rest.count,
                    Int32(MSG_DONTWAIT)
                )
            }
            guard got != 0, got > 0 || errno == EINTR || errno == EAGAIN else { throw Lost() }
            offset += max(0, got)
        }
        return bytes
    }

    /// Whether bytes, or the end of the connection, wait to be read.
    var isReadable: Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wait, 1, 0) > 0
    }

    private func wait(for event: Int32) throws(Lost) {
        var wait = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        var result: Int32
        repeat {
            result = unsafe poll(&wait, 1, limitMilliseconds)
        } while result < 0 && errno == EINTR
        guard result > 0 else { throw Lost() }
    }
}
