internal import KSCZlib

/// Unpacks gzip (RFC 1952) piece by piece, with zlib.
@safe
final class Gunzip {
    // zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isEnded = false
    private static let pieceBytes = 1 << 16

    init() throws(KeePassError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe keychain_sync_inflate_begin(stream) == Z_OK else { throw .tooLarge }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Gives `take` what is unpacked, in pieces of a bounded size.
    func unpack(
        _ bytes: ArraySlice<UInt8>,
        _ take: (ArraySlice<UInt8>) throws(KeePassError) -> Void
    ) throws(KeePassError) {
        guard !isEnded, !bytes.isEmpty else { return }
        var input = Array(bytes)
        var index = 0
        while !isEnded {
            var status = Z_OK
            var used = 0
            let offset = index
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) {
                output,
                count in
                unsafe input.withUnsafeMutableBufferPointer { input in
                    unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + offset }
                    unsafe stream.pointee.avail_in = UInt32(input.count - offset)
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(Self.pieceBytes)
                    status = unsafe inflate(stream, Z_NO_FLUSH)
                    used = input.count - offset - Int(unsafe stream.pointee.avail_in)
                    count = Self.pieceBytes - Int(unsafe stream.pointee.avail_out)
                }
            }
            index += used
            // No progress is no fault: the rest comes with the next piece.
            guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else { throw .damaged }
            isEnded = status == Z_STREAM_END
            if !piece.isEmpty { try take(piece[...]) }
            if piece.count < Self.pieceBytes, index == input.count { return }
            if status == Z_BUF_ERROR { return }
        }
    }

    func finish() throws(KeePassError) {
        guard isEnded else { throw .damaged }
    }
}

/// Packs into gzip (RFC 1952) piece by piece, with zlib.
@safe
final class Gzip {
    // zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private static let pieceBytes = 1 << 16

    init() throws(KeePassError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe keychain_sync_deflate_begin(stream) == Z_OK else { throw .tooLarge }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// The next piece of the result; `isLast`: whether nothing follows.
    func pack(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var input = bytes
        var result: [UInt8] = []
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                result += unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) {
                    output,
                    count in
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(Self.pieceBytes)
                    unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    isFull = unsafe stream.pointee.avail_out == 0
                    count = Self.pieceBytes - Int(unsafe stream.pointee.avail_out)
                }
            }
        }
        return result
    }
}
