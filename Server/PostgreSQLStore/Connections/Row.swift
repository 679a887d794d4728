internal import Foundation
internal import KSCausality
internal import KSMerging
internal import KSRecords

/// What PostgreSQL answered to one statement.
package struct Rows: Sendable {
    package let rows: [Row]
    /// How many rows the statement has inserted, updated, deleted or selected.
    package let count: Int

    package var first: Row? { rows.first }
}

/// One row of an answer, in PostgreSQL's binary form.
///
/// A value of another form than its statement's is damage.
package struct Row: Sendable {
    let fields: [[UInt8]?]

    package var fieldIndices: Range<Int> { fields.indices }

    func isNull(_ index: Int) -> Bool { fields[index] == nil }

    package func bytes(_ index: Int) throws -> [UInt8] {
        guard let bytes = fields[index] else { throw StoreError.damaged }
        return bytes
    }

    func data(_ index: Int) throws -> Data { Data(try bytes(index)) }

    func fixed<Value: FixedBytes>(_ index: Int) throws -> Value {
        guard let value = Value(try bytes(index)) else { throw StoreError.damaged }
        return value
    }

    package func signed(_ index: Int) throws -> Int64 {
        let bytes = try bytes(index)
        guard bytes.count == 8 else { throw StoreError.damaged }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    package func integer(_ index: Int) throws -> UInt64 {
        guard let value = UInt64(exactly: try signed(index)) else { throw StoreError.damaged }
        return value
    }

    func actor(_ index: Int) throws -> ActorID {
        ActorID(rawValue: UInt64(bitPattern: try signed(index)))
    }

    func boolean(_ index: Int) throws -> Bool {
        try bytes(index) == [1]
    }

    package func text(_ index: Int) throws -> String {
        String(decoding: try bytes(index), as: UTF8.self)
    }
}
