internal import GRDB
package import SyncEngine

extension KeychainOwner {
    /// Checks every row that sync keeps beside the items; nil without an account that can be
    /// read.
    ///
    /// If a mirror is damaged, the next pull starts from the beginning.
    package func inspectSync() throws -> SyncInspection? {
        guard let keys else { return nil }
        let shelf = RecordShelf(rows: keys.rows)
        let inspection = try files.database.read { database in
            try shelf.inspect(signer: keys.signer, in: database)
        }
        if inspection.mirror > 0 {
            try files.database.write { try SyncStateTable.askForAll(in: $0) }
        }
        return inspection
    }
}
