internal import KSCausality
package import KSRecords

/// The encoding of an edit, which the device seals at rest.
extension PendingEdit {
    /// The newest format, which only an edit has of which values have times of their own.
    package static let currentFormat: UInt64 = 4
    /// The format of an edit that keeps what others have deleted.
    private static let followingFormat: UInt64 = 3
    /// The format of an edit that only forgets something.
    private static let forgettingFormat: UInt64 = 2

    private var format: UInt64 {
        if hasTimes { return Self.currentFormat }
        if followed != nil { return Self.followingFormat }
        return forgotten.isEmpty ? 1 : Self.forgettingFormat
    }

    private var hasTimes: Bool {
        companions.contains { $0.milliseconds != nil }
            || assignments.values.contains { $0.milliseconds != nil }
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        let format = format
        encoder.compactInteger(format)
        if format == Self.currentFormat { encoder.boolean(compact: followed != nil) }
        if let followed { encoder.integer(followed.rawValue) }
        if format >= Self.forgettingFormat {
            encoder.compactList(forgotten.sorted()) { encoder, place in
                encoder.valueName(place.name)
                encoder.stamp(place.stamp)
            }
        }
        encoder.compactList(assignments.sorted { $0.key < $1.key }) { encoder, entry in
            encoder.valueName(entry.key)
            encoder.optionalBytes(entry.value.value)
            encoder.list(entry.value.base.sorted()) { $0.stamp($1) }
            if format == Self.currentFormat { encoder.time(entry.value.milliseconds) }
        }
        encoder.compactList(companions) { encoder, companion in
            encoder.valueName(companion.name)
            encoder.compactBytes(companion.value)
            encoder.boolean(compact: companion.isSuperseded)
            if format == Self.currentFormat { encoder.time(companion.milliseconds) }
        }
        encoder.compactList(
            counters.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        ) { encoder, entry in
            encoder.compactBytes(entry.key)
            encoder.counterEdit(entry.value)
        }
        encoder.boolean(compact: deletesUnread)
        encoder.compactInteger(deleting == nil ? 0 : deletionNote == nil ? 1 : 2)
        if let deleting {
            encoder.context(deleting)
            if let deletionNote { encoder.deletionNote(deletionNote) }
        }
        encoder.integer(editedAtMilliseconds)
        encoder.boolean(compact: hadSeenBatch)
        encoder.integer(revision)
        guard restored != nil || !yielding.isEmpty else { return encoder.encoded }
        encoder.optionalBytes(restored?.encoded)
        encoder.compactList(yielding.sorted()) { $0.valueName($1) }
        if isPutUp { encoder.boolean(compact: true) }
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        let format = try decoder.format(upTo: Self.currentFormat)
        self.init()
        let hasTimes = format == Self.currentFormat
        if try hasTimes ? decoder.compactBoolean() : format == Self.followingFormat {
            followed = try decoder.followedTime()
        }
        if format >= Self.forgettingFormat {
            forgotten = try decoder.pastPlaces()
            guard hasTimes || followed != nil || !forgotten.isEmpty else { throw .malformed }
        }
        let assigned = try decoder.compactList(elementBytesMin: 11) {
            decoder throws(RecordsError) in
            let name = try decoder.valueName()
            let value = try decoder.optionalBytes()
            let base = try decoder.set { decoder throws(RecordsError) in try decoder.stamp() }
            let time = hasTimes ? try decoder.time() : nil
            return (
                name: name,
                assignment: Assignment(value: value, base: Set(base), milliseconds: time)
            )
        }
        guard assigned.map(\.name).isStrictlyRising else { throw .malformed }
        for (name, assignment) in assigned { assignments[name] = assignment }
        companions = try decoder.compactList(elementBytesMin: 4) { decoder throws(RecordsError) in
            try decoder.companion(hasTime: hasTimes)
        }
        guard hasTimes == self.hasTimes else { throw .malformed }
        let counted = try decoder.compactList(elementBytesMin: 21) {
            decoder throws(RecordsError) in
            (name: try decoder.compactBytes(), edit: try decoder.counterEdit())
        }
        let isSorted = zip(counted, counted.dropFirst()).allSatisfy { left, right in
            left.name.lexicographicallyPrecedes(right.name)
        }
        guard isSorted else { throw .malformed }
        for (name, edit) in counted { counters[name] = edit }
        deletesUnread = try decoder.compactBoolean()
        let deletion = try decoder.compactInteger()
        guard deletion <= 2 else { throw .malformed }
        if deletion > 0 { deleting = try decoder.context() }
        if deletion == 2 { deletionNote = try decoder.deletionNote() }
        guard deleting != nil || !deletesUnread else { throw .malformed }
        editedAtMilliseconds = try decoder.integer()
        hadSeenBatch = try decoder.compactBoolean()
        revision = try decoder.integer()
        if decoder.remaining > 0 { try decodeOrigin(&decoder) }
        try decoder.end()
    }

    /// Decodes what only an edit has that was restored, or made before there was an account.
    ///
    /// The last part is there only if the server lost what is restored.
    private mutating func decodeOrigin(_ decoder: inout CanonicalDecoder) throws(RecordsError) {
        // A join may be larger than each of its parts.
        restored = try decoder.optionalBytes().map { bytes throws(RecordsError) in
            try RecordState(decoding: bytes, within: .none)
        }
        let names = try decoder.compactList(elementBytesMin: 2) { decoder throws(RecordsError) in
            try decoder.valueName()
        }
        guard names.isStrictlyRising, names.allSatisfy({ assignments[$0] != nil }),
            restored != nil || !names.isEmpty
        else { throw .malformed }
        yielding = Set(names)
        guard decoder.remaining > 0 else { return }
        guard try decoder.compactBoolean(), restored != nil else { throw .malformed }
        isPutUp = true
    }
}

/// The encoding of a sealed edit, which the device seals at rest.
extension SealedEdit {
    package static let currentFormat: UInt64 = 1

    package var encoded: [UInt8] { encoded(state: state.encoded) }

    /// `text`: the encoded ``state``, for a caller that has it.
    package func encoded(state text: [UInt8]) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactInteger(Self.currentFormat)
        encoder.optionalBytes(edit?.encoded)
        encoder.boolean(compact: isRewrite)
        encoder.compactBytes(before.encoded)
        encoder.compactBytes(text)
        encoder.list(newStamps) { $0.stamp($1) }
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        try decoder.format(upTo: Self.currentFormat)
        edit = try decoder.optionalBytes().map(PendingEdit.init(decoding:))
        isRewrite = try decoder.compactBoolean()
        // A join of siblings may be larger than each of them.
        before = try RecordState(decoding: try decoder.compactBytes(), within: .none)
        state = try RecordState(decoding: try decoder.compactBytes())
        newStamps = try decoder.set { decoder throws(RecordsError) in try decoder.stamp() }
        try decoder.end()
    }
}

extension CanonicalEncoder {
    fileprivate mutating func time(_ milliseconds: UInt64?) {
        boolean(compact: milliseconds != nil)
        if let milliseconds { integer(milliseconds) }
    }

    fileprivate mutating func counterEdit(_ edit: CounterEdit) {
        switch edit.change.reset {
        case nil: compactInteger(0)
        case .removed: compactInteger(1)
        case .to(let number):
            compactInteger(2)
            integer(UInt64(bitPattern: number))
        }
        totals(edit.change.increment)
        cut(edit.cut)
        list(edit.replaced.sorted()) { $0.stamp($1) }
        list(edit.withdrawn.sorted()) { $0.stamp($1) }
    }
}

extension CanonicalDecoder {
    fileprivate mutating func pastPlaces() throws(RecordsError) -> Set<PastPlace> {
        let places = try compactList(elementBytesMin: 18) { decoder throws(RecordsError) in
            try PastPlace(name: decoder.valueName(), stamp: decoder.stamp())
        }
        guard places.isStrictlyRising else { throw .malformed }
        return Set(places)
    }

    fileprivate mutating func companion(
        hasTime: Bool
    ) throws(RecordsError) -> PendingEdit.Companion {
        let (name, value) = (try valueName(), try compactBytes())
        let isSuperseded = try compactBoolean()
        let milliseconds = hasTime ? try time() : nil
        guard !isSuperseded || name.keepsHistory else { throw .malformed }
        return PendingEdit.Companion(
            name: name,
            value: value,
            isSuperseded: isSuperseded,
            milliseconds: milliseconds
        )
    }

    /// Milliseconds since 1970, or none.
    fileprivate mutating func time() throws(RecordsError) -> UInt64? {
        try compactBoolean() ? integer() : nil
    }

    fileprivate mutating func followedTime() throws(RecordsError) -> HybridTime {
        let time = HybridTime(rawValue: try integer())
        guard time.rawValue < HybridTime.rawValueLimit else { throw .malformed }
        return time
    }

    fileprivate mutating func counterEdit() throws(RecordsError) -> CounterEdit {
        var edit = CounterEdit()
        switch try compactInteger() {
        case 0: edit.change.reset = nil
        case 1: edit.change.reset = .removed
        case 2: edit.change.reset = .to(Int64(bitPattern: try integer()))
        default: throw .malformed
        }
        edit.change.increment = try totals()
        edit.cut = try cut()
        edit.replaced = Set(try set { decoder throws(RecordsError) in try decoder.stamp() })
        edit.withdrawn = Set(try set { decoder throws(RecordsError) in try decoder.stamp() })
        return edit
    }
}
