internal import Glibc
internal import KSDaemon

/// The name of this machine.
enum HostName {
    private static let bytesMax = 256

    /// Without its domain; `device` if it has none.
    static var short: String {
        var buffer = [CChar](repeating: 0, count: bytesMax)
        // It leaves the bytes zero if it fails.
        _ = unsafe gethostname(&buffer, buffer.count - 1)
        let name = buffer.map(UInt8.init(bitPattern:)).prefix { $0 != 0 && $0 != UInt8(ascii: ".") }
        // A name that no list could show is as good as none.
        return (try? CheckedAccountForm.name(String(decoding: name, as: UTF8.self))) ?? "device"
    }
}
