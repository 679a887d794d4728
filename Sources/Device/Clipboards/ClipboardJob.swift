internal import Glibc
internal import KSSecrets

/// What the process that holds the clipboard reads from its input: seconds, whether it has a
/// terminal, and the text to the end.
enum ClipboardJob {
    private static let headerBytes = 5

    static func encode(_ text: SharedSecret, seconds: UInt32, hasTerminal: Bool) -> SharedSecret {
        var header = LittleEndianBytes()
        header.put32(seconds)
        header.put8(hasTerminal ? 1 : 0)
        return .joining([SharedSecret(bytes: header.bytes), text])
    }

    /// Reads a job to the end of a file.
    static func read(
        _ descriptor: Int32
    ) -> (text: SharedSecret, seconds: UInt32, hasTerminal: Bool)? {
        var count = 0
        let all = SharedSecret(count: headerBytes + Clipboard.bytesMax + 1) {
            (span: inout MutableRawSpan) throws(Never) in
            unsafe span.withUnsafeMutableBytes { bytes in
                while count < bytes.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                    let got = unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
                    if got < 0, errno == EINTR { continue }
                    guard got > 0 else { break }
                    count += got
                }
            }
        }
        guard count > headerBytes, count <= headerBytes + Clipboard.bytesMax else { return nil }
        let header = all.part(0..<headerBytes).copyBytes()
        return (
            all.part(headerBytes..<count), LittleEndianBytes.read32(header, at: 0), header[4] == 1
        )
    }
}
