internal import Foundation
package import KSCausality
package import KSRecords
internal import KSStore

/// One SQL statement and its parameters.
package struct Statement: Sendable {
    let sql: String
    let parameters: [Parameter]

    package init(_ sql: String, _ parameters: Parameter...) {
        self.init(sql, parameters)
    }

    init(_ sql: String, _ parameters: [Parameter]) {
        (self.sql, self.parameters) = (sql, parameters)
    }
}

/// A parameter of a statement, in PostgreSQL's binary form.
package struct Parameter: Sendable {
    /// PostgreSQL's number of the type.
    let type: UInt32
    /// Nil for NULL.
    let bytes: [UInt8]?

    private enum Kind {
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let integer: UInt32 = 20
        static let text: UInt32 = 25
        static let booleans: UInt32 = 1000
        static let byteLists: UInt32 = 1001
        static let texts: UInt32 = 1009
        static let integers: UInt32 = 1016
        static let id: UInt32 = 2950
        static let ids: UInt32 = 2951
    }

    private init(_ type: UInt32, _ bytes: [UInt8]?) {
        (self.type, self.bytes) = (type, bytes)
    }

    /// 16 bytes, as `uuid`.
    package static func id(_ value: some FixedBytes) -> Parameter { id(bytes: value.bytes) }

    package static func id(bytes: [UInt8]?) -> Parameter { Parameter(Kind.id, bytes) }

    package static func ids(_ values: [some FixedBytes]) -> Parameter {
        list(Kind.ids, of: Kind.id, values.map(\.bytes))
    }

    package static func bytes(_ value: [UInt8]) -> Parameter { Parameter(Kind.bytes, value) }

    static func data(_ value: Data) -> Parameter { bytes(Array(value)) }

    package static func byteLists(_ values: [[UInt8]]) -> Parameter {
        list(Kind.byteLists, of: Kind.bytes, values)
    }

    package static func integer(_ value: Int64) -> Parameter {
        Parameter(Kind.integer, bigEndian(value))
    }

    /// A number that the protocol keeps far below 2^63.
    package static func integer(_ value: UInt64) -> Parameter { integer(Int64(clamping: value)) }

    package static func integer(_ value: Int) -> Parameter { integer(Int64(value)) }

    package static func actor(_ actor: ActorID) -> Parameter {
        integer(Int64(bitPattern: actor.rawValue))
    }

    package static func integers(_ values: [Int64]) -> Parameter {
        list(Kind.integers, of: Kind.integer, values.map(bigEndian))
    }

    static func actors(_ actors: [ActorID]) -> Parameter {
        integers(actors.map { Int64(bitPattern: $0.rawValue) })
    }

    package static func boolean(_ value: Bool) -> Parameter {
        Parameter(Kind.boolean, [value ? 1 : 0])
    }

    static func booleans(_ values: [Bool]) -> Parameter {
        list(Kind.booleans, of: Kind.boolean, values.map { [$0 ? 1 : 0] })
    }

    package static func text(_ value: String) -> Parameter {
        Parameter(Kind.text, Array(value.utf8))
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        (1...Number.bitWidth / 8).map {
            UInt8(truncatingIfNeeded: value >> (Number.bitWidth - 8 * $0))
        }
    }

    /// An array of one dimension: number of dimensions, whether there are NULLs, the elements'
    /// type, their number, the first index, and each element after its length.
    private static func list(
        _ type: UInt32,
        of elementType: UInt32,
        _ elements: [[UInt8]?]
    ) -> Parameter {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
        bytes += bigEndian(Int32(elements.isEmpty ? 0 : 1))
        bytes += bigEndian(Int32(elements.contains(nil) ? 1 : 0))
        bytes += bigEndian(elementType)
        guard !elements.isEmpty else { return Parameter(type, bytes) }
        bytes += bigEndian(Int32(elements.count))
        bytes += bigEndian(Int32(1))
        for element in elements {
            bytes += bigEndian(Int32(element?.count ?? -1))
            bytes += element ?? []
        }
        return Parameter(type, bytes)
    }
}

// MARK: Values that every store has

extension Parameter {
    static func value(_ value: StoredValue, as kind: StoredColumn.Kind) -> Parameter {
        Parameter(types(of: kind).value, bytes(of: value, as: kind))
    }

    static func values(_ values: [StoredValue], as kind: StoredColumn.Kind) -> Parameter {
        let types = types(of: kind)
        return list(types.list, of: types.value, values.map { bytes(of: $0, as: kind) })
    }

    private static func types(of kind: StoredColumn.Kind) -> (value: UInt32, list: UInt32) {
        switch kind {
        case .integer: (Kind.integer, Kind.integers)
        case .bytes: (Kind.bytes, Kind.byteLists)
        case .id: (Kind.id, Kind.ids)
        case .text: (Kind.text, Kind.texts)
        case .boolean: (Kind.boolean, Kind.booleans)
        }
    }

    private static func bytes(of value: StoredValue, as kind: StoredColumn.Kind) -> [UInt8]? {
        switch value {
        case .null: nil
        case .integer(let integer): kind == .boolean ? [integer == 0 ? 0 : 1] : bigEndian(integer)
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }
}
