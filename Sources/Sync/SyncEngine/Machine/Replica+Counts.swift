internal import GRDB
package import KSRecords
internal import KSSealing

extension Replica {
    /// Counts the unsent, conflicting, quarantined and waiting records.
    package func counts() throws -> Counts {
        try database.unsafeRead { database in
            Counts(
                unsent: try Departure.unsentCount(in: database),
                conflicts: try self.shelf.mirrors.countConflicts(in: database),
                quarantined: try Quarantine.counts(in: database),
                waiting: try WaitingTable.count(in: database),
                deletions: try self.heldDeletionCount(in: database),
                open: try self.openRecords(in: database),
                withoutRoom: try self.recordsWithoutRoom(in: database),
                room: self.room
            )
        }
    }

    package struct Counts: Sendable {
        /// Items and values with changes that are not on the server, each once.
        package let unsent: Int
        /// How many of the unsent edits are blocked.
        package var blocked: Int { open.blocked.count }
        package let conflicts: Int
        package let quarantined: [(reason: QuarantineReason, count: Int)]
        /// Records that wait for an unlock.
        package let waiting: Int
        /// Entries that other devices have deleted, about which the user is asked.
        package let deletions: Int
        package let open: OpenRecords
        /// Records whose batch waits for room in the account.
        package let withoutRoom: [WithoutRoom]
        /// For how many bytes the account had room; nil if that is unknown, or without a limit.
        package let room: UInt64?
    }

    /// A record for which the account has no room.
    package struct WithoutRoom: Sendable {
        package let record: RecordID
        /// The most that it may take, in bytes.
        package let bytesMax: UInt64
    }
}
