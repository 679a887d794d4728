internal import KSCausality

extension LocalRecord {
    /// Forgets earlier values, on every device once it is sent.
    ///
    /// Present and concurrent values stay.
    ///
    /// - Parameters:
    ///   - clock: the device's, milliseconds since 1970.
    ///   - isForgotten: whether a value of the history that the user sees is one of them.
    /// - Returns: how many values are forgotten.
    package mutating func forget(
        atMilliseconds clock: UInt64,
        where isForgotten: (PastValue) -> Bool
    ) -> Int {
        let past = view.pastValues.filter(isForgotten)
        guard !past.isEmpty else { return 0 }
        var changed = edit ?? PendingEdit(atMilliseconds: clock)
        changed.forget(unsent: past)
        changed.forgotten.formUnion(
            past.lazy.filter { $0.stamp.actor != .unsent }.map(PastPlace.init)
        )
        changed.hadSeenBatch = changed.hadSeenBatch || onItsWay != nil
        changed.revision &+= 1
        edit = changed
        return past.count
    }
}

/// Which value of a record an entry of its history is.
struct PastPlace: Hashable, Comparable {
    let name: ValueName
    let stamp: Stamp

    init(name: ValueName, stamp: Stamp) { (self.name, self.stamp) = (name, stamp) }

    init(_ past: PastValue) { self.init(name: past.name, stamp: past.stamp) }

    static func < (left: PastPlace, right: PastPlace) -> Bool {
        left.name == right.name ? left.stamp < right.stamp : left.name < right.name
    }
}

extension PendingEdit {
    /// Forgets superseded values that have no stamp yet.
    fileprivate mutating func forget(unsent past: [PastValue]) {
        companions.removeAll { companion in
            companion.isSuperseded
                && past.contains { $0.name == companion.name && $0.value == companion.value }
        }
    }

    /// Forgets what a later edit had forgotten of a batch that was taken apart: its values get new
    /// stamps.
    mutating func forget(whatWasForgottenIn later: PendingEdit, of sealed: RecordState) {
        guard !later.forgotten.isEmpty else { return }
        let held = sealed.values.flatMap { name, values in
            values.compactMap { $0.past(of: name) }
        }
        forget(
            unsent: (sealed.history + held).filter { later.forgotten.contains(PastPlace($0)) }
        )
    }

    /// Whether a record with this state has a value that this edit forgets, or may get one: of a
    /// batch under way, or one that is still current there.
    func forgetsSome(of state: RecordState) -> Bool {
        let gone = Set(state.history.lazy.filter(\.isForgotten).map(PastPlace.init))
        let past = Set(state.history.lazy.map(PastPlace.init)).subtracting(gone)
        return forgotten.contains { place in
            past.contains(place) || !state.context.contains(place.stamp)
                || state.stamps(of: place.name).contains(place.stamp)
        }
    }
}

extension RecordState {
    /// Leaves out the values of these entries of the history.
    mutating func forget(_ places: Set<PastPlace>) {
        guard !places.isEmpty else { return }
        history = history.map { places.contains(PastPlace($0)) ? $0.forgotten : $0 }
    }
}
