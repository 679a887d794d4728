internal import Hummingbird
internal import NIOCore

/// The connection of a request.
struct SyncRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, or the HTTP/2 stream; it closes when the client goes away.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The address that rate limits count.
    var rateLimitedAddress: String { channel.remoteAddress?.counted ?? "local" }

    /// Runs the action when the client goes away.
    func onClientGone(_ action: @escaping @Sendable () -> Void) {
        channel.closeFuture.whenComplete { _ in action() }
    }
}
