internal import Hummingbird
internal import NIOCore

/// What a route knows of a request beside the request itself.
struct SyncRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, or the HTTP/2 stream; closed when the client has gone.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Whom the rate limits count.
    var rateLimitedAddress: String { channel.remoteAddress?.counted ?? "local" }

    /// Does this with a way to end it when the client goes away.
    func onClientGone(_ action: @escaping @Sendable () -> Void) {
        channel.closeFuture.whenComplete { _ in action() }
    }
}
