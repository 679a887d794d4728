internal import KSCausality
package import KSResolution
internal import KSRedaction

// What an entry holds beside the value that it shows.

/// A value of a map's field or of a list's element, written at the same time as the shown one.
package struct ConflictingPart: Equatable, Sendable {
    package enum Place: Equatable, Sendable {
        case field(String)
        /// Counted from 0.
        case element(Int)
    }

    package let place: Place
    package let encodedValue: EncodedValue

    package var value: PropertyValue { encodedValue.value }
}

/// A value that a later write has replaced.
package struct SupersededValue: Equatable, Sendable {
    package let encodedValue: EncodedValue
    /// When it was written, milliseconds since 1970-01-01 00:00 UTC.
    package let milliseconds: UInt64

    package var value: PropertyValue { encodedValue.value }
}

extension EntryReading {
    /// The values of a map's fields or a list's elements that are not shown: by the names of the
    /// fields or the places of the elements, then newest first.
    package static func conflictingParts(of state: RecordState) -> [ConflictingPart] {
        switch EntryReading(state)?.type {
        case .map:
            let fields = MergedMap(state).fields.compactMap { name, field in
                String(validating: name, as: UTF8.self).map { (name: $0, field: field) }
            }
            return fields.sorted { $0.name.compareBytes(with: $1.name) < 0 }.flatMap {
                name,
                field in
                field.losers.map { ConflictingPart(place: .field(name), encodedValue: $0) }
            }
        case .list:
            return MergedList(state).elements.enumerated().flatMap { index, element in
                element.conflicts.compactMap(EncodedValue.init(shown:)).map {
                    ConflictingPart(place: .element(index), encodedValue: $0)
                }
            }
        case .register, .maximum, .minimum, .counter, .set, nil: return []
        }
    }

    /// The values that a key had before, newest first.
    ///
    /// Only values in one piece are kept: those of a register, a maximum or a minimum.
    package static func history(of state: RecordState) -> [SupersededValue] {
        guard state.isAlive else { return [] }
        return state.shownHistory.compactMap { past in
            past.value.flatMap(EncodedValue.init(shown:)).map {
                SupersededValue(encodedValue: $0, milliseconds: past.stamp.time.writtenMilliseconds)
            }
        }
    }
}

extension MergedMap.Field {
    /// The values that are not shown, newest first.
    fileprivate var losers: [EncodedValue] {
        var losers: [EncodedValue] = []
        if case .register(_, let conflicts) = content {
            losers += conflicts.compactMap(EncodedValue.init(shown:))
        }
        switch hidden {
        case .register(let value, let conflicts)?:
            losers += ([value] + conflicts).compactMap(EncodedValue.init(shown:))
        case .counter(let counter)?: losers.append(EncodedValue(.integer(counter.value)))
        case nil: break
        }
        return losers
    }
}

extension ConflictingPart: Redacted {}
extension SupersededValue: Redacted {}
