package import Simulation

/// A story as steps of the real programs.
package struct StoryPlan: Sendable {
    /// A line that real programs cannot play.
    package struct SkippedLine: Error, Equatable, Sendable {
        /// Counted from 1.
        package let line: Int
        package let text: String
        package let reason: String

        package init(line: Int, text: String, reason: String) {
            (self.line, self.text, self.reason) = (line, text, reason)
        }
    }

    /// A line, and what it does.
    package struct Line: Sendable {
        package let line: StoryLine
        package let steps: [Step]
    }

    package let lines: [Line]

    /// Longer waits stand for days, which the clock of a machine decides.
    package static let advanceMillisecondsMax = 60_000
    /// A slower link would make a story slow, and decides nothing while `sync` waits for it.
    package static let delayMillisecondsMax = 300

    /// Plans a whole story; nothing is done.
    ///
    /// - Throws: ``SkippedLine`` for the first line that cannot be played.
    package init(_ story: StoryFile) throws(SkippedLine) {
        var context = Context()
        var lines: [Line] = []
        for line in story.lines {
            do throws(Unplayable) {
                try context.check(line)
                lines.append(Line(line: line, steps: try StoryMapping.steps(of: line, context)))
                if !line.texts("NAME").isEmpty { context.hasAccount = true }
            } catch {
                throw SkippedLine(line: line.number, text: line.text, reason: error.reason)
            }
        }
        self.lines = lines
    }

    /// What earlier lines have decided.
    struct Context {
        /// Whether the account was made.
        var hasAccount = false
        /// The devices on whose network chance or time decides what arrives, and what it does.
        private var uncertain: [String: String] = [:]

        mutating func check(_ line: StoryLine) throws(Unplayable) {
            let device = line.text("DEVICE")
            switch line.pattern {
            case "DEVICE slow DURATION": uncertain[device] = "slow"
            case "DEVICE lossy PERCENT": uncertain[device] = "lossy"
            case "DEVICE online", "DEVICE offline", "DEVICE one-way": uncertain[device] = nil
            case "advance DURATION": try checkAdvance(line.duration)
            default: break
            }
        }

        private func checkAdvance(_ duration: Duration) throws(Unplayable) {
            guard duration <= .milliseconds(advanceMillisecondsMax) else {
                throw Unplayable(
                    "the clocks of real programs are not set, and a story waits for a minute at"
                        + " most"
                )
            }
            if let (name, network) = uncertain.min(by: { $0.key < $1.key }) {
                throw Unplayable(
                    "\(name) is on a \(network) network, and what arrives there within a time is"
                        + " decided by the simulated one"
                )
            }
        }
    }
}
