package import Simulation

/// The result of a story on real programs.
package struct RealOutcome: Sendable {
    /// How it ended.
    package enum End: Equatable, Sendable {
        case played
        /// Real programs cannot play a line of it; nothing was started.
        case skipped(StoryPlan.SkippedLine)
        /// A line could not be carried out.
        case broken(line: Int, text: String, reason: String)
    }

    package var end: End = .played
    /// The expectations that do not hold on the real programs.
    package var failures: [StoryOutcome.Failure] = []
    package var expectationCount = 0
    /// What `show` printed.
    package var shown: [String] = []
    /// The commands, if they were asked for.
    package var trace: [String] = []
    /// What each device shows at the end.
    package var devices: [DeviceEnd] = []

    package init() {}
}
