internal import Glibc
internal import KSCLinux

/// The wire format of Wayland, with the file descriptors that come with events.
///
/// Source: "The Wayland Protocol", chapter "Wire Format".
final class WaylandConnection {
    /// An event of an object.
    struct Event {
        let object: UInt32
        let code: Int
        let body: [UInt8]

        func number(at offset: Int) -> UInt32? {
            offset + 4 <= body.count ? LittleEndianBytes.read32(body, at: offset) : nil
        }

        /// The string at an offset.
        func string(at offset: Int) -> String? {
            guard let count = number(at: offset).map(Int.init), count > 0, count <= body.count,
                offset + 4 + count <= body.count
            else { return nil }
            return String(decoding: body[(offset + 4)..<(offset + 3 + count)], as: UTF8.self)
        }

        /// The offset behind a string.
        func end(ofStringAt offset: Int) -> Int {
            offset + 4 + (Int(number(at: offset) ?? 0) + 3) / 4 * 4
        }
    }

    let socket: StreamSocket
    private var input: [UInt8] = []
    private var descriptors: [Int32] = []
    private var lastID: UInt32 = 1
    private let limitMilliseconds: Int32

    /// Longer than any event that this connection gets.
    private static let partBytes = 4096

    init(path: String, limitMilliseconds: Int32) throws {
        socket = try StreamSocket(path: path, limitMilliseconds: limitMilliseconds)
        self.limitMilliseconds = limitMilliseconds
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    func newID() -> UInt32 {
        lastID += 1
        return lastID
    }

    func send(_ object: UInt32, _ code: Int, _ arguments: LittleEndianBytes = .init()) throws {
        var message = LittleEndianBytes()
        message.put32(object)
        message.put16(code)
        message.put16(8 + arguments.bytes.count)
        try socket.write(message.bytes + arguments.bytes)
    }

    /// The next event, or nil if none has arrived.
    func nextEvent() throws -> Event? {
        while true {
            if let event = try bufferedEvent() { return event }
            guard socket.isReadable else { return nil }
            try receive()
        }
    }

    func waitForEvent() throws -> Event {
        while true {
            if let event = try nextEvent() { return event }
            var wait = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            let result = unsafe poll(&wait, 1, limitMilliseconds)
            guard result > 0 || result < 0 && errno == EINTR else { throw StreamSocket.Lost() }
        }
    }

    /// The descriptor that belongs to the event that was just read.
    func takeDescriptor() -> Int32? {
        descriptors.isEmpty ? nil : descriptors.removeFirst()
    }

    private func bufferedEvent() throws -> Event? {
        guard input.count >= 8 else { return nil }
        let size = LittleEndianBytes.read16(input, at: 6)
        guard size >= 8 else { throw StreamSocket.Lost() }
        guard input.count >= size else { return nil }
        defer { input.removeFirst(size) }
        return Event(
            object: LittleEndianBytes.read32(input, at: 0),
            code: LittleEndianBytes.read16(input, at: 4),
            body: Array(input[8..<size])
        )
    }

    private func receive() throws {
        var part = [UInt8](repeating: 0, count: Self.partBytes)
        // The size, level and type of a control message, aligned to 8 bytes, then descriptors.
        var control = [UInt64](repeating: 0, count: 32)
        let count = unsafe part.withUnsafeMutableBytes { bytes in
            unsafe control.withUnsafeMutableBytes { controlBytes in
                var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return unsafe withUnsafeMutablePointer(to: &vector) { vectors in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = vectors
                    unsafe message.msg_iovlen = 1
                    unsafe message.msg_control = controlBytes.baseAddress
                    unsafe message.msg_controllen = controlBytes.count
                    let flags = Int32(MSG_CMSG_CLOEXEC) | Int32(MSG_DONTWAIT)
                    return unsafe recvmsg(socket.descriptor, &message, flags)
                }
            }
        }
        guard count > 0 else {
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            throw StreamSocket.Lost()
        }
        input += part.prefix(count)
        unsafe control.withUnsafeBytes { bytes in
            let size = unsafe bytes.load(as: Int.self)
            guard size > 16, size <= bytes.count else { return }
            for offset in stride(from: 16, to: size, by: 4) {
                unsafe descriptors.append(bytes.load(fromByteOffset: offset, as: Int32.self))
            }
        }
    }
}

extension LittleEndianBytes {
    /// A string of Wayland: its size with the zero at its end, then the bytes.
    mutating func putWayland(_ text: String) {
        put32(UInt32(text.utf8.count + 1))
        putPadded(Array(text.utf8) + [0])
    }
}
