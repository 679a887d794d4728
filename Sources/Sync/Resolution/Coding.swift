internal import KSRecords

/// What the encodings of this module share.
extension CanonicalEncoder {
    mutating func valueName(_ name: ValueName) {
        compactInteger(name.kind)
        compactBytes(name.nameBytes)
    }

    mutating func boolean(compact value: Bool) {
        compactInteger(value ? 1 : 0)
    }

    mutating func optionalBytes(_ value: [UInt8]?) {
        boolean(compact: value != nil)
        if let value { compactBytes(value) }
    }
}

extension CanonicalDecoder {
    @discardableResult
    mutating func format(upTo newest: UInt64) throws(RecordsError) -> UInt64 {
        let format = try compactInteger()
        guard format > 0 else { throw .malformed }
        guard format <= newest else { throw .formatTooNew(format: format) }
        return format
    }

    mutating func valueName() throws(RecordsError) -> ValueName {
        let name = ValueName(kind: try compactInteger(), nameBytes: try compactBytes())
        let isValid =
            switch name.kind {
            case ValueName.Kind.secret, ValueName.Kind.movedFrom: name.nameBytes.isEmpty
            case ValueName.Kind.counterEntry: name.counterActor != nil
            case ValueName.Kind.withoutPlaceholder: true
            default: String(validating: name.nameBytes, as: UTF8.self) != nil
            }
        guard isValid else { throw .malformed }
        return name
    }

    mutating func compactBoolean() throws(RecordsError) -> Bool {
        switch try compactInteger() {
        case 0: false
        case 1: true
        default: throw .malformed
        }
    }

    mutating func optionalBytes() throws(RecordsError) -> [UInt8]? {
        try compactBoolean() ? try compactBytes() : nil
    }
}
