import KSResolution

// What the tests compare, and where a fold may change it.

extension FoldWorld {
    /// The counters of which a device has sent increments again while another device folded them.
    var raced: Set<String> {
        Set(
            withdrawn.keys.filter { !withdrawn[$0, default: []].isDisjoint(with: folded[$0] ?? []) }
        )
    }

    static func numbers(of state: ItemState) -> [String: Number] {
        state.counters.reduce(into: [:]) { numbers, counter in
            var number = Number(base: counter.value.base?.number)
            for held in counter.value.uncut.values {
                number.plus += held.totals.plus
                number.minus += held.totals.minus
            }
            if number != Number() { numbers[text(counter.key) ?? ""] = number }
        }
    }

    /// The counters of which two concurrent resets were not folded together.
    ///
    /// A fold keeps only the sum of what each of them had seen.
    var contested: Set<String> {
        func generation(closing reset: Int) -> Int? {
            closed.firstIndex { $0.resets.contains(reset) }
        }
        func isLate(_ reset: Int) -> Bool {
            let made = resets[reset].generation
            return made < closed.count && generation(closing: reset) != made
        }
        var contested: Set<String> = []
        for (second, reset) in resets.enumerated() {
            for first in 0..<second where !reset.seen.contains(first) {
                let same = generation(closing: first) == generation(closing: second)
                if !same || isLate(first) || isLate(second) {
                    contested.formUnion(reset.counters.intersection(resets[first].counters))
                }
            }
        }
        return contested
    }
}
