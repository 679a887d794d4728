/// The tables of sync, in the database of the stores that are synced.
package enum SyncSchema {
    package static let name = "sync"
    /// A shipped migration is never edited.
    package static let migrations: [(name: String, sql: [UInt8])] = [
        ("v01-sync", PackageResources.v01_sync_sql),
        ("v02-returning", PackageResources.v02_returning_sql),
        ("v03-generations", PackageResources.v03_generations_sql),
    ]
}
