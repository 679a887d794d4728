import Dispatch
import Glibc

/// A port at which a server says something in the clear to one caller and then is gone.
final class KilledServer: Sendable {
    private let descriptor: Int32
    let port: Int

    /// Without words it never was there: the port is taken and nobody listens.
    init(saying words: String?) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(descriptor, generic, length)
                _ = unsafe getsockname(descriptor, generic, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard let words else { return }
        listen(descriptor, 1)
        DispatchQueue(label: "killed-server").async {
            let caller = accept(descriptor, nil, nil)
            var request = [UInt8](repeating: 0, count: 4096)
            _ = unsafe read(caller, &request, request.count)
            let answer = Array(words.utf8)
            _ = unsafe send(caller, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(caller)
        }
    }

    deinit {
        close(descriptor)
    }
}
