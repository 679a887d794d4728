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
        case .setField(let field, let value):
            encoder.tag(.setField)
            encoder.text(field)
            value.encode(into: &encoder)
        case .incrementField(let field, let change):
            encoder.tag(.incrementField, change)
            encoder.text(field)
        case .removeField(let field):
            encoder.tag(.removeField)
            encoder.text(field)
        case .insertAt(let place, let values):
            encoder.tag(.insertAt, Int64(place))
            encoder.values(values)
        case .setAt(let place, let value):
            encoder.tag(.setAt, Int64(place))
            value.encode(into: &encoder)
        case .removeAt(let place): encoder.tag(.removeAt, Int64(place))
        case .move(let from, let to):
            encoder.tag(.move, Int64(from))
            encoder.number(Int64(to))
        }
    }

    fileprivate init(_ tag: WriteTag, from decoder: inout CanonicalDecoder) throws(RecordsError) {
        switch tag {
        case .delete: throw .malformed
        case .set:
            let values = try decoder.values()
            guard (1...2).contains(values.count) else { throw .malformed }
            self = .set(values[0], base: values.count == 2 ? values[1] : nil)
        case .declare:
            let number = UInt8(exactly: try decoder.compactInteger())
            guard let type = number.flatMap(MergeType.init(rawValue:)) else { throw .malformed }
            self = .declare(type)
        case .increment: self = .increment(by: try decoder.number())
        case .reset: self = .reset(to: try decoder.number())
        case .insert: self = .insert(try decoder.values())
        case .remove: self = .remove(try decoder.values())
        case .setField: self = .setField(try decoder.text(), try PropertyValue(from: &decoder))
        case .incrementField:
            let change = try decoder.number()
            self = .incrementField(try decoder.text(), by: change)
        case .removeField: self = .removeField(try decoder.text())
        case .insertAt: self = .insertAt(Int(try decoder.number()), try decoder.values())
        case .setAt: self = .setAt(Int(try decoder.number()), try PropertyValue(from: &decoder))
        case .removeAt: self = .removeAt(Int(try decoder.number()))
        case .move:
            let from = Int(try decoder.number())
            self = .move(from: from, to: Int(try decoder.number()))
        }
    }
}

extension CanonicalEncoder {
    fileprivate mutating func tag(_ tag: WriteTag) { compactInteger(tag.rawValue) }

    fileprivate mutating func tag(_ tag: WriteTag, _ value: Int64) {
        self.tag(tag)
        number(value)
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

    fileprivate mutating func values() throws(RecordsError) -> [PropertyValue] {
        try compactList(elementBytesMin: 1) { decoder throws(RecordsError) in
            try PropertyValue(from: &decoder)
        }
    }
}
