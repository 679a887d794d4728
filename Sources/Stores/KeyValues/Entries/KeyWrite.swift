package import KSRecords

/// A write of one key, as programs send it to the daemon.
package struct KeyWrite: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        case write(EntryWrite)
        case delete
    }

    package let key: String
    package let action: Action

    package init(key: String, _ action: Action) {
        self.key = key
        self.action = action
    }
}

/// The kinds of writes on the socket; a number is never reused.
private enum WriteTag: UInt64 {
    case delete = 0
    case set = 1
    case declare = 2
    case increment = 3
    case reset = 4
    case insert = 5
    case remove = 6
    case setField = 7
    case incrementField = 8
    case removeField = 9
    case insertAt = 10
    case setAt = 11
    case removeAt = 12
    case move = 13
    case append = 14
}

extension KeyWrite {
    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.text(key)
        switch action {
        case .delete: encoder.tag(.delete)
        case .write(let write): write.encode(into: &encoder)
        }
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        key = try decoder.text()
        guard let tag = WriteTag(rawValue: try decoder.compactInteger()) else { throw .malformed }
        action = tag == .delete ? .delete : .write(try EntryWrite(tag, from: &decoder))
        try decoder.end()
    }
}

extension EntryWrite {
    fileprivate func encode(into encoder: inout CanonicalEncoder) {
        switch self {
        case .set(let value, let base):
            encoder.tag(.set)
            encoder.values([value] + (base.map { [$0] } ?? []))
        case .declare(let type):
            encoder.tag(.declare)
            encoder.compactInteger(UInt64(type.rawValue))
        case .increment(let change): encoder.tag(.increment, change)
        case .reset(let value): encoder.tag(.reset, value)
        case .insert(let elements):
            encoder.tag(.insert)
            encoder.values(elements)
        case .remove(let elements):
            encoder.tag(.remove)
            encoder.values(elements)
        case .setField(let field, let value, let base):
            encoder.tag(.setField)
            encoder.text(field)
            encoder.values([value] + (base.map { [$0] } ?? []))
        case .incrementField(let field, let change):
            encoder.tag(.incrementField, change)
            encoder.text(field)
        case .removeField(let field, let base):
            encoder.tag(.removeField)
            encoder.text(field)
            encoder.values(base.map { [$0] } ?? [])
        case .insertAt(let place, let values):
            encoder.tag(.insertAt, place)
            encoder.values(values)
        case .append(let values):
            encoder.tag(.append)
            encoder.values(values)
        case .setAt(let place, let value):
            encoder.tag(.setAt, place)
            value.encode(into: &encoder)
        case .removeAt(let place): encoder.tag(.removeAt, place)
        case .move(let from, let to):
            encoder.tag(.move, from)
            encoder.place(to)
        }
    }

    fileprivate init(_ tag: WriteTag, from decoder: inout CanonicalDecoder) throws(RecordsError) {
        switch tag {
        case .delete: throw .malformed
        case .set:
            let values = try decoder.values(1...2)
            self = .set(values[0], base: values.count == 2 ? values[1] : nil)
        case .declare:
            let number = UInt8(exactly: try decoder.compactInteger())
            guard let type = number.flatMap(MergeType.init(rawValue:)) else { throw .malformed }
            self = .declare(type)
        case .increment: self = .increment(by: try decoder.number())
        case .reset: self = .reset(to: try decoder.number())
        case .insert: self = .insert(try decoder.values())
        case .remove: self = .remove(try decoder.values())
        case .setField:
            let (field, values) = (try decoder.text(), try decoder.values(1...2))
            self = .setField(field, values[0], base: values.count == 2 ? values[1] : nil)
        case .incrementField:
            let change = try decoder.number()
            self = .incrementField(try decoder.text(), by: change)
        case .removeField:
            self = .removeField(try decoder.text(), base: try decoder.values(0...1).first)
        case .insertAt: self = .insertAt(try decoder.place(), try decoder.values())
        case .append: self = .append(try decoder.values())
        case .setAt: self = .setAt(try decoder.place(), try PropertyValue(from: &decoder))
        case .removeAt: self = .removeAt(try decoder.place())
        case .move: self = .move(from: try decoder.place(), to: try decoder.place())
        }
    }
}

extension CanonicalEncoder {
    fileprivate mutating func tag(_ tag: WriteTag) { compactInteger(tag.rawValue) }

    fileprivate mutating func tag(_ tag: WriteTag, _ value: Int64) {
        self.tag(tag)
        number(value)
    }

    fileprivate mutating func tag(_ tag: WriteTag, _ place: ListPlace) {
        self.tag(tag)
        self.place(place)
    }

    /// The kind of place, 0 or 1; the index; for a place that was seen also its elements.
    fileprivate mutating func place(_ place: ListPlace) {
        switch place {
        case .index(let index):
            compactInteger(0)
            number(Int64(index))
        case .seen(let place):
            compactInteger(1)
            number(Int64(place.index))
            for elements in [place.element.map { [$0] } ?? [], place.before, place.after] {
                compactList(elements) { encoder, element in
                    encoder.compactBytes(element.value)
                    encoder.compactInteger(UInt64(element.earlier))
                    encoder.compactInteger(UInt64(element.count))
                }
            }
        }
    }

    fileprivate mutating func number(_ value: Int64) { integer(UInt64(bitPattern: value)) }

    fileprivate mutating func text(_ value: String) { compactBytes(Array(value.utf8)) }

    fileprivate mutating func values(_ values: [PropertyValue]) {
        compactList(values) { $1.encode(into: &$0) }
    }
}

extension CanonicalDecoder {
    fileprivate mutating func number() throws(RecordsError) -> Int64 {
        Int64(bitPattern: try integer())
    }

    fileprivate mutating func place() throws(RecordsError) -> ListPlace {
        let isSeen = try compactInteger()
        guard isSeen <= 1, let index = Int(exactly: try number()) else { throw .malformed }
        guard isSeen == 1 else { return .index(index) }
        let element = try elements()
        let (before, after) = (try elements(), try elements())
        // Each is looked up in the whole list.
        guard element.count <= 1, before.count <= SeenPlace.neighborsMax,
            after.count <= SeenPlace.neighborsMax
        else { throw .malformed }
        let place = SeenPlace(index: index, element: element.first, before: before, after: after)
        return .seen(place)
    }

    private mutating func elements() throws(RecordsError) -> [SeenPlace.Element] {
        try compactList(elementBytesMin: 3) { decoder throws(RecordsError) in
            let value = try decoder.compactBytes()
            guard let earlier = Int(exactly: try decoder.compactInteger()),
                let count = Int(exactly: try decoder.compactInteger()),
                let element = SeenPlace.Element(value: value, earlier: earlier, count: count)
            else { throw .malformed }
            return element
        }
    }

    fileprivate mutating func values(
        _ counts: ClosedRange<Int>
    ) throws(RecordsError) -> [PropertyValue] {
        let values = try values()
        guard counts.contains(values.count) else { throw .malformed }
        return values
    }

    fileprivate mutating func values() throws(RecordsError) -> [PropertyValue] {
        try compactList(elementBytesMin: 1) { decoder throws(RecordsError) in
            try PropertyValue(from: &decoder)
        }
    }
}
