internal import KSAgent
internal import KSDaemon
internal import KSKeyValues

extension StoreArgument {
    private static let writerByteCount = 16

    /// Writes everything, or nothing and reports why.
    func write(_ writes: [KeyWrite]) throws(CommandFailure) {
        for write in writes {
            do throws(KeyValueError) {
                // The daemon could not decode a more deeply nested value.
                for value in write.values { try KeyValueLimits.check(depthOf: value) }
            } catch {
                let key = KeyValueLines.quoted(write.key)
                throw .refused("\(key) was not changed. \(error.sentence)")
            }
        }
        if writes.contains(where: \.key.isEmpty) { throw .usage(KeyValueError.keyEmpty.sentence) }
        // The daemon recognizes the batch by its writer and number, and carries it out only once.
        // It does not note a refused batch: a repeated one is refused again.
        let call = WriteKeyValues(
            store: store,
            writes: writes.map(\.encoded),
            writer: (0..<Self.writerByteCount).map { _ in UInt8.random(in: .min ... .max) },
            number: 1,
            isAtomic: true
        )
        guard let first = try send(call).refusals.first else { return }
        let key = KeyValueLines.quoted(writes[first.place].key)
        let isOne = Set(writes.map(\.key)).count == 1
        throw CommandFailure.refused(
            isOne
                ? "\(key) was not changed. \(first.sentence)"
                : "Nothing was changed, because of the key \(key). \(first.sentence)"
        )
    }

    /// Makes the call, and once more over a new connection if the daemon goes away during it.
    private func send(_ call: WriteKeyValues) throws(CommandFailure) -> WrittenKeyValues {
        var mayBeMade = false
        var isRepeated = false
        while true {
            do throws(AgentError) {
                let client = try DaemonConnection.connect(to: home.agentHome())
                do throws(AgentError) {
                    return try client.call(call)
                } catch {
                    // An error reply says that this call has changed nothing.
                    if case .failed = error { throw error }
                    mayBeMade = mayBeMade || client.hasSentRequest
                    throw error
                }
            } catch .connectionLost where !isRepeated {
                isRepeated = true
            } catch .failed(let failure) where failure.isRefusal {
                // The first call would have been refused too.
                throw CommandFailure(.failed(failure))
            } catch {
                throw mayBeMade ? Self.failureOfUnknownWrite(error) : CommandFailure(error)
            }
        }
    }

    /// The failure when the daemon may have made the change before it went away.
    private static func failureOfUnknownWrite(_ error: AgentError) -> CommandFailure {
        let cause =
            error == .connectionLost
            ? "The daemon went away in the middle of the call." : error.sentence
        return .tryAgain(
            cause + " The change may have been made: look with sync-client kv get before you"
                + " repeat it."
        )
    }
}

extension KeyWrite {
    /// The values, elements or fields that these commands write.
    fileprivate var values: [PropertyValue] {
        switch action {
        case .write(.set(let value, _)), .write(.setField(_, let value, _)): [value]
        case .write(.insert(let values)), .write(.append(let values)), .write(.remove(let values)):
            values
        default: []
        }
    }
}
