import KSKeyValues
import KSResolution
import KSTestSupport

extension EntryWrite {
    /// Carries out the write with bytes from a generator.
    func apply(
        to record: inout LocalRecord,
        of name: EntryName,
        limits: MergeLimits = .standard,
        using generator: inout SeededGenerator
    ) throws(KeyValueError) {
        // A closure that may be kept cannot use the caller's variable.
        var copy = generator
        defer { generator = copy }
        try apply(
            to: &record,
            of: name,
            limits: limits,
            random: { count in (0..<count).map { _ in .random(in: 0 ... .max, using: &copy) } },
            atMilliseconds: 1000
        )
    }
}
