internal import GRDB
internal import KSRecords

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

    /// Removes quarantined siblings from the server, for all devices.
    ///
    /// The record's joined state goes up in their place, or a bare deletion where nothing else is
    /// known of it. Only the user may decide this: another device may have the key to a sibling.
    /// What a newer program may have written stays.
    ///
    /// - Parameter prefix: the first bytes of the record's id; nil for all records but those that
    ///   are too large, for which a store may only lack the room.
    /// - Returns: how many records it applies to.
    /// - Throws: what the database throws.
    package func dropUnreadable(beginning prefix: [UInt8]?) throws -> Int {
        let now = clock()
        let count = try database.write { database in
            let rows = try Quarantine.records(in: database)
            let kept = Set(
                rows.filter { row in
                    row.reason == .newerFormat || prefix == nil && row.reason == .tooLarge
                }.map(\.record)
            )
            let dropped = Set(rows.map(\.record)).subtracting(kept).filter { record in
                prefix.map { record.bytes.starts(with: $0) } ?? true
            }
            for record in dropped.sorted() {
                // Without its mirror a record is downloaded again.
                guard let mirror = try shelf.mirror(of: record, in: database) else { continue }
                try Quarantine.giveUp(record, in: database)
                try RewriteTable.delete(record, in: database)
                try RewriteTable.add(
                    record,
                    kind: mirror.kind,
                    dueMilliseconds: now,
                    in: database
                )
            }
            return dropped.count
        }
        if count > 0 { wake() }
        return count
    }
}
