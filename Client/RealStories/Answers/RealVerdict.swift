package import Simulation

/// Whether a story ended on real programs as it is written, and as it was simulated.
package struct RealVerdict: Sendable {
    /// An expectation that does not hold on the real programs, or not in the simulator.
    package struct Line: Equatable, Sendable {
        package let line: Int
        package let text: String
        package let expected: String
        /// What the real programs show; nil for what is expected.
        package let real: String?
        /// What the simulator shows; nil for what is expected.
        package let simulated: String?
    }

    package let outcome: RealOutcome
    /// In the order of the story.
    package let lines: [Line]
    package let differences: [EndComparison.Difference]

    package init(_ outcome: RealOutcome, simulated: StoryOutcome) {
        self.outcome = outcome
        guard outcome.end == .played else {
            lines = outcome.failures.map { Self.line($0, real: $0, simulated: nil) }
            differences = []
            return
        }
        let real = Dictionary(uniqueKeysWithValues: outcome.failures.map { ($0.line, $0) })
        let other = Dictionary(uniqueKeysWithValues: simulated.failures.map { ($0.line, $0) })
        lines = Set(real.keys).union(other.keys).sorted().compactMap { number in
            (real[number] ?? other[number]).map {
                Self.line($0, real: real[number], simulated: other[number])
            }
        }
        differences = EndComparison.differences(simulated: simulated.end, real: outcome.devices)
    }

    private static func line(
        _ failure: StoryOutcome.Failure,
        real: StoryOutcome.Failure?,
        simulated: StoryOutcome.Failure?
    ) -> Line {
        Line(
            line: failure.line,
            text: failure.text,
            expected: failure.expected,
            real: real?.shown,
            simulated: simulated?.shown
        )
    }

    /// Whether real programs cannot play the story.
    package var isSkipped: Bool {
        if case .skipped = outcome.end { true } else { false }
    }

    /// Whether every expectation holds, and both ends are the same.
    package var isKept: Bool {
        outcome.end == .played && lines.isEmpty && differences.isEmpty
    }
}
