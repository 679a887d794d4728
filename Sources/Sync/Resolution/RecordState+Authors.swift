package import KSCausality
internal import KSRecords

/// Who set a value, and when.
package struct Authorship: Equatable, Sendable {
    /// By the author's clock, milliseconds since 1970-01-01 00:00 UTC; nil while it is unsent.
    package let milliseconds: UInt64?
    /// The name that the device had then; nil if it is unknown.
    package let device: String?
}

/// Tells who set the values of one record.
///
/// A stamp names an actor, and each edit of an item sets ``ValueName/writer`` under the stamp of
/// its other values; so the record itself says which device an actor was. A rename moves values to
/// another record under new stamps, and ``ValueName/origins`` says what the old ones said.
package struct RecordAuthors: Sendable {
    private var devices: [ActorID: String] = [:]
    private var origins: [(stamp: Stamp, authorships: [UInt64: Authorship])] = []

    package init(of state: RecordState) {
        let held = (state.values[.writer] ?? []).map { ($0.stamp, $0.value) }
        let past = state.history.filter { $0.name == .writer }.map { ($0.stamp, $0.value) }
        for (stamp, name) in (held + past).sorted(by: { $0.0 < $1.0 }) {
            guard let name else { continue }
            devices[stamp.actor] = String(decoding: name, as: UTF8.self)
        }
        for value in state.values[.origins] ?? [] {
            guard let bytes = value.value else { continue }
            // Only a damaged list of another program cannot be read; the stamps are shown then.
            guard let authorships = try? Self.decode(bytes) else { continue }
            origins.append((value.stamp, authorships))
        }
    }

    /// Who set this value of a name under this stamp.
    package func author(of name: ValueName, _ value: [UInt8], _ stamp: Stamp) -> Authorship {
        // A rename gives the values that it moves stamps up to that of the list.
        for (moved, authorships) in origins
        where moved.actor == stamp.actor && stamp.time <= moved.time {
            if let origin = authorships[Self.mark(of: name, value)] { return origin }
        }
        return Authorship(
            milliseconds: stamp.time.isProvisional ? nil : stamp.time.writtenMilliseconds,
            device: devices[stamp.actor]
        )
    }

    // MARK: The list of origins

    /// How many values a list has at most, the newest.
    private static let listedMax = 64

    /// Tells values apart within one record; the list is sealed together with them.
    ///
    /// Source: Fowler, Noll, Vo, "FNV hash", variant 1a of 64 bits. A collision would show a wrong
    /// date, and nothing else.
    private static func mark(of name: ValueName, _ value: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        add(UInt8(truncatingIfNeeded: name.kind))
        name.nameBytes.forEach(add)
        add(0xFF)
        value.forEach(add)
        return hash
    }

    fileprivate func encodedOrigins(of state: RecordState) -> [UInt8] {
        var values: [(name: ValueName, stamp: Stamp, value: [UInt8])] = []
        for name in state.names where name.isListed {
            for value in state.candidates(for: name) {
                if let bytes = value.value { values.append((name, value.stamp, bytes)) }
            }
        }
        for past in state.pastValues where past.name.isListed {
            if let bytes = past.value { values.append((past.name, past.stamp, bytes)) }
        }
        var listed: [UInt64: Authorship] = [:]
        let newestFirst = values.sorted { left, right in
            left.stamp == right.stamp ? left.name < right.name : left.stamp > right.stamp
        }
        for (name, stamp, value) in newestFirst {
            guard listed.count < Self.listedMax else { break }
            let author = author(of: name, value, stamp)
            let mark = Self.mark(of: name, value)
            // Of a value that was set twice the later time is known.
            listed[mark] =
                listed[mark]
                ?? Authorship(
                    milliseconds: author.milliseconds ?? stamp.time.milliseconds,
                    device: author.device
                )
        }
        var encoder = CanonicalEncoder()
        encoder.compactList(listed.sorted { $0.key < $1.key }) { encoder, entry in
            encoder.integer(entry.key)
            encoder.integer(entry.value.milliseconds ?? 0)
            encoder.optionalBytes(entry.value.device.map { Array($0.utf8) })
        }
        return encoder.encoded
    }

    private static func decode(_ bytes: [UInt8]) throws(RecordsError) -> [UInt64: Authorship] {
        var decoder = CanonicalDecoder(bytes)
        let entries = try decoder.compactList(elementBytesMin: 17, countMax: listedMax) {
            decoder throws(RecordsError) in
            let mark = try decoder.integer()
            let milliseconds = try decoder.integer()
            let device = try decoder.optionalBytes().map { String(decoding: $0, as: UTF8.self) }
            return (mark, Authorship(milliseconds: milliseconds, device: device))
        }
        try decoder.end()
        return Dictionary(entries) { first, _ in first }
    }
}

extension RecordState {
    /// Who had set each value, and when, for the record to which a rename moves them.
    var encodedOrigins: [UInt8] { RecordAuthors(of: self).encodedOrigins(of: self) }
}

extension ValueName {
    /// Whether people see when its values were set.
    fileprivate var isListed: Bool { keepsHistory && !isAboutWrites }
}
