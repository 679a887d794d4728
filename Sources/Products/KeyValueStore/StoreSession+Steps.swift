internal import KSAgent
internal import Synchronization

// A session on a device in this process: it makes calls and tells observers on the thread that
// reads, writes or lets the device go on, always in the same order.

extension StoreSession: SteppedProgram {
    struct Steps {
        /// Whether calls are made, further up on the stack.
        var isCalling = false
        /// Whether something became due meanwhile.
        var isDue = false
        /// Whether observers are called, further up on the stack.
        var isTelling = false
        /// What observers have not been told.
        var untold: [@Sendable () -> Void] = []
    }

    /// An observer that answers each change with another one would never end; on a real device it
    /// would keep its program busy for ever.
    private static let tellingsMax = 1000

    func take(_ report: KeyValueReport?) { take(StoreWatch.Report(report)) }

    func goOn() {
        let begins = state.withLock { state in
            defer { (state.steps.isCalling, state.steps.isDue) = (true, true) }
            return !state.steps.isCalling
        }
        guard begins else { return }
        while isStillDue() {
            // The device's next step makes failed calls again.
            _ = makeCalls()
        }
        tellObservers()
    }

    func giveUp() {
        let released = state.withLock { $0.unsettled.take() }
        withExtendedLifetime(released) {}
    }

    /// Whether calls have to be made; if not, none are made any more.
    private func isStillDue() -> Bool {
        state.withLock { state in
            defer { state.steps.isDue = false }
            state.steps.isCalling = state.steps.isDue
            return state.steps.isDue
        }
    }

    /// Tells observers once no call is under way.
    func tellLater(_ event: Event) {
        state.withLock { state in
            state.steps.untold.append { [weak self] in
                let observers = self?.observers ?? []
                for observer in observers where !observer.mayWait { observer.body(event) }
                for observer in observers where observer.mayWait { observer.body(event) }
            }
        }
    }

    /// Runs `body` after what observers have not been told yet.
    func tell(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.steps.untold.append(body) }
        tellObservers()
    }

    /// Observers may read, write and synchronize: no call is under way.
    private func tellObservers() {
        let begins = state.withLock { state in
            let begins = !state.steps.isTelling && !state.steps.isCalling
            if begins { state.steps.isTelling = true }
            return begins
        }
        guard begins else { return }
        var count = 0
        while let body = nextUntold() {
            count += 1
            precondition(count < Self.tellingsMax, "An observer answers each change with another.")
            body()
        }
    }

    private func nextUntold() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.steps.isTelling = !state.steps.untold.isEmpty
            return state.steps.untold.isEmpty ? nil : state.steps.untold.removeFirst()
        }
    }
}
