internal import GRDB
internal import KSRecords

// Tries quarantined and refused records again, after each start and when the user asks. They may
// succeed by now: the server was repaired, or this program was updated.

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
}
