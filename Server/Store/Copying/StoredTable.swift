internal import KSRecords

/// The tables of an account, which every store has under these names.
///
/// They are what `sync-server copy` carries from one store to another. A column that a store needs
/// for itself alone is not listed, such as the number by which SQLite knows an account. A test
/// compares the list with the schemas.
package enum StoredTable: String, CaseIterable, Sendable {
    /// The account's own row, which comes first: the others refer to it.
    case account
    case circleEntry = "circle_entry"
    case keyEnvelope = "key_envelope"
    case generationEnvelope = "generation_envelope"
    case member
    case actor
    case acceptedBatch = "accepted_batch"
    case commitTag = "commit_tag"
    case record

    /// The columns without the account; the key comes first.
    package var columns: [StoredColumn] {
        switch self {
        case .account:
            [
                .text("name"), .text("look_up_name"), .id("epoch"), .integer("seq"),
                .integer("removal_horizon"), .integer("record_count"), .integer("stored_bytes"),
                .integer("circle_bytes"), .integer("circle_version"), .integer("generation"),
                .bytes("credentials_box"), .integer("created_seconds"), .integer("quota_bytes"),
                .boolean("is_suspended"),
            ]
        case .circleEntry: [.integer("version"), .bytes("entry")]
        case .keyEnvelope: [.id("member"), .bytes("sealed")]
        case .generationEnvelope:
            [.integer("generation"), .id("member"), .integer("version"), .bytes("sealed")]
        case .member:
            [
                .id("id"), .integer("kind"), .integer("applied_seq"),
                .integer("last_contact_seconds"), .boolean("is_dormant"),
            ]
        case .actor:
            [
                .integer("id"), .id("member"), .integer("accepted"), .bytes("chain"),
                .boolean("is_closed"),
            ]
        case .acceptedBatch:
            [
                .integer("actor"), .integer("first_counter"), .integer("record_count"),
                .bytes("chain"), .id("epoch"), .integer("first_seq"), .bytes("tag"),
                .integer("circle_version"), .bytes("dots"),
            ]
        case .commitTag: [.integer("seq"), .bytes("tag"), .integer("written_seconds")]
        case .record:
            [
                .integer("seq"), .bytes("id"), .boolean("is_deleted"), .bytes("siblings"),
                .bytes("boxes"),
            ]
        }
    }

    /// How many of the first columns tell the rows of one account apart; 0 for its own row.
    package var keyCount: Int {
        switch self {
        case .account: 0
        case .generationEnvelope, .acceptedBatch: 2
        default: 1
        }
    }

    // MARK: Pages

    /// How many rows a page has at most.
    package static var pageRowsMax: Int { 1000 }
    /// A page ends with the row with which its byte strings reach this size.
    package static var pageBytesMax: Int { 4 << 20 }

    /// The size of a row's byte strings.
    package func byteCount(of row: StoredRow) -> Int {
        zip(columns, row).reduce(0) { sum, cell in
            guard cell.0.kind == .bytes, case .bytes(let bytes) = cell.1 else { return sum }
            return sum + bytes.count
        }
    }

    /// Whether more rows may follow a page.
    func isFull(_ page: [StoredRow]) -> Bool {
        page.count >= Self.pageRowsMax
            || page.reduce(0) { $0 + byteCount(of: $1) } > Self.pageBytesMax
    }
}

/// A column that every store has.
package struct StoredColumn: Hashable, Sendable {
    package enum Kind: Sendable {
        case integer, bytes, id, text, boolean
    }

    package let name: String
    package let kind: Kind

    private init(_ kind: Kind, _ name: String) {
        (self.kind, self.name) = (kind, name)
    }

    fileprivate static func integer(_ name: String) -> StoredColumn { .init(.integer, name) }
    fileprivate static func bytes(_ name: String) -> StoredColumn { .init(.bytes, name) }
    /// 16 bytes.
    fileprivate static func id(_ name: String) -> StoredColumn { .init(.id, name) }
    fileprivate static func text(_ name: String) -> StoredColumn { .init(.text, name) }
    fileprivate static func boolean(_ name: String) -> StoredColumn { .init(.boolean, name) }
}

/// The values of a table's columns.
package typealias StoredRow = [StoredValue]

/// The value of a column, the same in every store; a boolean is 0 or 1.
package enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
}

extension CanonicalEncoder {
    /// Writes a row so that equal bytes mean equal rows.
    mutating func row(_ row: StoredRow) {
        list(row) { encoder, value in
            switch value {
            case .null: encoder.integer(0)
            case .integer(let integer):
                encoder.integer(1)
                encoder.integer(UInt64(bitPattern: integer))
            case .bytes(let bytes):
                encoder.integer(2)
                encoder.bytes(bytes)
            case .text(let text):
                encoder.integer(3)
                encoder.string(text)
            }
        }
    }
}
