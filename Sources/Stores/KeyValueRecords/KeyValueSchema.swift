package import KSKeychain

/// The tables of key-value stores, in the keychain's database.
package enum KeyValueSchema {
    package static let schema = Schema(
        name: "key-value",
        migrations: [(name: "v01-entries", sql: PackageResources.v01_entries_sql)]
    )
}
