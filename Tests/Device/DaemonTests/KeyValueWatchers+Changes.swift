import KSDaemon
import KSKeyValues

extension KeyValueWatchers {
    /// The reports of a store's changes from now on.
    func changes(
        of store: StoreIdentifier,
        except writer: [UInt8]? = nil
    ) -> AsyncStream<Report> {
        let (stream, continuation) = AsyncStream<Report>.makeStream()
        let number = watch(store, except: writer) { _, report in
            if let report { continuation.yield(report) }
        }
        continuation.onTermination = { [weak self] _ in self?.end(number) }
        return stream
    }
}
