import KSCausality

extension VersionVector {
    /// How one vector compares with another.
    enum Order: Equatable {
        case equal, before, after, concurrent
    }

    func compare(to other: VersionVector) -> Order {
        switch (covers(other), other.covers(self)) {
        case (true, true): .equal
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }

    /// Raises each actor's counter to that of the other vector, as a device does in its database.
    mutating func merge(_ other: VersionVector) {
        for entry in other.entries { raise(entry.actor, to: entry.counter) }
    }

    func merged(with other: VersionVector) -> VersionVector {
        var result = self
        result.merge(other)
        return result
    }
}
