import GRDB
import KSDigests
import KSKeyValueRecords
import KSKeyValues
import KSKeychain
import KSDeviceKeys

extension KeyValueStores {
    /// Stores in a database in memory, at this time by the clock.
    static func inMemory(
        milliseconds: UInt64 = 1000
    ) throws -> (stores: KeyValueStores, database: DatabaseQueue) {
        let keys = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: SystemRandomSource(),
            mayCreate: true
        )
        let database = try KeychainDatabase.openInMemory()
        try KeyValueSchema.schema.apply(to: database)
        let stores = KeyValueStores(
            database: database,
            cipher: keys.rowCipher(random: SystemRandomSource()),
            clock: { milliseconds },
            random: SystemRandomSource()
        )
        return (stores, database)
    }
}

extension KeyWrite {
    static func set(_ key: String, _ value: PropertyValue) -> KeyWrite {
        KeyWrite(key: key, .write(.set(value, base: nil)))
    }
}
