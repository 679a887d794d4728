/// A value that only code on one queue may use, shared by the actors that run there.
///
/// A check ends the program if other code uses it.
package struct Confined<Value>: @unchecked Sendable {
    // Safety: the value is reached only through `value`, which checks the queue.
    package let executor: QueueExecutor
    private let confined: Value

    package init(_ value: Value, to executor: QueueExecutor) {
        confined = value
        self.executor = executor
    }

    package var value: Value {
        executor.preconditionIsolated()
        return confined
    }
}
