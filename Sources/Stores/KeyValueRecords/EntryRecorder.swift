package import GRDB
package import KSKeyValues
package import KSResolution

/// Records the changes of entries for an account.
package protocol EntryRecorder {
    /// The name of this device in the account.
    var deviceName: String { get }

    /// What merged values may hold, with the actor as which the device changes them.
    func mergeLimits(in database: Database) throws -> MergeLimits

    /// All that the device has of an entry's record.
    func record(of name: EntryName, in database: Database) throws -> LocalRecord

    /// All records of entries that can be read, and whether none is damaged.
    ///
    /// A damaged one is downloaded again.
    func records(in database: Database) throws -> (readable: [LocalRecord], areAll: Bool)

    /// Notes the unsent edit of a record.
    func save(_ record: LocalRecord, of name: EntryName, in database: Database) throws

    /// Ties the unsent edits of these entries, so that one batch sends them all and another device
    /// never has one without the others.
    func sendTogether(_ names: [EntryName], in database: Database) throws
}

extension KeyValueStores {
    /// Carries out a write of one key, on its record.
    func apply(
        _ write: EntryWrite,
        to record: inout LocalRecord,
        of name: EntryName,
        isLimited: Bool,
        _ now: UInt64,
        _ database: Database
    ) throws {
        func apply(_ limits: MergeLimits) throws(KeyValueError) {
            try write.apply(
                to: &record,
                of: name,
                limits: limits,
                random: { self.randomBytes($0) },
                atMilliseconds: now
            )
        }
        do throws(KeyValueError) {
            try apply(isLimited ? .standard : .none)
        } catch .limitExceeded(.counterActors, let wanted, let max) {
            // The device may be one of those that count already. It is not looked up for each
            // write, because few counters are full.
            guard let recorder else {
                throw KeyValueError.limitExceeded(.counterActors, wanted: wanted, max: max)
            }
            try apply(try recorder.mergeLimits(in: database))
        }
    }
}
