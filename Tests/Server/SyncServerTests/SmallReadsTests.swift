import NIOCore
import NIOEmbedded
import Testing

import KSSyncServer

/// What the handler behind TLS passes on.
struct SmallReadsTests {
    /// Reads `count` bytes, of which the next handlers keep a part, and then some more.
    ///
    /// - Returns: whether the buffer that was read into had to be copied for that.
    private func isCopied(count: Int) throws -> Bool {
        let channel = EmbeddedChannel(handler: SmallReads())
        defer {
            // Nothing is left in it that would matter.
            _ = try? channel.finish()
        }
        var buffer = ByteBufferAllocator().buffer(capacity: 32 << 10)
        buffer.writeRepeatingByte(7, count: count)
        let place = unsafe buffer.withVeryUnsafeBytes { Int(bitPattern: $0.baseAddress) }
        try channel.writeInbound(buffer)
        let kept = try #require(try channel.readInbound(as: ByteBuffer.self))
        #expect(kept == ByteBuffer(repeating: 7, count: count))
        buffer.clear(minimumCapacity: 32 << 10)
        buffer.writeInteger(UInt8(8))
        let later = unsafe buffer.withVeryUnsafeBytes { Int(bitPattern: $0.baseAddress) }
        return withExtendedLifetime(kept) { place != later }
    }

    @Test
    func `a small read leaves the reader its buffer, and a large one is passed on as it is`() throws
    {
        #expect(try !isCopied(count: 1))
        #expect(try !isCopied(count: SmallReads.byteCountMax))
        #expect(try isCopied(count: SmallReads.byteCountMax + 1))
    }
}
