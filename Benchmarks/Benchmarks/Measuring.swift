/// How often something runs in a second, the best of several tries: the others were disturbed.
func runsPerSecond(tries: Int = 5, count: Int, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let best =
        (0..<tries).map { _ in
            clock.measure { for _ in 0..<count { body() } }
        }.min() ?? .zero
    return Double(count) / (best / .seconds(1))
}

/// One line of the report: ours against what the machine can do, and what we aim at.
func report(_ what: String, ours: Double, bare: Double, aimPercent: Int) {
    let percent = Int((100 * ours / bare).rounded())
    let verdict = percent >= aimPercent ? "reached" : "missed"
    let rates = "\(Int(ours))/s of \(Int(bare))/s bare"
    print("\(what): \(rates) = \(percent)% (aim \(aimPercent)%: \(verdict))")
}
