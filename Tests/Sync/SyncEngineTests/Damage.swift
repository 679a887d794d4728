import Foundation
import GRDB
import KSRecords
import Testing

import KSSyncEngine

extension ReplicaHome {
    /// The damaged rows, as the doctor counts them.
    func inspection() throws -> SyncInspection {
        let shelf = RecordShelf(rows: device.keys.rows)
        return try database.read { try shelf.inspect(signer: device.keys.signer, in: $0) }
    }

    /// Changes a column of an item's row behind the program's back, as a fault would, to zeros by
    /// default.
    func spoil(
        _ column: String,
        of table: String,
        _ service: String,
        to value: String = "zeroblob(100)"
    ) throws {
        try database.write { database in
            try database.execute(sql: "PRAGMA ignore_check_constraints = 1")
            try database.execute(
                sql: "UPDATE \(table) SET \(column) = \(value) WHERE record = ?",
                arguments: [Data(recordID(service).bytes)]
            )
            #expect(database.changesCount == 1)
        }
    }
}

extension ReplicaAccount {
    /// The secret that another device shows for these writes.
    func shown(_ service: String, _ envelopes: [Envelope]) throws -> String? {
        let reader = try ReplicaHome(self)
        let siblings = envelopes.sorted { $0.dot < $1.dot }
        try reader.pull(page([.of(siblings, seq: 9)], to: 9))
        #expect(try reader.replica.counts().quarantined.isEmpty)
        return try reader.secret(service)
    }
}
