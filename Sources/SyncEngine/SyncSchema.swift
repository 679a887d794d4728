package import Keychain

/// The tables of sync, in the keychain's database; a shipped migration is never edited.
package enum SyncSchema {
    package static var schema: Schema {
        Schema(
            name: "sync",
            migrations: [
                .init(name: "v01-sync", sql: PackageResources.v01_sync_sql),
                .init(name: "v02-waiting", sql: PackageResources.v02_waiting_sql),
                .init(name: "v03-rewrites", sql: PackageResources.v03_rewrites_sql),
            ]
        )
    }
}
