internal import Glibc
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

    /// Whom the rate limits count: an IPv4 address, or an IPv6 network of 64 bits, which one
    /// customer has whole.
    var rateLimitedAddress: String {
        switch channel.remoteAddress {
        case .v4(let address): address.host
        case .v6(let address):
            unsafe withUnsafeBytes(of: address.address.sin6_addr) { bytes in
                unsafe bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
            }
        case .unixDomainSocket, nil: "local"
        }
    }

    /// Does this with a way to end it when the client goes away.
    func onClientGone(_ action: @escaping @Sendable () -> Void) {
        channel.closeFuture.whenComplete { _ in action() }
    }
}
