internal import KSMerging
internal import KSRecords

/// Counts and times the calls of a store.
package struct StoreObserver: Sendable {
    let metrics: ServerMetrics
    let health: ServerHealth

    func observe<Value>(
        _ call: ServerMetrics.StoreCall,
        _ body: () throws -> Value
    ) throws -> Value {
        let start = ContinuousClock.now
        defer { metrics.noteStoreCall(call, elapsed: .now - start) }
        do {
            let value = try body()
            if call == .write { health.noteWrite(failure: nil) }
            return value
        } catch let error as StoreError {
            if case .storageFailed = error { metrics.noteStoreFailure() }
            if call == .write { health.noteWrite(failure: error) }
            throw error
        }
    }

    /// Notes one commit of batches.
    func notePush(_ results: [Result<PushAnswer, StoreError>], elapsed: Duration) {
        metrics.noteStoreCall(.push, elapsed: elapsed)
        metrics.noteCommit(batches: results.count)
        for result in results {
            guard case .failure(let error) = result else {
                health.noteWrite(failure: nil)
                continue
            }
            health.noteWrite(failure: error)
            if case .storageFailed = error { metrics.noteStoreFailure() }
        }
    }
}
