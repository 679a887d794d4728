internal import KSCausality
package import KSRecords

/// The bytes that are sealed.
///
/// Actors and stamps are listed once, in tables, and referred to by index. Equal states have equal
/// bytes, and a decoded state encodes to the same bytes.
extension RecordState {
    /// The newest format that this program reads, which only a history with forgotten values needs.
    package static let currentFormat: UInt64 = 2
    /// The format of all other states.
    package static let firstFormat: UInt64 = 1
    /// How an entry of the history says that its value is forgotten.
    private static let forgottenMark: UInt64 = 2

    /// Check its size against ``RecordKind/textBytesMax`` before sealing.
    package var encoded: [UInt8] {
        let stamps = Set(
            values.values.lazy.flatMap { $0 }.map(\.stamp) + history.map(\.stamp)
        ).sorted()
        let contexts = [context, deleted].flatMap { $0.highestStamps + $0.exactStamps }
        let actors = Set((stamps + contexts).map(\.actor)).sorted()
        let tables = StampTables(actors: actors, stamps: stamps)
        var encoder = CanonicalEncoder()
        let hasForgotten = history.contains(where: \.isForgotten)
        encoder.compactInteger(hasForgotten ? Self.currentFormat : Self.firstFormat)
        encoder.compactList(actors) { $0.integer($1.rawValue) }
        encoder.compactList(stamps) { $0.stamp($1, tables) }
        encoder.compactList(values.sorted { $0.key < $1.key }) { encoder, entry in
            encoder.valueName(entry.key)
            encoder.compactList(entry.value) { encoder, value in
                encoder.compactInteger(tables.place(of: value.stamp))
                encoder.optionalBytes(value.value)
            }
        }
        encoder.compactList(history) { encoder, entry in
            encoder.valueName(entry.name)
            encoder.compactInteger(tables.place(of: entry.stamp))
            if let value = entry.value {
                encoder.compactInteger(1)
                encoder.compactBytes(value)
            } else {
                encoder.compactInteger(entry.isForgotten ? Self.forgottenMark : 0)
                encoder.compactInteger(entry.byteCount)
            }
        }
        for context in [context, deleted] {
            encoder.compactList(context.highestStamps) { $0.stamp($1, tables) }
            encoder.compactList(context.exactStamps) { $0.stamp($1, tables) }
        }
        if let deletionNote { encoder.deletionNote(deletionNote) }
        return encoder.encoded
    }

    /// Decodes a sealed state.
    ///
    /// - Throws: ``Records/RecordsError/formatTooNew(format:)`` for a newer program's state, and
    ///   ``Records/RecordsError/tooLarge`` for one beyond the bounds, before it takes up memory.
    package init(
        decoding encoded: [UInt8],
        within bounds: StateBounds = .received
    ) throws(RecordsError) {
        guard encoded.count <= bounds.bytesMax else { throw .tooLarge }
        var decoder = CanonicalDecoder(encoded)
        let format = try decoder.format(upTo: Self.currentFormat)
        var tables = try decoder.stampTables(bounds)
        self.init()
        var valuesLeft = bounds.valuesMax
        let named = try decoder.compactList(elementBytesMin: 5, countMax: valuesLeft) {
            decoder throws(RecordsError) in
            let name = try decoder.valueName()
            let values = try decoder.compactList(elementBytesMin: 2, countMax: valuesLeft) {
                decoder throws(RecordsError) in
                try StampedValue(stamp: decoder.place(in: &tables), value: decoder.optionalBytes())
            }
            valuesLeft -= values.count
            guard !values.isEmpty, values.isStrictlyRising else { throw .malformed }
            return (name: name, values: values)
        }
        guard named.map(\.name).isStrictlyRising else { throw .malformed }
        for (name, values) in named { self.values[name] = values }
        history = try decoder.compactList(elementBytesMin: 5, countMax: valuesLeft) {
            decoder throws(RecordsError) in
            let name = try decoder.valueName()
            let stamp = try decoder.place(in: &tables)
            let mark = try decoder.compactInteger()
            guard mark <= Self.forgottenMark else { throw .malformed }
            if mark == 1 {
                return PastValue(name: name, stamp: stamp, value: try decoder.compactBytes())
            }
            return PastValue(
                name: name,
                stamp: stamp,
                byteCount: try decoder.compactInteger(),
                value: nil,
                isForgotten: mark == Self.forgottenMark
            )
        }
        // Otherwise a state would have two encodings.
        guard history.contains(where: \.isForgotten) == (format == Self.currentFormat) else {
            throw .malformed
        }
        context = try decoder.context(&tables, bounds)
        deleted = try decoder.context(&tables, bounds)
        if decoder.remaining > 0 { deletionNote = try decoder.deletionNote() }
        try decoder.end()
        guard tables.areAllUsed, isWellFormed else { throw .malformed }
    }

    /// Whether it is valid for joining: held and superseded stamps are in the context, none is
    /// both, and the history is within its limits.
    private var isWellFormed: Bool {
        let held = Set(
            values.keys.filter(\.keepsHistory).flatMap { name in
                stamps(of: name).map { Held(name: name, stamp: $0) }
            }
        )
        return values.values.allSatisfy { $0.allSatisfy { context.contains($0.stamp) } }
            && values.allSatisfy { $0.key.accepts($0.value) }
            && history.allSatisfy {
                $0.name.keepsHistory && context.contains($0.stamp)
                    && !held.contains(Held(name: $0.name, stamp: $0.stamp))
            }
            && History.bounded(history) == history
    }
}

/// A stamp that a name holds now.
private struct Held: Hashable {
    let name: ValueName
    let stamp: Stamp
}

/// The actors and stamps of a state, each once.
private struct StampTables {
    let actors: [ActorID]
    let stamps: [Stamp]
    private let actorPlaces: [ActorID: Int]
    private let stampPlaces: [Stamp: Int]
    private var usedActors: Set<Int> = []
    private var usedStamps: Set<Int> = []

    /// - Parameters:
    ///   - actors: in order, each once.
    ///   - stamps: in order, each once.
    init(actors: [ActorID], stamps: [Stamp]) {
        self.actors = actors
        self.stamps = stamps
        actorPlaces = Dictionary(
            uniqueKeysWithValues: actors.enumerated().map { ($0.element, $0.offset) }
        )
        stampPlaces = Dictionary(
            uniqueKeysWithValues: stamps.enumerated().map { ($0.element, $0.offset) }
        )
    }

    func place(of actor: ActorID) -> UInt64 { UInt64(actorPlaces[actor] ?? 0) }

    func place(of stamp: Stamp) -> UInt64 { UInt64(stampPlaces[stamp] ?? 0) }

    mutating func actor(at place: UInt64) throws(RecordsError) -> ActorID {
        guard place < actors.count else { throw .malformed }
        usedActors.insert(Int(place))
        return actors[Int(place)]
    }

    mutating func stamp(at place: UInt64) throws(RecordsError) -> Stamp {
        guard place < stamps.count else { throw .malformed }
        usedStamps.insert(Int(place))
        return stamps[Int(place)]
    }

    /// Whether every entry is used; with unused entries a state would have two encodings.
    var areAllUsed: Bool {
        usedActors.count == actors.count && usedStamps.count == stamps.count
    }
}

extension CanonicalEncoder {
    fileprivate mutating func stamp(_ stamp: Stamp, _ tables: StampTables) {
        compactInteger(tables.place(of: stamp.actor))
        integer(stamp.time.rawValue)
    }
}

extension CanonicalDecoder {
    fileprivate mutating func stampTables(
        _ bounds: StateBounds
    ) throws(RecordsError) -> StampTables {
        // Those of two contexts; those of the values are among them.
        let (twice, isBeyond) = bounds.stampsMax.multipliedReportingOverflow(by: 2)
        let actors = try compactList(elementBytesMin: 8, countMax: isBeyond ? .max : twice) {
            decoder throws(RecordsError) in
            ActorID(rawValue: try decoder.integer())
        }
        guard actors.isStrictlyRising else { throw .malformed }
        var tables = StampTables(actors: actors, stamps: [])
        // Those of the values and of the history.
        let stamps = try compactList(elementBytesMin: 9, countMax: bounds.valuesMax) {
            decoder throws(RecordsError) in
            try decoder.stamp(&tables)
        }
        guard stamps.isStrictlyRising else { throw .malformed }
        var result = StampTables(actors: actors, stamps: stamps)
        for stamp in stamps { _ = try result.actor(at: result.place(of: stamp.actor)) }
        return result
    }

    fileprivate mutating func stamp(_ tables: inout StampTables) throws(RecordsError) -> Stamp {
        let actor = try tables.actor(at: try compactInteger())
        let time = try integer()
        // No new time could exceed a time above this (HybridTime.next).
        guard time < HybridTime.rawValueLimit else { throw .malformed }
        return Stamp(time: HybridTime(rawValue: time), actor: actor)
    }

    fileprivate mutating func place(in tables: inout StampTables) throws(RecordsError) -> Stamp {
        try tables.stamp(at: try compactInteger())
    }

    fileprivate mutating func context(
        _ tables: inout StampTables,
        _ bounds: StateBounds
    ) throws(RecordsError) -> StampContext {
        let highest = try compactList(elementBytesMin: 9, countMax: bounds.stampsMax) {
            decoder throws(RecordsError) in
            try decoder.stamp(&tables)
        }
        let exact = try compactList(
            elementBytesMin: 9,
            countMax: bounds.stampsMax - highest.count
        ) {
            decoder throws(RecordsError) in
            try decoder.stamp(&tables)
        }
        let context = StampContext(highest: highest, exact: exact)
        guard context.highestStamps == highest, context.exactStamps == exact else {
            throw .malformed
        }
        return context
    }
}
