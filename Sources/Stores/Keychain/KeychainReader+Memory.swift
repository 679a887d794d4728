internal import GRDB
internal import GRDBSQLite

/// What a connection keeps of the file, beside the rows that were looked up last.
extension KeychainReader {
    /// The size of the file's pages in memory, in bytes.
    package func pageBytes() throws(ItemStoreError) -> Int {
        try withKeychainErrors {
            try database.unsafeRead { database in
                var now: Int32 = 0
                var most: Int32 = 0
                _ = unsafe sqlite3_db_status(
                    database.sqliteConnection,
                    SQLITE_DBSTATUS_CACHE_USED,
                    &now,
                    &most,
                    0
                )
                return Int(now)
            }
        }
    }

    /// Gives these pages back: after a visit of all items they are most of the file.
    package func releasePages() throws(ItemStoreError) {
        try withKeychainErrors {
            try database.unsafeRead { database in
                _ = unsafe sqlite3_db_release_memory(database.sqliteConnection)
            }
        }
    }
}
