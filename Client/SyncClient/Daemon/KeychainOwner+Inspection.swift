internal import GRDB
internal import SyncEngine

extension KeychainOwner {
    /// Looks at every row that sync keeps beside the items; nil without an account that can be
    /// read.
    func inspectSync() throws -> SyncInspection? {
        guard let keys else { return nil }
        let shelf = RecordShelf(rows: keys.rows)
        return try files.database.read { try shelf.inspect(in: $0) }
    }
}
