package import KSCausality

extension CanonicalEncoder {
    package mutating func dot(_ dot: Dot) {
        integer(dot.actor.rawValue)
        integer(dot.counter)
    }

    /// Writes a set of dots, in order and each once.
    package mutating func dots(_ dots: some Collection<Dot>) {
        list(Set(dots).sorted()) { $0.dot($1) }
    }

    package mutating func vector(_ vector: VersionVector) {
        list(vector.entries) { $0.dot(Dot(actor: $1.actor, counter: $1.counter)) }
    }

    package mutating func stamp(_ stamp: Stamp) {
        integer(stamp.time.rawValue)
        integer(stamp.actor.rawValue)
    }

    package mutating func context(_ context: StampContext) {
        list(context.highestStamps) { $0.stamp($1) }
        list(context.exactStamps) { $0.stamp($1) }
    }
}

extension CanonicalDecoder {
    package mutating func dot() throws(RecordsError) -> Dot {
        let actor = ActorID(rawValue: try integer())
        let counter = try integer()
        guard counter > 0 else { throw .malformed }
        return Dot(actor: actor, counter: counter)
    }

    package mutating func dots() throws(RecordsError) -> [Dot] {
        try set { decoder throws(RecordsError) in try decoder.dot() }
    }

    package mutating func vector() throws(RecordsError) -> VersionVector {
        let entries = try list { decoder throws(RecordsError) in try decoder.dot() }
        guard entries.map(\.actor).isStrictlyRising else { throw .malformed }
        return VersionVector(entries.map { (actor: $0.actor, counter: $0.counter) })
    }

    package mutating func stamp() throws(RecordsError) -> Stamp {
        let time = try integer()
        // No new time could exceed a time above this (HybridTime.next).
        guard time < HybridTime.rawValueLimit else { throw .malformed }
        return Stamp(time: HybridTime(rawValue: time), actor: ActorID(rawValue: try integer()))
    }

    package mutating func context() throws(RecordsError) -> StampContext {
        let highest = try list { decoder throws(RecordsError) in try decoder.stamp() }
        let exact = try set { decoder throws(RecordsError) in try decoder.stamp() }
        let context = StampContext(highest: highest, exact: exact)
        guard context.highestStamps == highest, context.exactStamps == exact else {
            throw .malformed
        }
        return context
    }
}
