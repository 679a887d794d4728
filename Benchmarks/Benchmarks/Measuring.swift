internal import Synchronization

/// How many aims this run has missed.
let missedAims = Mutex(0)

/// What the report says of an aim.
func verdict(isReached: Bool) -> String {
    if !isReached { missedAims.withLock { $0 += 1 } }
    return isReached ? "reached" : "missed"
}

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
    let result = verdict(isReached: percent >= aimPercent)
    let rates = "\(Int(ours))/s of \(Int(bare))/s bare"
    print("\(what): \(rates) = \(percent)% (aim \(aimPercent)%: \(result))")
}

/// The same, where what we aim at is a rate.
func report(_ what: String, ours: Double, bare: Double, aimRate: Double) {
    let percent = Int((100 * ours / bare).rounded())
    let result = verdict(isReached: ours >= aimRate)
    let rates = "\(Int(ours))/s, \(percent)% of \(Int(bare))/s bare"
    print("\(what): \(rates) (aim \(Int(aimRate))/s: \(result))")
}

/// The same, where what we aim at is a time.
func report(
    _ what: String,
    milliseconds: Double,
    bareMilliseconds: Double,
    aimMilliseconds: Double
) {
    func text(_ time: Double) -> String { "\((time * 100).rounded() / 100) ms" }
    let ratio = (10 * milliseconds / bareMilliseconds).rounded() / 10
    let result = verdict(isReached: milliseconds <= aimMilliseconds)
    let times = "\(text(milliseconds)), \(ratio) times \(text(bareMilliseconds)) bare"
    print("\(what): \(times) (aim \(text(aimMilliseconds)): \(result))")
}
