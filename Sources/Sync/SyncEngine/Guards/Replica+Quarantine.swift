internal import GRDB
package import KSRecords
package import KSResolution

// Tries quarantined and refused records again, after each start and when the user asks. They may
// succeed by now: the server was repaired, or this program was updated. The user can replace or
// drop what stays unreadable.

extension Replica {
    /// Pulls the quarantined records again, and sends the blocked edits.
    package func askAgain() throws {
        try database.write { database in
            try self.askAgain(in: database)
            try self.forgetSizeLimit(in: database)
            for edit in try self.shelf.outbox.blocked(in: database) {
                try self.shelf.outbox.block(edit.record, because: nil, in: database)
            }
        }
        wake()
    }

    func askAgain(in database: Database) throws {
        guard try !Quarantine.isEmpty(in: database) else { return }
        try SyncStateTable.askForAll(in: database)
    }

    /// Lets an entry's unsent edit replace the quarantined siblings of its record.
    ///
    /// Only the user may decide this: a newer program might read the siblings. It is for a record
    /// with so many of them that the edit cannot be sent. Siblings that come later are not covered.
    ///
    /// - Parameter prefix: the first bytes of the record's id.
    /// - Returns: how many entries it applied to.
    /// - Throws: what the database throws.
    package func giveUpUnreadable(beginning prefix: [UInt8]) throws -> Int {
        let count = try database.write { database in
            let full = try self.shelf.outbox.blocked(in: database).filter {
                $0.reason == .siblingsUnreadable && $0.record.bytes.starts(with: prefix)
            }
            for edit in full {
                try Quarantine.giveUp(edit.record, in: database)
                try self.shelf.outbox.block(edit.record, because: nil, in: database)
            }
            return full.count
        }
        if count > 0 { wake() }
        return count
    }

    /// Finds the quarantined records that ``dropUnreadable(beginning:)`` would drop.
    ///
    /// - Parameter prefix: the first bytes of the record's id; nil for all records but those that
    ///   are too large, for which a store may only lack the room.
    /// - Returns: the records, each once.
    /// - Throws: ``SealingError/classLocked(_:)``, and what the database throws.
    package func droppable(beginning prefix: [UInt8]?) throws -> [DroppableRecord] {
        try database.unsafeRead { try self.droppable(beginning: prefix, in: $0) }
    }

    private func droppable(
        beginning prefix: [UInt8]?,
        in database: Database
    ) throws -> [DroppableRecord] {
        let rows = try Quarantine.records(in: database)
        let kept = Set(
            rows.filter { row in
                row.reason == .newerFormat || prefix == nil && row.reason == .tooLarge
            }.map(\.record)
        )
        let wanted = rows.filter { row in
            !kept.contains(row.record) && (prefix.map { row.record.bytes.starts(with: $0) } ?? true)
        }
        // A record has a row for each reason.
        var seen: Set<RecordID> = []
        return try wanted.filter { seen.insert($0.record).inserted }.compactMap { row in
            let found = try shelf.find(row.record, from: database)
            // Without its mirror a record is downloaded again.
            guard let mirror = found.mirror.value else { return nil }
            return DroppableRecord(
                record: row.record,
                kind: mirror.kind,
                reason: row.reason,
                view: found.record.view
            )
        }
    }

    /// Removes quarantined siblings from the server, for all devices.
    ///
    /// The record's joined state goes up in their place, or a bare deletion where nothing else is
    /// known of it. Only the user may decide this: another device may have the key to a sibling.
    /// What a newer program may have written stays.
    ///
    /// - Parameter prefix: as for ``droppable(beginning:)``.
    /// - Returns: the records that it applies to.
    /// - Throws: ``SealingError/classLocked(_:)``, and what the database throws.
    package func dropUnreadable(beginning prefix: [UInt8]?) throws -> [DroppableRecord] {
        let now = clock()
        let dropped = try database.write { database in
            let dropped = try self.droppable(beginning: prefix, in: database)
            for dropped in dropped {
                try Quarantine.giveUp(dropped.record, in: database)
                try RewriteTable.delete(dropped.record, in: database)
                try RewriteTable.add(
                    dropped.record,
                    kind: dropped.kind,
                    dueMilliseconds: now,
                    in: database
                )
            }
            return dropped
        }
        if !dropped.isEmpty { wake() }
        return dropped
    }
}

/// A record with siblings that cannot be read, which its user may drop.
package struct DroppableRecord: Sendable {
    package let record: RecordID
    package let kind: RecordKind
    /// Why the first of them cannot be read.
    package let reason: QuarantineReason
    /// What this device shows of the record; it stays, and goes up in their place.
    package let view: RecordState
}
