internal import KSCausality
internal import KSMerging
internal import KSRecords
internal import KSStore
internal import KSWire

/// An account as it was read, with the conversions of its rows.
struct AccountSnapshot {
    let id: AccountID
    let name: String
    let lookUpName: String
    let standing: AccountStanding
    let recordCount: UInt64
    /// Its own quota; nil if that of the server counts.
    let quotaBytes: UInt64?
    let isSuspended: Bool
    private let createdSeconds: UInt64
    /// With ``Statement/accountWithTag(_:)``, the tag of its seq.
    private let newestTag: CommitTag?

    /// - Throws: ``StoreError/notFound`` if there is no row.
    init(_ rows: Rows) throws {
        guard let row = rows.first else { throw StoreError.notFound }
        id = try row.fixed(0)
        name = try row.text(1)
        lookUpName = try row.text(2)
        standing = AccountStanding(
            epoch: try row.fixed(3),
            seq: try row.integer(4),
            removalHorizon: try row.integer(5),
            circleVersion: try row.integer(6),
            generation: try row.integer(7),
            recordBytes: try row.signed(8),
            circleBytes: try row.signed(9)
        )
        quotaBytes = row.isNull(10) ? nil : try row.integer(10)
        isSuspended = try row.boolean(11)
        createdSeconds = try row.integer(12)
        recordCount = try row.integer(13)
        newestTag =
            row.fields.count > 14 && !row.isNull(14) ? try row.fixed(14) as CommitTag : nil
    }

    /// How many bytes it may hold; nil for no limit.
    func bytesMax(_ quota: AccountQuota, nowSeconds: UInt64) -> UInt64? {
        quota.bytesMax(
            own: quotaBytes,
            ageSeconds: nowSeconds - min(nowSeconds, createdSeconds)
        )
    }

    /// The cursor behind the newest accepted write.
    var newestCursor: Cursor {
        get throws {
            guard let tag = standing.seq == 0 ? .start : newestTag else {
                throw StoreError.damaged
            }
            return Cursor(epoch: standing.epoch, seq: standing.seq, tag: tag)
        }
    }

    var state: AccountState {
        get throws {
            AccountState(
                id: id,
                name: name,
                cursor: try newestCursor,
                circleVersion: standing.circleVersion,
                generation: standing.generation
            )
        }
    }

    /// The tag of a seq, from the answer to ``Statement/tag(of:in:)``; nil if the account has not
    /// reached it.
    func tag(of seq: UInt64, in rows: Rows) throws -> CommitTag? {
        guard seq <= standing.seq else { return nil }
        guard seq > 0 else { return .start }
        return try rows.first.map { try $0.fixed(0) }
    }
}

extension Rows {
    func vector() throws -> VersionVector {
        VersionVector(try rows.map { (actor: try $0.actor(0), counter: try $0.integer(1)) })
    }

    /// A member's kind and contact; nil if the circle's newest entry does not name it.
    func member() throws -> (kind: UInt64, contact: MemberContact)? {
        try first.map { row in
            (
                kind: try row.integer(0),
                contact: MemberContact(
                    appliedSeq: try row.integer(1),
                    seconds: try row.integer(2),
                    isDormant: try row.boolean(3)
                )
            )
        }
    }

    func entries() throws -> [SignedEntry] {
        try rows.map { try SignedEntry(column: $0.data(0)) }
    }

    func envelopes() throws -> [KeyEnvelope] {
        try rows.map { KeyEnvelope(member: try $0.fixed(0), sealed: try $0.bytes(1)) }
    }
}

extension Row {
    /// The record of a row with seq, id, siblings and boxes.
    func record() throws -> PageAnswer.Record {
        let id: RecordID = try fixed(1)
        return PageAnswer.Record(
            id: id,
            seq: try integer(0),
            siblings: try Siblings<HeldSibling>(column: data(2), of: id, boxes: data(3))
                .entries.map(\.value.envelope)
        )
    }
}
