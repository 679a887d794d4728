package import KSPostgreSQLStore
internal import KSRecords
internal import KSStore
package import Logging

extension EventHub {
    /// How many accounts are read at once.
    private static let accountsMax = 500

    /// Connects this hub with those of the database's other servers, once the result is started.
    package func wakeUps(
        over database: PostgreSQLStore,
        listeningAt address: String,
        _ logger: Logger
    ) -> WakeUps {
        let wakeUps = WakeUps(
            store: database,
            address: address,
            hear: { self.hear($0) },
            doubt: {
                do {
                    try self.readAgain(from: database)
                } catch {
                    logger.error("news of other servers cannot be read: \(error)")
                }
            },
            noteListening: { isListening in
                if isListening {
                    logger.info("the database announces news of other servers")
                } else {
                    logger.warning("no announcements: the server looks for news each second")
                }
            }
        )
        announce { wakeUps.announce($0) }
        return wakeUps
    }

    /// Shows every listener its account's present state, after news may have been missed.
    private func readAgain(from database: PostgreSQLStore) throws {
        let accounts = accounts
        for start in stride(from: 0, to: accounts.count, by: Self.accountsMax) {
            let part = Array(accounts[start...].prefix(Self.accountsMax))
            let states = try database.accounts(part)
            for state in states {
                hear(
                    Announcement(
                        account: state.id,
                        author: nil,
                        cursor: state.cursor,
                        circleVersion: state.circleVersion
                    )
                )
            }
            // The message of an account's end may have been missed too.
            let present = Set(states.map(\.id))
            for account in part where !present.contains(account) {
                hear(
                    Announcement(
                        account: account,
                        author: nil,
                        cursor: nil,
                        circleVersion: 0,
                        isEnd: true
                    )
                )
            }
        }
    }
}
