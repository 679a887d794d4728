internal import KSCausality
internal import KSKeyValues
internal import KSResolution

// The promises about a key that devices declare with different types.

extension KeyValueOracle {
    /// Checks that the type declared last is shown, and that nothing of the other types is lost.
    ///
    /// - Parameters:
    ///   - state: a new device's state of the entry.
    ///   - isReported: whether that device reports a conflict.
    /// - Throws: the broken promise.
    func checkTypes(of state: RecordState, isReported: Bool) throws(WorldFailure) {
        guard let declaration = Declaration(state) else {
            if let lost = alive.first { throw .keyValueLost(write: lost) }
            return
        }
        let declared = state.candidates(for: .field("type"))
        guard let last = declared.max(by: { $0.stamp < $1.stamp })?.value?.first,
            let shown = MergeType(rawValue: last), declaration.shown == .known(shown),
            isReported == (Set(declared.map(\.value)).count > 1)
        else { throw .typeUnexplained }
        let held = seen(in: state)
        for number in alive where !held.contains(number) { throw .keyValueLost(write: number) }
        for number in self.shown(in: state, shown) where isSurelyCovered(number) {
            throw .keyValueCameBack(write: number)
        }
        try checkCounts(in: state, shown)
        for number in alive where isUnsettled(number, shown: shown) {
            guard isReported, declaration.others.contains(.known(type(of: number))),
                isListed(number, in: EntryReading.conflictingValues(of: state))
            else { throw .keyValueHidden(write: number) }
        }
    }

    /// Whether a write has a type that is not shown, and nobody who had seen it has written since.
    private func isUnsettled(_ number: Int, shown: MergeType) -> Bool {
        guard type(of: number) != shown else { return false }
        return !hasSuccessor(of: number) { self.type(of: $0) != self.type(of: number) }
    }

    /// Whether the values that are not shown hold what a write put, or a concurrent write in its
    /// place.
    private func isListed(_ number: Int, in conflicts: [PropertyValue]) -> Bool {
        let type = type(of: number)
        return conflicts.contains { value in
            numbers(of: value, type).contains { $0 == number || slot(of: $0) == slot(of: number) }
        }
    }
}
