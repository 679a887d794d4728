internal import GRDB
internal import KSRecords

// A record that does not open, or that the server did not take, may be well again: a server has
// been repaired, or this program was updated. It is tried again at a start, and by the user's word.

extension Replica {
    /// Asks for everything once more, once after a start, when something could not be opened.
    func askAgainAfterStart() throws {
        guard !hasAskedAgain else { return }
        hasAskedAgain = true
        try database.write { try self.askAgain(in: $0) }
    }

    /// Asks for what could not be opened once more, and sends once more what the server refused.
    package func askAgain() throws {
        try database.write { database in
            try self.askAgain(in: database)
            for aside in try self.shelf.outbox.setAside(in: database) {
                try self.shelf.outbox.takeUp(aside.record, in: database)
            }
        }
        wake()
    }

    private func askAgain(in database: Database) throws {
        guard try !Quarantine.isEmpty(in: database) else { return }
        try SyncStateTable.askForAll(in: database)
    }

    /// Lets the unsent edit of an item replace the siblings of its record that do not open.
    ///
    /// Only their user can say so: a newer program might have read them. It is for a record so full
    /// of them that the edit cannot be sent otherwise, and says nothing of siblings still to come.
    ///
    /// - Parameter prefix: what the record's id begins with.
    /// - Returns: how many items it was said of.
    /// - Throws: what the database throws.
    package func giveUpUnreadable(beginning prefix: [UInt8]) throws -> Int {
        let count = try database.write { database in
            let full = try self.shelf.outbox.setAside(in: database).filter {
                $0.reason == .siblingsUnreadable && $0.record.bytes.starts(with: prefix)
            }
            for aside in full {
                try Quarantine.giveUp(aside.record, in: database)
                try self.shelf.outbox.takeUp(aside.record, in: database)
            }
            return full.count
        }
        if count > 0 { wake() }
        return count
    }
}
