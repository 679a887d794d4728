// What is not promised where devices are copied, or databases put back to an earlier copy.

extension KeyValueOracle {
    /// The writes of an entry that copies of devices may repeat or lose.
    package struct Exemptions {
        /// How many times more each write may take effect: two copies of a device both had to send
        /// it.
        package private(set) var repetitions: [Int: Int] = [:]
        /// The writes in batches that the server has accepted.
        private var sent: Set<Int> = []
        private var lost: Set<Int> = []

        /// How many writes may take effect several times.
        var repeatedCount: Int { repetitions.count }

        /// How many writes may be lost.
        var lostCount: Int { lost.count }

        /// Notes that one more copy of a device will send these writes.
        package mutating func noteRepeated(_ numbers: some Sequence<Int>) {
            for number in numbers { repetitions[number, default: 0] += 1 }
        }

        /// Notes that the server has accepted these writes.
        package mutating func noteSent(_ numbers: some Sequence<Int>) {
            sent.formUnion(numbers)
            lost.subtract(numbers)
        }

        /// Notes that the last disk which held these unsent writes was put back.
        package mutating func noteLost(_ numbers: some Sequence<Int>) {
            lost.formUnion(Set(numbers).subtracting(sent))
        }

        /// Whether only a disk that was put back held a write, as far as is known.
        func mayBeLost(_ number: Int) -> Bool { lost.contains(number) }
    }
}
