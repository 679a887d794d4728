import KSDaemon
import KSKeyValueRecords
import KSKeyValues

extension KeychainOwner {
    func keyValues(of store: StoreIdentifier) throws -> [StoredEntry] {
        try withKeyValues { try $0.entries(of: store) }
    }

    func unreadableKeyValues() throws -> Int {
        try withKeyValues { try $0.unreadableRows() }
    }
}
