internal import KSCausality
package import KSRecords

/// The encoding of an edit, which the device seals at rest.
extension PendingEdit {
    package static let currentFormat: UInt64 = 2
    /// The format of all edits except deletions of unreadable records.
    private static let usualFormat: UInt64 = 1

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactInteger(deletesUnread ? Self.currentFormat : Self.usualFormat)
        encoder.compactList(assignments.sorted { $0.key < $1.key }) { encoder, entry in
            encoder.valueName(entry.key)
            encoder.optionalBytes(entry.value.value)
            encoder.list(entry.value.base.sorted()) { $0.stamp($1) }
        }
        encoder.compactList(increments.sorted { $0.key.lexicographicallyPrecedes($1.key) }) {
            encoder,
            entry in
            encoder.compactBytes(entry.key)
            encoder.totals(entry.value)
        }
        encoder.compactList(companions) { encoder, companion in
            encoder.valueName(companion.name)
            encoder.compactBytes(companion.value)
            encoder.boolean(compact: companion.isSuperseded)
        }
        encoder.boolean(compact: deleting != nil)
        if let deleting { encoder.context(deleting) }
        encoder.integer(editedAtMilliseconds)
        encoder.boolean(compact: hadSeenBatch)
        encoder.integer(revision)
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        let format = try decoder.format(upTo: Self.currentFormat)
        self.init()
        deletesUnread = format != Self.usualFormat
        let assigned = try decoder.compactList(elementBytesMin: 11) {
            decoder throws(RecordsError) in
            let name = try decoder.valueName()
            let value = try decoder.optionalBytes()
            let base = try decoder.set { decoder throws(RecordsError) in try decoder.stamp() }
            return (name: name, assignment: Assignment(value: value, base: Set(base)))
        }
        guard assigned.map(\.name).isStrictlyRising else { throw .malformed }
        for (name, assignment) in assigned { assignments[name] = assignment }
        let added = try decoder.compactList(elementBytesMin: 3) { decoder throws(RecordsError) in
            (counter: try decoder.compactBytes(), totals: try decoder.totals())
        }
        for (counter, totals) in added {
            let isNew = increments.updateValue(totals, forKey: counter) == nil
            guard isNew else { throw .malformed }
        }
        companions = try decoder.compactList(elementBytesMin: 4) { decoder throws(RecordsError) in
            let companion = Companion(
                name: try decoder.valueName(),
                value: try decoder.compactBytes(),
                isSuperseded: try decoder.compactBoolean()
            )
            guard !companion.isSuperseded || companion.name == .secret else { throw .malformed }
            return companion
        }
        deleting = try decoder.compactBoolean() ? try decoder.context() : nil
        guard deleting != nil || !deletesUnread else { throw .malformed }
        editedAtMilliseconds = try decoder.integer()
        hadSeenBatch = try decoder.compactBoolean()
        revision = try decoder.integer()
        try decoder.end()
    }
}

/// The encoding of a sealed edit, which the device seals at rest.
extension SealedEdit {
    package static let currentFormat: UInt64 = 1

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactInteger(Self.currentFormat)
        encoder.optionalBytes(edit?.encoded)
        encoder.boolean(compact: isRewrite)
        encoder.compactBytes(before.encoded)
        encoder.compactBytes(state.encoded)
        encoder.list(newStamps) { $0.stamp($1) }
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        try decoder.format(upTo: Self.currentFormat)
        if let edit = try decoder.optionalBytes() {
            self.edit = try PendingEdit(decoding: edit)
        } else {
            edit = nil
        }
        isRewrite = try decoder.compactBoolean()
        // A join of siblings may be larger than each of them.
        before = try ItemState(decoding: try decoder.compactBytes(), bytesMax: .max)
        state = try ItemState(decoding: try decoder.compactBytes())
        newStamps = try decoder.set { decoder throws(RecordsError) in try decoder.stamp() }
        try decoder.end()
    }
}
