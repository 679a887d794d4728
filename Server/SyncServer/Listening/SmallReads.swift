package import NIOCore

/// Passes small reads on as copies, so that the handler of TLS keeps its one buffer to itself.
///
/// That handler decrypts into 32 KiB. As long as the decoder of HTTP/2 holds on to some bytes of
/// them, the handler copies all 32 KiB before it reads on, and both copies stay while a stream
/// waits.
package final class SmallReads: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    /// Most requests without a body are smaller; copying more takes longer than it saves.
    package static let byteCountMax = 2048

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard bytes.readableBytes <= Self.byteCountMax else {
            return context.fireChannelRead(data)
        }
        var copy = context.channel.allocator.buffer(capacity: bytes.readableBytes)
        copy.writeImmutableBuffer(bytes)
        context.fireChannelRead(wrapInboundOut(copy))
    }
}
