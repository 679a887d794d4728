package import Foundation
package import GRDB
internal import Synchronization

/// Numbers the transactions of a connection, so that an observer can distinguish them.
///
/// GRDB asks for the date of each transaction when it begins. That date itself cannot be read while
/// a transaction is being committed.
package final class TransactionCounter: TransactionClock {
    private let count = Atomic(0)

    /// The number of the transaction that is open, or of the last one.
    package var current: Int { count.load(ordering: .acquiring) }

    package func now(_ database: Database) -> Date {
        count.add(1, ordering: .acquiringAndReleasing)
        return Date()
    }
}

extension Database {
    /// The counter of a connection that ``KeychainDatabase`` opened for writing.
    package var transactionCounter: TransactionCounter {
        guard let counter = configuration.transactionClock as? TransactionCounter else {
            preconditionFailure("open the database with the settings of KeychainDatabase")
        }
        return counter
    }
}
