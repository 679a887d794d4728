import KSRealStories
import Simulation

// The result of a story on real programs.
extension StoryReport {
    private var seconds: Double { (milliseconds / 100).rounded() / 10 }

    /// What differs from the story or from its simulation, and the end.
    func realLines(_ real: RealVerdict) -> [String] {
        let lines = real.outcome.trace + real.outcome.shown + faultLines(real)
        let count = real.outcome.expectationCount
        let expectations = "\(count) expectation\(count == 1 ? "" : "s")"
        let result =
            switch real.outcome.end {
            case .skipped: "skipped, real programs cannot play it"
            case .broken: "broken off on real programs after \(expectations), \(seconds) s"
            case .played where real.isKept:
                "kept on real programs, \(expectations), the same end as simulated, \(seconds) s"
            case .played:
                "\(real.lines.count { $0.real != nil }) of \(expectations) failed on real"
                    + " programs, \(differenceCount(real)) as simulated, \(seconds) s"
            }
        return lines + ["\(path): \(result)"]
    }

    private func differenceCount(_ real: RealVerdict) -> String {
        let count =
            real.differences.count + real.lines.count { ($0.real == nil) != ($0.simulated == nil) }
        return count == 0 ? "the same end" : "\(count) not"
    }

    private func faultLines(_ real: RealVerdict) -> [String] {
        var lines: [String] = []
        for line in real.lines {
            lines += ["\(path):\(line.line): \(line.text)", "  expected:  \(line.expected)"]
            lines.append("  shown:     \(line.real ?? "what is expected")")
            if (line.real == nil) != (line.simulated == nil) {
                lines.append("  simulated: \(line.simulated ?? "what is expected")")
            }
        }
        for difference in real.differences {
            lines += [
                "\(path): at the end, \(difference.device), \(difference.name)",
                "  simulated: \(difference.simulated)", "  shown:     \(difference.real)",
            ]
        }
        switch real.outcome.end {
        case .skipped(let skipped):
            lines += ["\(path):\(skipped.line): \(skipped.text)", "  skipped: \(skipped.reason)"]
        case .broken(let line, let text, let reason):
            lines += ["\(path):\(line): \(text)", "  failed: \(reason)"]
        case .played: break
        }
        return lines
    }

    // MARK: JSON

    private struct RealAnswer: Encodable {
        struct Failure: Encodable {
            let line: Int
            let text: String
            let expected: String
            let shown: String?
            let simulated: String?
        }

        struct Difference: Encodable {
            let device: String
            let name: String
            let simulated: String
            let shown: String
        }

        struct Line: Encodable {
            let line: Int
            let text: String
            let reason: String
        }

        let story: String
        let real = true
        let kept: Bool
        let expectations: Int
        let failures: [Failure]
        let differences: [Difference]
        let skipped: Line?
        let brokenOff: Line?
        let shown: [String]
        let trace: [String]
        let seconds: Double
    }

    func realJSON(_ real: RealVerdict) throws -> String {
        var (skipped, broken): (RealAnswer.Line?, RealAnswer.Line?)
        switch real.outcome.end {
        case .skipped(let line):
            skipped = .init(line: line.line, text: line.text, reason: line.reason)
        case .broken(let line, let text, let reason):
            broken = .init(line: line, text: text, reason: reason)
        case .played: break
        }
        return try Self.text(
            RealAnswer(
                story: path,
                kept: real.isKept,
                expectations: real.outcome.expectationCount,
                failures: real.lines.map {
                    .init(
                        line: $0.line,
                        text: $0.text,
                        expected: $0.expected,
                        shown: $0.real,
                        simulated: $0.simulated
                    )
                },
                differences: real.differences.map {
                    .init(
                        device: $0.device,
                        name: $0.name,
                        simulated: $0.simulated,
                        shown: $0.real
                    )
                },
                skipped: skipped,
                brokenOff: broken,
                shown: real.outcome.shown,
                trace: real.outcome.trace,
                seconds: seconds
            )
        )
    }

    // MARK: JUnit

    /// What stands in the test case of the story.
    func realTestCase(_ real: RealVerdict) -> String {
        if case .skipped(let line) = real.outcome.end {
            let message = "\(line.line): \(line.text): \(line.reason)"
            return "<skipped message=\"\(Self.escaped(message))\"/>"
        }
        guard !real.isKept else { return "" }
        let lines = faultLines(real)
        let text = Self.escaped(lines.joined(separator: "\n"))
        return "<failure message=\"\(Self.escaped(lines.first ?? ""))\">\(text)</failure>"
    }
}
