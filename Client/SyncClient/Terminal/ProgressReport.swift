package import KSAgent
internal import KSBytes

/// Decides when the progress of a long call is shown, and in which words.
///
/// Times are seconds since the call began.
package struct ProgressReport {
    /// A shorter call shows nothing.
    private static let quietSeconds = 1.0
    private static let rewriteSeconds = 0.2
    /// Between two lines that stay.
    private static let lineSeconds = 5.0
    /// The rate is that of the last seconds, since items are done in bursts.
    private static let windowSeconds = 5.0
    /// A rate over a shorter time says little.
    private static let rateSecondsMin = 0.4

    private let intervalSeconds: Double
    private var nextSeconds: Double
    private var text = ""
    private var samples: [(seconds: Double, done: UInt64)] = []

    /// `rewrites`: whether each line takes the place of the one before.
    package init(rewrites: Bool) {
        intervalSeconds = rewrites ? Self.rewriteSeconds : Self.lineSeconds
        nextSeconds = rewrites ? Self.quietSeconds : Self.lineSeconds
    }

    /// Takes what is known now.
    ///
    /// - Returns: the line to show; nil if it is too early for one.
    package mutating func line(_ progress: AgentProgress, atSeconds now: Double) -> String? {
        note(progress, now)
        guard now >= nextSeconds else { return nil }
        nextSeconds = now + intervalSeconds
        return words(progress)
    }

    private mutating func note(_ progress: AgentProgress, _ now: Double) {
        if progress.text != text || progress.done < samples.last?.done ?? 0 { samples = [] }
        text = progress.text
        samples.append((now, progress.done))
        // One sample stays that is as old as the window.
        while samples.count > 2, samples[1].seconds <= now - Self.windowSeconds {
            samples.removeFirst()
        }
    }

    /// How many a second are done now; nil while it is unknown, or nothing moves.
    private var perSecond: Double? {
        guard let first = samples.first, let last = samples.last,
            last.seconds - first.seconds >= Self.rateSecondsMin, last.done > first.done
        else { return nil }
        return Double(last.done - first.done) / (last.seconds - first.seconds)
    }

    private func words(_ progress: AgentProgress) -> String {
        guard progress.done > 0 || progress.total > 0 else { return progress.text + " …" }
        let words = progress.text.split(separator: " ", maxSplits: 1).map(String.init)
        let done = progress.total > 0 ? min(progress.done, progress.total) : progress.done
        let of = progress.total > 0 ? " of \(Self.grouped(progress.total))" : ""
        var parts = [
            ([(words.first ?? "") + " " + Self.grouped(done) + of] + words.dropFirst())
                .joined(separator: " ")
        ]
        if let perSecond {
            parts.append(Self.rate(perSecond))
            if progress.total > done {
                parts.append(Self.timeLeft(Double(progress.total - done) / perSecond))
            }
        }
        return parts.joined(separator: ", ")
    }

    private static func rate(_ perSecond: Double) -> String {
        if perSecond >= 10 { return grouped(UInt64(perSecond.rounded())) + "/s" }
        let tenths = UInt64((perSecond * 10).rounded(.up))
        return "\(tenths / 10).\(tenths % 10)/s"
    }

    /// Rounded up: time left that is too short annoys.
    private static func timeLeft(_ seconds: Double) -> String {
        // More than a month says nothing.
        let seconds = UInt64(min(seconds, 2_600_000).rounded(.up))
        if seconds < 60 { return "\(max(1, seconds)) s left" }
        let minutes = (seconds + 59) / 60
        return minutes < 60 ? "\(minutes) min left" : "\(minutes / 60) h \(minutes % 60) min left"
    }

    /// A number with a comma between its thousands.
    private static func grouped(_ number: UInt64) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text = "," + text }
            text = String(digit) + text
        }
        return text
    }
}
