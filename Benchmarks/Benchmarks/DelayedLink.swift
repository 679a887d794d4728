internal import Foundation
internal import Synchronization

/// Carries TCP connections to a port of this machine, and delays all bytes as a network does.
///
/// The machine's kernel may not know how to delay packets, and a container may not.
final class DelayedLink: Sendable {
    struct Failed: Error {}

    /// Where it listens, on 127.0.0.1.
    let port: UInt16
    private let listener: Int32
    private let target = Atomic<UInt16>(0)
    /// One way.
    private let microseconds = Atomic(0)

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isListening else { throw Failed() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Begins to carry connections to this port, without a delay.
    func start(to port: UInt16) {
        target.store(port, ordering: .relaxed)
        Thread.detachNewThread { self.carry() }
    }

    /// Delays what comes from now on by this time, one way.
    func delay(microseconds: Int) {
        self.microseconds.store(microseconds, ordering: .relaxed)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func carry() {
        while case let near = accept(listener, nil, nil), near >= 0 {
            let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(target.load(ordering: .relaxed))
            let status = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe connect(far, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            var yes: Int32 = 1
            for descriptor in [near, far] {
                unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
            }
            if status != 0 { shutdown(near, Int32(SHUT_RDWR)) }
            for direction in [Direction(self, near, far), Direction(self, far, near)] {
                Thread.detachNewThread { direction.take() }
                Thread.detachNewThread { direction.give() }
            }
        }
    }

    /// One direction of a connection, which ends with an empty piece.
    private final class Direction: Sendable {
        private typealias Piece = (due: ContinuousClock.Instant, bytes: [UInt8])

        private let link: DelayedLink
        private let source: Int32
        private let sink: Int32
        private let pieces = Mutex<[Piece]>([])
        private let arrived = DispatchSemaphore(value: 0)

        init(_ link: DelayedLink, _ source: Int32, _ sink: Int32) {
            (self.link, self.source, self.sink) = (link, source, sink)
        }

        func take() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var count = 1
            while count > 0 {
                count = max(0, unsafe read(source, &buffer, buffer.count))
                let delay = Duration.microseconds(link.microseconds.load(ordering: .relaxed))
                pieces.withLock { $0.append((.now + delay, Array(buffer[..<count]))) }
                arrived.signal()
            }
        }

        func give() {
            while true {
                arrived.wait()
                let piece = pieces.withLock { $0.removeFirst() }
                let left = (piece.due - .now) / .microseconds(1)
                if left > 0 { usleep(UInt32(left)) }
                var rest = piece.bytes[...]
                guard !rest.isEmpty else { break }
                while !rest.isEmpty {
                    let count = unsafe rest.withUnsafeBytes { bytes in
                        unsafe send(sink, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
            }
            shutdown(sink, Int32(SHUT_WR))
        }
    }
}
