internal import Dispatch
internal import Glibc
internal import Synchronization

/// Forwards connections to a port of this machine, until they are silenced.
///
/// A silenced connection stays open and carries nothing more: what is left of one after sleep, on
/// another network, or when a router has forgotten it. Later connections work.
package final class SilencingProxy: Sendable {
    private struct State {
        var sockets: [Int32] = []
        var callerCount = 0
        var silenced = 0
        var isClosed = false
    }

    private let descriptor: Int32
    private let target: UInt16
    private let state = Mutex(State())
    package let port: Int

    /// How many connections were opened so far.
    package var callerCount: Int { state.withLock(\.callerCount) }

    package init(to target: Int) {
        self.target = UInt16(target)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(descriptor, generic, length)
                _ = unsafe getsockname(descriptor, generic, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        listen(descriptor, 64)
        Self.onThread { self.acceptCallers() }
    }

    /// Carries nothing more on the connections that are open now.
    package func silence() {
        state.withLock { $0.silenced = $0.callerCount }
    }

    /// Ends all connections, and takes no more.
    package func close() {
        let sockets = state.withLock { state in
            state.isClosed = true
            return state.sockets
        }
        for socket in sockets + [descriptor] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func acceptCallers() {
        while true {
            let caller = accept(descriptor, nil, nil)
            guard caller >= 0 else { break }
            let server = connectToTarget()
            let number: Int? = state.withLock { state in
                guard !state.isClosed, server >= 0 else { return nil }
                state.sockets += [caller, server]
                state.callerCount += 1
                return state.callerCount
            }
            guard let number else {
                for socket in [caller, server] { Glibc.close(socket) }
                continue
            }
            // The descriptors stay open until the process ends, so no other gets their numbers.
            Self.onThread { self.pump(from: caller, to: server, number) }
            Self.onThread { self.pump(from: server, to: caller, number) }
        }
        Glibc.close(descriptor)
    }

    private func connectToTarget() -> Int32 {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(port: target)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(server, $0, length)
            }
        }
        guard result == 0 else {
            Glibc.close(server)
            return -1
        }
        return server
    }

    private func pump(from source: Int32, to target: Int32, _ number: Int) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe recv(source, &bytes, bytes.count, 0)
            let isSilent = state.withLock { $0.silenced >= number }
            // A silenced connection does not pass its end on either.
            if isSilent && count > 0 { continue }
            if isSilent { return }
            guard count > 0 else { break }
            var sent = 0
            while sent < count {
                let more = unsafe send(
                    target,
                    Array(bytes[sent..<count]),
                    count - sent,
                    Int32(MSG_NOSIGNAL)
                )
                guard more > 0 else { break }
                sent += more
            }
            if sent < count { break }
        }
        for socket in [source, target] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "silencing-proxy").async(execute: body)
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
