package import KSKeychain

/// The tables of sync, in the keychain's database; a shipped migration is never edited.
package enum SyncSchema {
    package static var schema: Schema {
        Schema(
            name: "sync",
            migrations: [
                .init(name: "v01-sync", sql: PackageResources.v01_sync_sql),
                .init(name: "v02-waiting", sql: PackageResources.v02_waiting_sql),
                .init(name: "v03-rewrites", sql: PackageResources.v03_rewrites_sql),
                .init(name: "v04-looked", sql: PackageResources.v04_looked_sql),
                .init(name: "v05-mirror-check", sql: PackageResources.v05_mirror_check_sql),
            ]
        )
    }
}
