import KSAgent
import KSDaemon
import KSKeyValueCalls
import KSKeyValues

extension KeyValueWatchers {
    /// The reports of a store's changes from now on.
    func changes(
        of store: StoreIdentifier,
        except writer: [UInt8]? = nil
    ) -> AsyncStream<KeyValueReport> {
        let (stream, continuation) = AsyncStream<KeyValueReport>.makeStream()
        let number = watch(store, except: writer) { report in
            if report.number > 0 { continuation.yield(report) }
        }
        continuation.onTermination = { [weak self] _ in self?.end(number) }
        return stream
    }
}
