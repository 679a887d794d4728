/// The tables of sync, in the database of the stores that are synced.
package enum SyncSchema {
    package static let name = "sync"
    package static let migrations = [(name: "v01-sync", sql: PackageResources.v01_sync_sql)]
}
