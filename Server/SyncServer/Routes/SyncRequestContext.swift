internal import Hummingbird
internal import NIOCore

/// The connection of a request.
package struct SyncRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, or the HTTP/2 stream; it closes when the client goes away.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
